import * as v from 'valibot'
import type { Session } from '../../api/model/qpus/sessions.ts'
import { useApp } from '../../app/app.ts'
import { shortTime } from '../../jobs/occupancy.ts'
import { parseTime } from '../../lib/time.ts'
import { FormDialog, TextField, useForm } from '../form/form.tsx'

const changed = v.object({ ends_at: v.string() })

/** Changes how long a session lasts after its first activation. */
export function ExtendDialog({ session, close }: { session: Session; close: () => void }) {
  const { api, toast, zone } = useApp()
  const form = useForm({
    initial: { minutes: String(Math.ceil(session.seconds / 60)) },
    check: ({ minutes }) =>
      Number.isInteger(Number(minutes)) && Number(minutes) > 0
        ? {}
        : { minutes: 'Give a whole number of minutes.' },
    async submit({ minutes }) {
      const body = { seconds: Number(minutes) * 60 }
      const { ends_at: end } = await api.patch(`/api/sessions/${session.id}`, body, changed)
      toast(
        end === '' ? 'The session is changed.' : `It lasts until ${shortTime(end, Date.now(), zone.value)}.`,
      )
      close()
    },
  })
  const began = parseTime(session.activated_at)
  const end = began === undefined ? undefined : new Date(began + Number(form.values.value.minutes) * 60_000)
  const isKnown = end !== undefined && !Number.isNaN(end.getTime())
  return (
    <FormDialog
      title={`Extend the session on ${session.qpu_target}`}
      form={form}
      action="Change"
      close={close}
    >
      <TextField
        form={form}
        name="minutes"
        label="Length from its first activation (min)"
        type="number"
        min={1}
        hint={
          isKnown
            ? `Until ${shortTime(end.toISOString(), Date.now(), zone.value)}, or a booking of another user.`
            : 'It ends before a booking of another user.'
        }
      />
    </FormDialog>
  )
}
