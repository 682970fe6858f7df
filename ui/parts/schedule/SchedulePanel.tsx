import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { schedule as schema } from '../../api/model/schedule.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { dateIn, shiftDate } from '../../lib/zone.ts'
import { laneOf } from '../../plots/ribbon/lanes.ts'
import { Ribbon } from '../../plots/ribbon/Ribbon.tsx'
import { describeLength, windowAround, windowOfDate } from '../../plots/ribbon/time-window.ts'
import { Loaded, Panel } from '../Panel.tsx'
import { QpuFilter } from './QpuFilter.tsx'

const TICKS = 240
/** Slots and sessions of other users send no events. */
const POLL_MS = MINUTE_MS
/** Changes of jobs move ticks by little. */
const SPACING_MS = 3_000

/** What schedules depend on; a page whose schedule comes later watches them together, to subscribe once. */
export const SCHEDULE_TOPICS = [
  'qpus/*',
  'quantum_jobs/*',
  'time_slots/*',
  'sessions/*',
  'calibration_requests/*',
  'notes/*',
]

interface SchedulePanelProps {
  qpus: readonly Qpu[]
  /** What stands left of the lane of a QPU; a page with several can choose some of them. */
  head?: (qpu: Qpu) => ComponentChildren
}

/** The schedule of QPUs on one day, by default around now; the day is kept in the address. */
export function SchedulePanel({ qpus, head }: SchedulePanelProps) {
  const { api, zone, qpus: list } = useApp()
  const query = useQuery()
  const now = useNow(POLL_MS / 2)
  const chosen = windowOfDate(query.get('day'), zone.value)
  const window = chosen ?? windowAround(now.value, zone.value)
  const range = new URLSearchParams({
    from: new Date(window.from).toISOString(),
    to: new Date(window.to).toISOString(),
    ticks: String(TICKS),
  })
  const poll = Math.floor(now.value / POLL_MS)
  const schedule = useResource(
    (abort) => api.get(`/api/schedule?${range}`, schema, abort),
    [range.toString(), poll],
  )
  const opened = useRef(poll)
  useEffect(() => {
    if (poll !== opened.current) list.loadSoon()
  }, [poll])
  useLive(SCHEDULE_TOPICS, () => schedule.loadSoon(SPACING_MS))
  const go = (days: number) => {
    const date = shiftDate(window.date, days)
    query.set({ day: date === dateIn(now.peek(), zone.peek()) ? '' : date })
  }
  const length = describeLength(window)
  const chosenNames = query.all('qpu').filter((name) => qpus.some((qpu) => qpu.name === name))
  const shown = chosenNames.length > 0 ? qpus.filter(({ name }) => chosenNames.includes(name)) : qpus
  return (
    <Panel
      title={`Schedule, ${dayTitle(window.date)}${length && `, ${length}`}`}
      aside={
        <div class="actions">
          {qpus.length > 1 && <QpuFilter names={qpus.map(({ name }) => name)} chosen={chosenNames} />}
          <button type="button" class="quiet" aria-label="Previous day" onClick={() => go(-1)}>
            ←
          </button>
          <button type="button" class="quiet" onClick={() => query.set({ day: '' })}>
            Today
          </button>
          <button type="button" class="quiet" aria-label="Next day" onClick={() => go(1)}>
            →
          </button>
        </div>
      }
    >
      <Loaded of={schedule} task="load the schedule" rows={Math.max(2, 2 * shown.length)}>
        {(loaded) => (
          <Ribbon
            window={window}
            now={now.value}
            zone={zone.value}
            rows={shown.map((qpu) => ({
              id: qpu.id,
              name: qpu.name,
              lane: laneOf(loaded, qpu.id, window, now.value),
              ...(head && { head: head(qpu) }),
            }))}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function dayTitle(date: string): string {
  const day = new Date(`${date}T12:00:00Z`)
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
    .format(day)
    .replace(',', '')
}
