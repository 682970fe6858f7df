import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import type { Page } from '../../app/page.ts'
import { ConnectionBar } from '../../frame/ConnectionBar.tsx'
import { Logo } from '../../frame/Logo.tsx'
import { Overlays } from '../../frame/Overlays.tsx'
import { TopBar } from '../../frame/TopBar.tsx'
import { formatCount } from '../../lib/format.ts'
import { browserHref, useCatalog } from '../collections/catalog.ts'
import { Find } from './Find.tsx'

/** The frame of the admin UI: collections with their counts, pages of the server, top bar. */
export function AdminShell({ pages, children }: { pages: readonly Page[]; children: ComponentChildren }) {
  return (
    <div class="shell admin">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <AdminRail pages={pages} />
      <TopBar>
        <Find pages={pages} />
      </TopBar>
      <main id="content">
        <ConnectionBar />
        {children}
      </main>
      <Overlays />
    </div>
  )
}

function AdminRail({ pages }: { pages: readonly Page[] }) {
  const { config, router } = useApp()
  const { collections, counts } = useCatalog()
  const nav = useRef<HTMLElement>(null)
  const path = router.path.value
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    // Unlike scrollIntoView(), this moves only the strip of phones.
    if (current) nav.current?.scrollTo({ left: current.offsetLeft - nav.current.clientWidth / 3 })
  }, [path, collections.value.value])
  const link = (to: string, title: string, count?: number) => (
    <a key={to} href={to} aria-current={path === to ? 'page' : undefined}>
      <span class="entry">{title}</span>
      {count !== undefined && <small>{formatShort(count)}</small>}
    </a>
  )
  return (
    <section class="rail" aria-label="Site">
      <div class="rail-content">
        <a class="brand" href="/_/">
          <Logo />
          <span>{config.value.value?.name ?? 'Administration'}</span>
        </a>
        <nav ref={nav} aria-label="Administration">
          <p>Collections</p>
          {collections.value.value?.map(({ name }) => link(browserHref(name), name, counts.value[name]))}
          <p>Server</p>
          {pages.filter(({ menu }) => menu).map((page) => link(page.path, page.title))}
        </nav>
        <footer>
          <a href="/">Back to the dashboard</a>
        </footer>
      </div>
    </section>
  )
}

const MILLION = 1_000_000

/** A count that fits beside a name: `48 213`, `1.2 M`. */
function formatShort(count: number): string {
  return count < MILLION ? formatCount(count) : `${(count / MILLION).toFixed(1)}\u00a0M`
}
