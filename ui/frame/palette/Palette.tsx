import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { PaletteProps } from './Choice.tsx'

/**
 * The command palette: Ctrl+K, then a few letters of a page, a QPU, a job or an action. Its parts are loaded
 * when it is first opened.
 */
export function Palette(props: PaletteProps) {
  const { open } = props
  const { toast } = useApp()
  const parts = useSignal<typeof import('./Choice.tsx') | undefined>(undefined)
  /** The QPU whose maintenance was chosen. */
  const maintained = useSignal<Qpu | undefined>(undefined)
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
        open.value = false
        toast('The palette could not be loaded. Try again when the server responds.', 'bad')
      },
    )
  }, [open.value])
  if (!parts.value) return null
  const { Choice, MaintenanceDialog } = parts.value
  return (
    <>
      {open.value && <Choice {...props} maintained={maintained} />}
      {maintained.value && (
        <MaintenanceDialog
          qpu={maintained.value}
          open
          onClose={() => {
            maintained.value = undefined
          }}
        />
      )}
    </>
  )
}
