import { type QpuDetail, type QueuedJob, queuedJobs } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { holderText, newJobStart, queueLength, shortTime, startText } from '../../jobs/occupancy.ts'
import { percentOf, qpuCondition } from '../../jobs/status.ts'
import { formatCount, formatNumberOf, formatSeconds, sentence } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'

const SHOWN = 12
const SPACING_MS = 1_500

const PAUSES = 'Jobs of others run when the holder pauses.'

/** A row of the queue; place 0 is the running job. */
interface Row extends QueuedJob {
  place: number
}

/** Who holds the QPU, the running job and the first queued ones; jobs of others without their names. */
export function QueuePanel({ qpu }: { qpu: QpuDetail }) {
  const { api, zone } = useApp()
  const now = useNow(1_000).value
  const queue = useResource(
    (abort) => api.get(`/api/qpus/${qpu.id}/queue?limit=${SHOWN}`, queuedJobs, abort),
    [qpu.id, qpu.queue_length, qpu.running_job?.since],
  )
  useLive('quantum_jobs/*', () => queue.loadSoon(SPACING_MS))
  const condition = qpuCondition(qpu)
  const running = qpu.running_job
  const holder = holderText(qpu, now, zone.value)
  const more = qpu.queue_length - SHOWN
  return (
    <Panel
      title="Queue"
      aside={
        <a href={`/jobs?qpu=${encodeURIComponent(qpu.name)}`}>
          {running ? '1 running' : 'none running'}, {queueLength(qpu)} waiting
        </a>
      }
    >
      <div class="padded">
        <strong>{holder ? `Held by ${holder}` : freeText(qpu, condition.takesJobs)}</strong>
        <p>A job submitted now starts: {newJobStart(qpu, condition, now, zone.value)}</p>
        {running && <Late end={running.expected_end} now={now} />}
        <Scores estimates={qpu.estimates} />
        {holder && (
          <p class="soft">
            {qpu.session?.mode === 'batch' ? 'The jobs of the session go first.' : PAUSES}
            {qpu.holder && ` Nobody has booked it from ${shortTime(qpu.next_free ?? '', now, zone.value)}.`}
          </p>
        )}
      </div>
      <Loaded of={queue} task="load the queue" rows={3}>
        {(jobs) => {
          const first: Row[] = running
            ? [{ ...running, place: 0, shots: 0, created: running.since, estimated_start: null }]
            : []
          const rows = [...first, ...jobs.map((job, index) => ({ ...job, place: index + 1 }))]
          if (rows.length === 0) return <p class="padded soft">No job waits.</p>
          return (
            <DataTable
              label="Queue"
              rows={rows}
              columns={columnsAt(now, zone.value)}
              id={({ place, id }) => `${place} ${id}`}
              rowClass={({ mine }) => (mine ? 'mine' : undefined)}
            />
          )
        }}
      </Loaded>
      {more > 0 && <p class="padded soft">and {formatCount(more)} more</p>}
    </Panel>
  )
}

/** Says that the running job takes longer than expected, and so every start after it. */
function Late({ end, now }: { end: string | null | undefined; now: number }) {
  const { zone } = useApp()
  if ((parseTime(end) ?? now) >= now) return null
  return (
    <p class="tone-warn">
      ▲ The running job takes longer than expected: its end was said for{' '}
      {shortTime(end ?? '', now, zone.value)}. Jobs after it start later.
    </p>
  )
}

/** How good the estimates have been this month. */
function Scores({ estimates }: Pick<QpuDetail, 'estimates'>) {
  if (!estimates || estimates.qpu_seconds.jobs === 0) return null
  const { qpu_seconds: run, mean_qpu_seconds: mean, start } = estimates
  const width = (seconds: number | null) => formatSeconds(Number((seconds ?? 0).toPrecision(2)))
  return (
    <p class="soft">
      Estimates this month: QPU time right for {percentOf(run.right ?? 0)} of{' '}
      {formatNumberOf(run.jobs, 'job')} (range {width(run.mean_width)} wide, jobs {width(mean)} long)
      {start.jobs > 0 && `, start right for ${percentOf(start.right ?? 0)} (${width(start.mean_width)} wide)`}
    </p>
  )
}

/** What stands above the queue while nobody has booked the QPU. */
function freeText({ queue_length: length }: QpuDetail, takesJobs: boolean): string {
  if (!takesJobs) return 'No job starts now'
  return length > 0 ? 'Nobody has booked it: jobs start in this order' : 'Nobody has booked it'
}

function columnsAt(now: number, zone: string): Column<Row>[] {
  return [
    { title: 'Place', cell: ({ place }) => (place === 0 ? 'Now' : formatCount(place)) },
    { title: 'Job', phone: 'wide', cell: (job) => <Job job={job} /> },
    { title: 'Shots', number: true, cell: ({ shots }) => (shots > 0 ? formatCount(shots) : '') },
    {
      title: 'Starts',
      number: true,
      phone: 'state',
      cell: ({ place, created, estimated_start }) => {
        if (place > 0) {
          return (
            <span title={`Submitted ${shortTime(created, now, zone)}`}>
              {startText(estimated_start, now, zone) ?? <span class="soft">waits</span>}
            </span>
          )
        }
        return `▶ ${formatSeconds(Math.max(0, Math.floor((now - (parseTime(created) ?? now)) / 1_000)))}`
      },
    },
  ]
}

function Job({ job: { id, mine, name, email } }: { job: Row }) {
  const who = mine ? 'your job' : email ? `job of ${email}` : 'another user'
  if (!id || (!mine && !email && !name)) return <>{who}</>
  return (
    <a href={`/jobs/${id}`} data-row>
      {name || sentence(who)}
      {email && name && <span class="soft"> {email}</span>}
    </a>
  )
}
