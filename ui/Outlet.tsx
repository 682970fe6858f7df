import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from './app/app.ts'
import type { Page, PageProps } from './app/page.ts'
import { matchRoute } from './app/route.ts'
import { NotFound } from './pages/NotFound.tsx'

interface Shown {
  path: string
  title: string
  Body: ComponentType<PageProps>
  params: Record<string, string>
}

/**
 * Shows the page of the current path; the previous page stays visible until the code of the next has loaded.
 */
export function Outlet({ pages }: { pages: readonly Page[] }) {
  const { router, auth, config } = useApp()
  const path = router.path.value
  const signedIn = auth.current.value !== undefined
  const [shown, setShown] = useState<Shown>()
  const opened = useRef(false)

  useEffect(() => {
    const found = findPage(pages, path)
    if (found?.page.access === 'signed_in' && !signedIn) {
      router.go(`/login?next=${encodeURIComponent(path + location.search)}`, { replace: true })
      return undefined
    }
    let wanted = true
    const { title, load } = found?.page ?? { title: 'Not found', load: async () => NotFound }
    load()
      .catch(() => LoadFailed)
      .then((Body) => {
        if (wanted) setShown({ path, title, Body, params: found?.params ?? {} })
      })
    return () => {
      wanted = false
    }
  }, [path, signedIn])

  const site = config.value.value?.name ?? 'Job control'
  useEffect(() => {
    if (shown) document.title = `${shown.title} · ${site}`
  }, [shown, site])

  useEffect(() => {
    if (!shown) return
    // The first page of a visit does not move the focus.
    if (opened.current) document.querySelector('h1')?.focus()
    opened.current = true
  }, [shown])

  return shown ? <shown.Body key={shown.path} params={shown.params} /> : null
}

function findPage(pages: readonly Page[], path: string) {
  for (const page of pages) {
    const params = matchRoute(page.path, path)
    if (params) return { page, params }
  }
  return undefined
}

/** Shown when the code of a page cannot be loaded, usually because the server was updated meanwhile. */
function LoadFailed() {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>This page could not be loaded</h1>
      <p>The connection may be lost, or the server was updated since this page was opened.</p>
      <button type="button" onClick={() => location.reload()}>
        Load again
      </button>
    </div>
  )
}
