import type { Signal } from '@preact/signals'
import { type Monitor, note } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { fromLocalText, toLocalText } from '../../lib/zone.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormActions } from '../../parts/form/FormActions.tsx'
import { TextField } from '../../parts/form/TextField.tsx'
import { useForm } from '../../parts/form/use-form.ts'

interface NoteDialogProps {
  monitor: Monitor
  open: Signal<boolean>
  onAdded: () => void
}

/** Marks a moment, such as the exchange of a trap, in all plots of the QPU and in its schedule. */
export function NoteDialog({ monitor, open, onAdded }: NoteDialogProps) {
  const close = () => {
    open.value = false
  }
  return (
    <Dialog title="Add a note" open={open.value} onClose={close}>
      {open.value && <NoteForm monitor={monitor} close={close} onAdded={onAdded} />}
    </Dialog>
  )
}

function NoteForm({ monitor, close, onAdded }: { monitor: Monitor; close: () => void; onAdded: () => void }) {
  const { api, named, zone } = useApp()
  const form = useForm({
    initial: { text: '', at: toLocalText(Date.now(), zone.value) },
    check: ({ text, at }) => ({
      ...(text.trim() === '' && { text: 'Enter what was done.' }),
      ...(fromLocalText(at, zone.value) === undefined && { at: 'Choose a day and a time.' }),
    }),
    async submit({ text, at }) {
      const ms = fromLocalText(at, zone.value) ?? Date.now()
      const body = { text: text.trim(), at: new Date(ms).toISOString(), qpu: monitor.qpu }
      await api.post(`/api/collections/${named('notes')}/records`, body, note)
      onAdded()
      close()
    },
  })
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField
        form={form}
        name="text"
        label="What was done"
        placeholder="Nitrogen trap exchanged"
        hint="Everybody who is signed in sees it in the plots and in the schedule."
      />
      <TextField form={form} name="at" label="When" type="datetime-local" hint={`Time in ${zone.value}`} />
      <FormActions form={form} action="Add the note" cancel={close} />
    </form>
  )
}
