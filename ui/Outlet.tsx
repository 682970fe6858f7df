import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isSuperuser } from './api/auth.ts'
import { useApp } from './app/app.ts'
import type { Page, PageProps } from './app/page.ts'
import { loadPageStyles } from './app/page-styles.ts'
import { matchRoute, safePath } from './app/route.ts'
import { NotFound } from './pages/NotFound.tsx'
import { Denied } from './parts/Denied.tsx'

interface Shown {
  path: string
  title: string
  Body: ComponentType<PageProps>
  params: Record<string, string>
}

/**
 * Shows the page of the current path; the previous page stays visible until the code and the styles of the
 * next have loaded.
 */
export function Outlet({ pages }: { pages: readonly Page[] }) {
  const { router, auth, config, setOpened } = useApp()
  const path = router.path.value
  const signedIn = auth.current.value !== undefined
  const superuser = isSuperuser(auth.current.value)
  const [shown, setShown] = useState<Shown>()
  const opened = useRef(false)

  useEffect(() => {
    const found = findPage(pages, path)
    const access = found?.page.access ?? 'public'
    if (access === 'guest' && signedIn) {
      router.go(safePath(router.search.peek().get('next')), { replace: true })
      return undefined
    }
    if ((access === 'signed_in' || access === 'superuser') && !signedIn) {
      router.go(`/login?next=${encodeURIComponent(path + location.search)}`, { replace: true })
      return undefined
    }
    let wanted = true
    const title = found?.page.title ?? 'Not found'
    void loadBody(found?.page, access === 'superuser' && !superuser).then(({ Body, applyStyles }) => {
      if (!wanted) return
      applyStyles?.()
      setShown({ path, title, Body, params: found?.params ?? {} })
    })
    return () => {
      wanted = false
    }
  }, [path, signedIn, superuser])

  const site = config.value.value?.name ?? 'Job control'
  useEffect(() => {
    if (shown) document.title = `${shown.title} · ${site}`
  }, [shown, site])

  useEffect(() => {
    if (!shown) return
    // The first page of a visit does not move the focus.
    if (opened.current) document.querySelector('h1')?.focus()
    opened.current = true
    setOpened()
  }, [shown])

  return shown ? <shown.Body key={shown.path} params={shown.params} /> : null
}

interface Loaded {
  Body: ComponentType<PageProps>
  applyStyles?: () => void
}

async function loadBody(page: Page | undefined, denied: boolean): Promise<Loaded> {
  if (!page) return { Body: NotFound }
  if (denied) return { Body: () => <Denied what={page.title} /> }
  try {
    const [Body, applyStyles] = await Promise.all([page.load(), loadPageStyles(page.styles)])
    return { Body, applyStyles }
  } catch {
    return { Body: LoadFailed }
  }
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
