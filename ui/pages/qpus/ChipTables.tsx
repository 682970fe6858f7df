import { useQuery } from '../../app/use-query.ts'
import { formatQuantity } from '../../lib/quantity.ts'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import type { Chip, Element } from '../../plots/chip/chip.ts'
import { type Limits, limitOf } from '../../plots/chip/limits.ts'
import { digitsFor, isBeyond, type Metric } from '../../plots/chip/metric.ts'
import { sortElements } from './sort-elements.ts'

interface ChipTablesProps {
  chip: Chip
  limits: Limits
  selected: string | undefined
  onSelect: (element: string) => void
}

/** Qubits and couplers with all of their values, sorted by any of them. */
export function ChipTables({ chip, ...rest }: ChipTablesProps) {
  return (
    <>
      <ElementTable
        {...rest}
        title="Qubits"
        parameter="sort"
        elements={chip.qubits}
        metrics={chip.qubitMetrics}
      />
      {chip.couplers.length > 0 && (
        <ElementTable
          {...rest}
          title="Couplers"
          parameter="edgesort"
          elements={chip.couplers}
          metrics={chip.couplerMetrics}
        />
      )}
    </>
  )
}

interface ElementTableProps extends Omit<ChipTablesProps, 'chip'> {
  title: string
  /** Query parameter that keeps the order. */
  parameter: string
  elements: readonly Element[]
  metrics: readonly Metric[]
}

function ElementTable({
  title,
  parameter,
  elements,
  metrics,
  limits,
  selected,
  onSelect,
}: ElementTableProps) {
  const query = useQuery()
  const by = query.get(parameter)
  const columns: Column<Element>[] = [
    {
      title: title.slice(0, -1),
      sort: 'name',
      cell: ({ name }) => (
        <button type="button" class="link" aria-pressed={name === selected} onClick={() => onSelect(name)}>
          {name}
        </button>
      ),
    },
    ...metrics.map((metric) => valueColumn(metric, elements, limits)),
  ]
  return (
    <DataTable
      label={title}
      rows={sortElements(elements, by)}
      columns={columns}
      id={({ name }) => name}
      sort={{ by, set: (next) => query.set({ [parameter]: next }) }}
      rowClass={({ operational }) => (operational ? undefined : 'soft')}
    />
  )
}

function valueColumn(metric: Metric, elements: readonly Element[], limits: Limits): Column<Element> {
  const values = elements.flatMap(({ readings }) => readings.get(metric.id)?.value ?? [])
  const digits = metric.fraction ? Math.max(2, digitsFor(values)) : digitsFor(values)
  const limit = limitOf(limits, metric)
  return {
    title: metric.unit ? `${metric.title}, ${metric.unit}` : metric.title,
    number: true,
    sort: metric.id,
    cell({ operational, readings }) {
      const reading = readings.get(metric.id)
      if (!reading) return <span class="soft">{operational ? '–' : 'off'}</span>
      const isBad = operational && isBeyond(metric, reading.value, limit)
      return (
        <span class={isBad ? 'tone-bad' : undefined}>
          {isBad && '▲ '}
          {formatQuantity(reading.value, { uncertainty: reading.error, digits, limit })}
        </span>
      )
    },
  }
}
