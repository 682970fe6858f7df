import { DAY_MS } from '../../../src/base/portable/units.ts'
import { calibrationMedians } from '../../api/model/qpus/chip.ts'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { formatQuantity } from '../../lib/quantity.ts'
import type { ChipState } from '../../parts/chip/use-chip.ts'
import { Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { Sparkline } from '../../plots/Sparkline.tsx'
import type { SparkPoint } from '../../plots/spark-path.ts'
import { type MetricSummary, medianPoints, summarize } from './summary.ts'

const DAYS = 14

/** Median, range and course of each metric; a press shows the metric on the map. */
export function MediansPanel({ qpu, state }: { qpu: QpuDetail; state: ChipState }) {
  const { api, account } = useApp()
  const query = useQuery()
  const { qubits, couplers } = state.chip
  const signedIn = account.value !== undefined
  const calibrated = qpu.calibration?.at ?? ''
  const medians = useResource(
    async (abort) => {
      if (!signedIn || !calibrated) return []
      const from = new Date(Date.now() - DAYS * DAY_MS).toISOString()
      const search = new URLSearchParams({ qpu: qpu.id, from })
      return (await api.get(`/api/calibration/medians?${search}`, calibrationMedians, abort)).series
    },
    [signedIn, qpu.id, calibrated],
  )
  const rows = summarize(state.chip, Date.now())
  if (rows.length === 0) return null
  const courses = new Map(rows.map(({ metric }) => [metric, medianPoints(medians.value.value ?? [], metric)]))
  const isKnown = [...courses.values()].some((points) => points.length > 1)
  const columns: Column<MetricSummary>[] = [
    {
      title: 'Metric',
      cell: ({ metric, isCoupler, source }) => (
        <>
          <button
            type="button"
            class="link"
            onClick={() => query.set({ [isCoupler ? 'edge' : 'metric']: metric.id, view: '' })}
          >
            {metric.title}
            {metric.unit && `, ${metric.unit}`}
          </button>
          <small class="soft"> {source}</small>
        </>
      ),
    },
    { title: 'Median', number: true, phone: 'state', cell: ({ median }) => <strong>{median}</strong> },
    { title: 'Range', number: true, cell: ({ range }) => range },
    {
      title: `${DAYS} days`,
      phone: 'wide',
      cell: ({ metric }) => <Course points={courses.get(metric) ?? []} of={metric} />,
    },
  ]
  return (
    <Panel
      title="Medians"
      aside={
        <span class="soft">
          {formatCount(qubits.length)} qubits, {formatCount(couplers.length)} couplers
        </span>
      }
    >
      <DataTable
        label="Medians"
        rows={rows}
        columns={isKnown ? columns : columns.slice(0, -1)}
        id={({ metric, isCoupler }) => `${isCoupler} ${metric.id}`}
      />
    </Panel>
  )
}

/** The course of a median; nothing with fewer than two calibrations. */
function Course({
  points,
  of: { title, unit },
}: {
  points: readonly SparkPoint[]
  of: MetricSummary['metric']
}) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 2) return null
  const text = (value: number) => formatQuantity(value, { unit })
  return (
    <Sparkline
      points={points}
      label={`Median ${title} after ${points.length} calibrations in ${DAYS} days, from ${text(first.value)} to ${text(last.value)}`}
    />
  )
}
