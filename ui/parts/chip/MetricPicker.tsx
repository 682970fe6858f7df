import { useQuery } from '../../app/use-query.ts'
import type { Metric } from '../../plots/chip/metric.ts'
import { Select } from '../form/form.tsx'

interface MetricPickerProps {
  label: string
  /** Query parameter that keeps the choice. */
  parameter: 'metric' | 'edge'
  metrics: readonly Metric[]
  chosen: Metric | undefined
}

/** Chooses what colors the qubits or the couplers; nothing if there is no choice. */
export function MetricPicker({ label, parameter, metrics, chosen }: MetricPickerProps) {
  const query = useQuery()
  if (metrics.length === 0) return null
  return (
    <Select
      aria-label={label}
      value={chosen?.id ?? ''}
      choices={metrics.map(({ id, title }) => [id, title])}
      set={(id) => query.set({ [parameter]: id })}
    />
  )
}
