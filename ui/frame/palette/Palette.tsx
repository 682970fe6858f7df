import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { Page } from '../../app/page.ts'
import { Dialog } from '../../parts/Dialog.tsx'

/** The types of Preact demand a `list` for this role, which only suggestions of the browser have. */
const COMBOBOX: object = { role: 'combobox', 'aria-expanded': true }

/** Keys that move in what is found, and choose. */
const ACTING = ['ArrowDown', 'ArrowUp', 'Enter']

interface PaletteProps {
  pages: readonly Page[]
  open: Signal<boolean>
  /** Opens the list of keys. */
  showKeys: () => void
}

/**
 * The command palette: Ctrl+K, then a few letters of a page, a QPU, a job or an action. Its field takes keys
 * from the first one on; what finds and acts is loaded when it is first opened, and then follows those that
 * were pressed before.
 */
export function Palette({ pages, open, showKeys }: PaletteProps) {
  const { toast } = useApp()
  const parts = useSignal<typeof import('./Choice.tsx') | undefined>(undefined)
  const text = useSignal('')
  const at = useSignal(0)
  /** The QPU whose maintenance was chosen. */
  const maintained = useSignal<Qpu | undefined>(undefined)
  const pressed = useSignal<readonly string[]>([])
  const close = () => {
    open.value = false
    text.value = ''
    at.value = 0
    pressed.value = []
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!document.querySelector('dialog[open]')) open.value = true
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!open.value || parts.peek()) return
    import('./Choice.tsx').then(
      (loaded) => {
        parts.value = loaded
      },
      () => {
        close()
        toast('The palette could not be loaded. Try again when the server responds.', 'bad')
      },
    )
  }, [open.value])
  const { Choice, MaintenanceDialog } = parts.value ?? {}
  return (
    <>
      <Dialog title="Go to" open={open.value} onClose={close} class="palette">
        <input
          {...COMBOBOX}
          aria-label="Page, QPU, job or action"
          aria-controls="palette-list"
          aria-activedescendant={Choice && `palette-${at.value}`}
          placeholder="Page, QPU, job or action, such as “cancel” or “maintenance”"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
            at.value = 0
          }}
          onKeyDown={(event) => {
            if (!ACTING.includes(event.key)) return
            event.preventDefault()
            pressed.value = [...pressed.value, event.key]
          }}
        />
        {Choice && (
          <Choice
            pages={pages}
            text={text.value}
            at={at}
            pressed={pressed}
            close={close}
            showKeys={showKeys}
            maintained={maintained}
          />
        )}
      </Dialog>
      {MaintenanceDialog && maintained.value && (
        <MaintenanceDialog qpu={maintained.value} close={() => (maintained.value = undefined)} />
      )}
    </>
  )
}
