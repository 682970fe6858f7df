import { DAY_MS } from '../../../../src/base/portable/units.ts'
import { calibratedQpu } from '../../../api/model/calibrations.ts'
import { schedule } from '../../../api/model/schedule.ts'
import { useApp } from '../../../app/app.ts'
import { useLive, useResource } from '../../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { timeOfDay } from '../../../lib/zone.ts'
import { Empty, Loaded, Panel } from '../../../parts/Panel.tsx'
import { BookTable } from '../../../parts/table/BookTable.tsx'
import { roughly } from '../words.ts'
import { coming, lateness } from './late-slots.ts'

const RELOAD_MS = 3_000

interface WaitingProps {
  qpu: string
  qpuName: string
  /** Expected end of the run, Unix ms. */
  end: number | undefined
}

/** Jobs and slots that wait for the end of a calibration, and how late they will be. */
export function Waiting({ qpu, qpuName, end }: WaitingProps) {
  const app = useApp()
  const { api } = app
  const waiting = useResource(
    async (abort) => {
      if (!qpu) return { jobs: 0, slots: [] }
      const now = Date.now()
      const range = `from=${new Date(now).toISOString()}&to=${new Date(now + DAY_MS).toISOString()}&ticks=0`
      const [one, busy] = await Promise.all([
        api.get(`/api/qpus/${encodeURIComponent(qpu)}`, calibratedQpu, abort),
        api.get(`/api/schedule?${range}`, schedule, abort),
      ])
      return { jobs: one.queue_length ?? 0, slots: coming(busy.busy, qpu) }
    },
    [qpu],
  )
  useLive(['quantum_jobs/*', 'time_slots/*'], () => waiting.loadSoon(RELOAD_MS))
  const own = (app.jobs.value.value ?? []).filter(
    ({ status, qpu_target }) => status === 'pending' && (qpu_target === qpu || qpu_target === qpuName),
  )
  const zone = app.zone.value
  const until = end === undefined ? 'its end' : `≈ ${timeOfDay(end, zone)}`
  return (
    <Panel title="Waiting">
      <Loaded of={waiting} task="load what waits" rows={3}>
        {({ jobs, slots }) => {
          const others = Math.max(0, jobs - own.length)
          if (jobs === 0 && slots.length === 0)
            return <Empty>No job waits for {qpuName}, and nobody has booked it in the next 24 h.</Empty>
          return (
            <div class="scroll">
              <BookTable head={['What waits', ['Until', 'number']]}>
                {own.slice(0, 5).map(({ id }) => (
                  <tr key={id}>
                    <td>
                      <a href={`/jobs/${id}`}>
                        <code>{id}</code>
                      </a>{' '}
                      <span class="tag">yours</span>
                    </td>
                    <td class="number">{until}</td>
                  </tr>
                ))}
                {others > 0 && (
                  <tr>
                    <td>
                      {own.length > 0
                        ? `${sentence(formatNumberOf(others, 'job'))} of others`
                        : sentence(formatNumberOf(others, 'job'))}
                    </td>
                    <td class="number">{until}</td>
                  </tr>
                )}
                {slots.map((slot) => {
                  const late = lateness(slot, end)
                  return (
                    <tr key={slot.start}>
                      <td>
                        {slot.mine ? 'Your slot' : 'Slot'} {timeOfDay(slot.start, zone)}–
                        {timeOfDay(slot.end, zone)}
                      </td>
                      <td class="number">
                        {late === undefined ? (
                          '–'
                        ) : late === 0 ? (
                          <span class="tone-ok">✓ not affected</span>
                        ) : (
                          <b class="tone-warn">▲ {roughly(late / 1_000)} late</b>
                        )}
                      </td>
                    </tr>
                  )
                })}
              </BookTable>
            </div>
          )
        }}
      </Loaded>
    </Panel>
  )
}
