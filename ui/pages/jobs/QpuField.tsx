import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { describedBy, Field, Select } from '../../parts/form/form.tsx'

interface QpuFieldProps {
  /** Id of the chosen QPU; empty for any. */
  value: string
  error: string | undefined
  changed: (id: string) => void
}

/** A selection of QPUs that shows the current state of each. */
export function QpuField({ value, error, changed }: QpuFieldProps) {
  const { qpus } = useApp()
  const list = qpus.value.value ?? []
  const label = (qpu: Qpu) => {
    const { word, takesJobs } = qpuCondition(qpu)
    return `${qpu.name}, ${takesJobs ? 'takes jobs' : word.toLowerCase()}`
  }
  return (
    <Field id="qpu" label="QPU" error={error}>
      <Select
        id="qpu"
        value={list.some(({ id }) => id === value) ? value : ''}
        choices={[['', 'Any that is free'], ...list.map((qpu) => [qpu.id, label(qpu)] as const)]}
        set={changed}
        {...describedBy('qpu', error)}
      />
    </Field>
  )
}
