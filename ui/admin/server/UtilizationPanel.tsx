import * as v from 'valibot'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatColumnSeconds, formatCount, formatShare } from '../../lib/format.ts'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { HEIGHT, WIDTH } from '../../plots/spark-path.ts'
import { meanShare } from './mean-share.ts'

const DAYS = 14

const day = v.object({ day: v.string(), jobs: v.number(), qpu_seconds: v.number(), share: v.number() })
const utilization = v.object({
  qpus: v.array(v.object({ id: v.string(), name: v.string(), days: v.array(day) })),
})
type Qpu = v.InferOutput<typeof utilization>['qpus'][number]

/** How busy jobs kept each QPU, day by day (UTC). */
export function UtilizationPanel() {
  const { api } = useApp()
  const days = useResource((abort) => api.get(`/api/op/utilization?days=${DAYS}`, utilization, abort))
  return (
    <Panel
      title="Utilization"
      aside={
        <span class="soft">
          share of the time in which jobs ran, {DAYS} days (UTC); a job counts on the day on which it ended
        </span>
      }
    >
      <Loaded of={days} task="load the utilization" rows={4}>
        {({ qpus }) => (
          <DataTable
            empty="There is no QPU."
            label="Utilization"
            rows={qpus}
            columns={COLUMNS}
            id={({ id }) => id}
            href={({ name }) => `/qpus/${name}`}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const sum = (qpu: Qpu, of: 'jobs' | 'qpu_seconds') => qpu.days.reduce((total, each) => total + each[of], 0)

const COLUMNS: Column<Qpu>[] = [
  { title: 'QPU', cell: ({ name }) => name },
  { title: 'By day', phone: 'wide', cell: (qpu) => <DayBars qpu={qpu} /> },
  { title: 'Today', number: true, phone: 'state', cell: ({ days }) => formatShare(days.at(-1)?.share ?? 0) },
  { title: 'Mean', number: true, cell: (qpu) => formatShare(meanShare(qpu.days, Date.now())) },
  { title: 'QPU time', number: true, cell: (qpu) => formatColumnSeconds(sum(qpu, 'qpu_seconds')) },
  { title: 'Jobs', number: true, cell: (qpu) => formatCount(sum(qpu, 'jobs')) },
]

/** A bar for each day; its full height is a day in which jobs ran all the time. */
function DayBars({ qpu: { name, days } }: { qpu: Qpu }) {
  const step = WIDTH / days.length
  const shares = days.map(({ share }) => share)
  const label = `${name}: ${formatShare(Math.min(...shares))} to ${formatShare(Math.max(...shares))} a day`
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} vector-effect="non-scaling-stroke" />
      {days.map(({ day, share, jobs }, at) => {
        // A job that began the day before counts whole.
        const height = Math.min(1, share) * HEIGHT
        return (
          <rect key={day} x={at * step} y={HEIGHT - height} width={step * 0.8} height={height}>
            <title>
              {day}: {formatShare(share)}, {formatCount(jobs)} jobs
            </title>
          </rect>
        )
      })}
    </svg>
  )
}
