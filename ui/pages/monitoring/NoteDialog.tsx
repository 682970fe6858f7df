import { type Monitor, note } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { fromLocalText, toLocalText } from '../../lib/zone.ts'
import { FormDialog, TextField, useForm } from '../../parts/form/form.tsx'

interface NoteDialogProps {
  monitor: Monitor
  close: () => void
  onAdded: () => void
}

/** Marks a moment, such as the exchange of a trap, in all plots of the QPU and in its schedule. */
export function NoteDialog({ monitor, close, onAdded }: NoteDialogProps) {
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
    <FormDialog title="Add a note" form={form} action="Add the note" close={close}>
      <TextField
        form={form}
        name="text"
        label="What was done"
        placeholder="Nitrogen trap exchanged"
        hint="Everybody who is signed in sees it in the plots and in the schedule."
      />
      <TextField form={form} name="at" label="When" type="datetime-local" hint={`Time in ${zone.value}`} />
    </FormDialog>
  )
}
