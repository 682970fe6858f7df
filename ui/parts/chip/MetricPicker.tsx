import { useQuery } from '../../app/use-query.ts'
import type { Metric } from '../../plots/chip/metric.ts'

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
    <select
      aria-label={label}
      value={chosen?.id ?? ''}
      onChange={({ currentTarget }) => query.set({ [parameter]: currentTarget.value })}
    >
      {metrics.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  )
}
