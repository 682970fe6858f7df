import { useSignal } from '@preact/signals'
import { ApiError } from '../../../api/api.ts'
import type { Job } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { qpuCondition } from '../../../jobs/status.ts'
import { Check, Field, FormDialog, Select, TextField, useForm } from '../../../parts/form/form.tsx'

/** Moves a pending job to another QPU, with a reason; asks again before a simulator takes it. */
export function MoveDialog({ job, close }: { job: Job; close: () => void }) {
  const { api, qpus, toast } = useApp()
  const others = (qpus.value.value ?? []).filter(({ id, name }) => ![id, name].includes(job.qpu_target ?? ''))
  const needsSimulator = useSignal(false)
  const form = useForm({
    initial: { qpu: others[0]?.name ?? '', reason: '', to_simulator: false },
    check: ({ qpu }) => (qpu ? {} : { qpu: 'There is no other QPU' }),
    async submit(values) {
      try {
        await api.send(`/api/op/jobs/${job.id}/move`, values)
      } catch (failure) {
        needsSimulator.value ||= failure instanceof ApiError && failure.code === 'is_simulator'
        throw failure
      }
      toast(`The job waits for ${values.qpu} now.`)
      close()
    },
  })
  const { qpu, to_simulator: isConfirmed } = form.values.value
  return (
    <FormDialog title="Move this job" form={form} action="Move" close={close}>
      <p>
        Its place in the queue still depends on when it was submitted. Its owner can read the reason in the
        timeline.
      </p>
      <Field id={form.id('qpu')} label="QPU" error={form.error('qpu')}>
        <Select
          id={form.id('qpu')}
          value={qpu}
          choices={others.map((each) => [
            each.name,
            `${each.name}, ${qpuCondition(each).word.toLowerCase()}`,
          ])}
          set={(name) => form.set({ qpu: name })}
          {...form.aria('qpu')}
        />
      </Field>
      <TextField form={form} name="reason" label="Reason" />
      {needsSimulator.value && (
        <Check checked={isConfirmed} set={(isChecked) => form.set({ to_simulator: isChecked })}>
          Run it on a simulator instead of hardware
        </Check>
      )}
    </FormDialog>
  )
}
