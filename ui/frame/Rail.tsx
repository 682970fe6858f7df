import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isSuperuser } from '../api/auth.ts'
import { useApp } from '../app/app.ts'
import type { Page } from '../app/page.ts'
import { entryOf } from '../app/route.ts'
import { formatSeconds } from '../lib/format.ts'
import { currentEntry } from './current-entry.ts'
import { Logo } from './Logo.tsx'

/** The list of pages at the left edge; on phones a strip that scrolls. */
export function Rail({ pages }: { pages: readonly Page[] }) {
  const { auth, config, router } = useApp()
  const nav = useRef<HTMLElement>(null)
  const version = config.value.value?.version
  const path = router.path.value
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    // Unlike scrollIntoView(), this moves only the strip.
    if (current) nav.current?.scrollTo({ left: current.offsetLeft - nav.current.clientWidth / 3 })
  }, [path])
  return (
    <section class="rail" aria-label="Site">
      <div class="rail-content">
        <a class="brand" href="/">
          <Logo />
          <span>{config.value.value?.name ?? 'Job control'}</span>
        </a>
        <nav aria-label="Pages" ref={nav}>
          <Links pages={pages.filter(({ menu }) => menu === 'main')} path={path} />
          {isSuperuser(auth.current.value) && (
            <>
              <p>Administration</p>
              <Links pages={pages.filter(({ menu }) => menu === 'administration')} path={path} />
              <a href="/_/" aria-current={entryOf(path) === 'admin' ? 'page' : undefined}>
                Database and settings
              </a>
            </>
          )}
        </nav>
        <footer>
          <Balance />
          <small>
            {version && `Version ${version}, `}
            <a href="/licenses">licenses</a>
          </small>
        </footer>
      </div>
    </section>
  )
}

function Links({ pages, path }: { pages: readonly Page[]; path: string }) {
  const { preferences, router } = useApp()
  const current = currentEntry(pages, path)
  const address = `${path}?${router.search.value}`
  return (
    <>
      {pages.map((page) => (
        <Fragment key={page.path}>
          <a href={page.path} aria-current={page.path === current ? 'page' : undefined}>
            {page.title}
            {page.count && <page.count />}
          </a>
          {preferences.value.views
            .filter((view) => view.address.startsWith(`${page.path}?`))
            .map((view) => (
              <a
                key={view.name}
                class="view"
                href={view.address}
                aria-current={view.address === address ? 'true' : undefined}
              >
                {view.name}
              </a>
            ))}
        </Fragment>
      ))}
    </>
  )
}

function Balance() {
  const { account } = useApp()
  const seconds = account.value?.qpu_seconds
  if (seconds === undefined) return null
  return (
    <p class="balance">
      <span>QPU time left</span>
      <strong>{formatSeconds(seconds)}</strong>
      <a href="/qpu-time">Request more</a>
    </p>
  )
}
