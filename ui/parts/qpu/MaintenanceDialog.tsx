import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { formatNumberOf } from '../../lib/format.ts'
import { fromLocalText } from '../../lib/zone.ts'
import { FormDialog, TextField, useForm } from '../form/form.tsx'

interface MaintenanceDialogProps {
  qpu: Qpu
  close: () => void
}

/** Starts the maintenance of a QPU with a reason and, if it is known, its end. */
export function MaintenanceDialog({ qpu, close }: MaintenanceDialogProps) {
  const { api, zone, toast, qpus } = useApp()
  const form = useForm({
    initial: { reason: '', until: '' },
    check: ({ reason, until }) => ({
      ...(reason.trim() === '' && { reason: 'Users read the reason, so give one.' }),
      ...(until !== '' &&
        !((fromLocalText(until, zone.value) ?? 0) > Date.now()) && { until: 'Must be in the future.' }),
    }),
    async submit({ reason, until }) {
      const end = fromLocalText(until, zone.value)
      await api.send('/api/op/qpu/maintenance', {
        id: qpu.id,
        maintenance: true,
        reason: reason.trim(),
        ...(end !== undefined && { until: new Date(end).toISOString() }),
      })
      toast(`${qpu.name} is in maintenance`)
      qpus.loadSoon()
      close()
    },
  })
  return (
    <FormDialog
      title={`Start maintenance of ${qpu.name}`}
      form={form}
      action="Start maintenance"
      close={close}
    >
      <p class="soft">
        The running job finishes, {formatNumberOf(qpu.queue_length, 'queued job')} keep waiting, and new jobs
        are refused until you end the maintenance.
      </p>
      <TextField form={form} name="reason" label="Reason" />
      <TextField
        form={form}
        name="until"
        label="Expected end (optional)"
        type="datetime-local"
        hint={`In ${zone.value}. The maintenance does not end automatically.`}
      />
    </FormDialog>
  )
}
