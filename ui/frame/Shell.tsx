import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Page } from '../app/page.ts'
import { ConnectionBar } from './ConnectionBar.tsx'
import { Keys } from './Keys.tsx'
import { Overlays } from './Overlays.tsx'
import { Palette } from './palette/Palette.tsx'
import { Rail } from './Rail.tsx'
import { TopBar } from './TopBar.tsx'

/** The frame of every page: rail, top bar, connection state, and what opens above the page. */
export function Shell({ pages, children }: { pages: readonly Page[]; children: ComponentChildren }) {
  const listing = useSignal(false)
  const seeking = useSignal(false)
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Rail pages={pages} />
      <TopBar palette={seeking} />
      <main id="content">
        <ConnectionBar />
        {children}
      </main>
      <Keys pages={pages} open={listing} />
      <Palette pages={pages} open={seeking} showKeys={() => (listing.value = true)} />
      <Overlays />
    </div>
  )
}
