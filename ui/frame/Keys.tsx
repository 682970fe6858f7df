import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from '../app/app.ts'
import type { Page } from '../app/page.ts'
import { enableKeys, keysEnabled, listenForKeys, type Shortcut } from '../lib/keys.ts'
import { moveRow, selectRow, toFilter } from '../lib/rows.ts'
import { Dialog } from '../parts/Dialog.tsx'

/** Keys that open a page; those of pages that do not exist are left out. */
const PAGE_KEYS = [
  { keys: ['n'], path: '/jobs/new', does: 'New job' },
  { keys: ['b'], path: '/bookings', does: 'Book a slot' },
  { keys: ['g', 'o'], path: '/', does: 'Overview' },
  { keys: ['g', 'j'], path: '/jobs', does: 'Jobs' },
  { keys: ['g', 'b'], path: '/bookings', does: 'Bookings' },
  { keys: ['g', 'q'], path: '/qpus', does: 'QPUs' },
  { keys: ['g', 'c'], path: '/calibrations', does: 'Calibrations' },
  { keys: ['g', 'm'], path: '/monitoring', does: 'Monitoring' },
] as const

/** Keys that are handled elsewhere and listed here. */
const FIXED = [
  { keys: ['Ctrl', 'K'], does: 'Go to a page, a QPU, a job or an action' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['Ctrl', 'Enter'], does: 'Submit the job being written' },
]

interface KeysProps {
  pages: readonly Page[]
  /** Whether the list is open. */
  open: Signal<boolean>
}

/** The shortcuts, and the dialog that lists them and switches them off. */
export function Keys({ pages, open }: KeysProps) {
  const { router } = useApp()
  const enabled = useSignal(keysEnabled())
  const shortcuts: Shortcut[] = [
    ...PAGE_KEYS.filter(({ path }) => pages.some((page) => page.path === path)).map(
      ({ keys, path, does }) => ({ keys, does, run: () => router.go(path) }),
    ),
    { keys: ['/'], does: 'Filter the list', run: toFilter },
    { keys: ['j'], does: 'Next row', run: () => moveRow(1) },
    { keys: ['k'], does: 'Previous row', run: () => moveRow(-1) },
    { keys: ['x'], does: 'Select the row', run: selectRow },
    {
      keys: ['?'],
      does: 'This list',
      run() {
        open.value = true
      },
    },
  ]
  useEffect(() => listenForKeys(shortcuts), [])
  return (
    <Dialog title="Keyboard shortcuts" open={open.value} onClose={() => (open.value = false)}>
      <dl class="keys">
        {[...shortcuts, ...FIXED].map(({ keys, does }) => (
          <div key={keys.join(' ')}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={enabled.value}
          onChange={({ currentTarget }) => {
            enableKeys(currentTarget.checked)
            enabled.value = currentTarget.checked
          }}
        />
        Single-key shortcuts outside of text fields
      </label>
      <div class="actions">
        <button type="button" onClick={() => (open.value = false)}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
