import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { monitors, thresholds } from '../../api/model/equipment/monitoring.ts'
import { type QpuDetail, qpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { useNow } from '../../app/use-now.ts'
import { useLive, useRecords, useResource } from '../../app/use-resource.ts'
import { agoText, holderText, newJobStart, queueLength } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { timeOfDay } from '../../lib/zone.ts'
import { MonitorPanel } from '../../parts/monitor/MonitorPanel.tsx'
import { Loaded } from '../../parts/Panel.tsx'
import { RecalledCalibration } from '../../parts/qpu/RecalledCalibration.tsx'
import { Status } from '../../parts/Status.tsx'
import { AvailabilityStrips, useAvailability } from '../../parts/schedule/Availability.tsx'
import { SCHEDULE_TOPICS } from '../../parts/schedule/SchedulePanel.tsx'
import { Fact } from '../../parts/table/Fact.tsx'

const CLOCK_MS = 5_000
const SPACING_MS = 1_500

/** One QPU and its fridge for a screen on the wall: large, without controls. */
export function WallPage({ params }: PageProps) {
  const { api } = useApp()
  const name = params['name'] ?? ''
  const qpu = useResource(
    (abort) => api.get(`/api/qpus/${encodeURIComponent(name)}`, qpuDetail, abort),
    // Sessions of others send no events.
    [name, useNow(MINUTE_MS).value],
  )
  useLive(SCHEDULE_TOPICS, () => qpu.loadSoon(SPACING_MS))
  return (
    <Loaded of={qpu} task="load the QPU" rows={8} title={name}>
      {(loaded) => <Screen qpu={loaded} />}
    </Loaded>
  )
}

function Screen({ qpu }: { qpu: QpuDetail }) {
  const { account, zone } = useApp()
  const now = useNow(CLOCK_MS).value
  const condition = qpuCondition(qpu)
  const facts: [string, string | undefined][] = [
    ['Queued', queueLength(qpu)],
    ['A new job starts', newJobStart(qpu, condition, now, zone.value)],
    ['Held by', holderText(qpu, now, zone.value)],
    ['Calibrated', agoText(qpu.calibration?.at, now)],
  ]
  return (
    <article class="wall">
      <header>
        <h1>{qpu.name}</h1>
        <Status {...condition} />
        <time>{timeOfDay(now, zone.value)}</time>
      </header>
      {!condition.takesJobs && <p>{condition.reason}.</p>}
      <RecalledCalibration qpu={qpu} />
      <dl>
        {facts.map(
          ([title, value]) =>
            value && (
              <Fact key={title} name={title}>
                {value}
              </Fact>
            ),
        )}
      </dl>
      <AvailabilityStrips of={useAvailability().value.value} qpu={qpu} />
      {account.value && <Fridges qpu={qpu.id} />}
    </article>
  )
}

/** The monitors of the QPU; their readings are for users. */
function Fridges({ qpu }: { qpu: string }) {
  const found = useRecords('drivers', { filter: `operation = "monitor" && qpu = "${qpu}"` }, monitors)
  const limits = useRecords('thresholds', { perPage: '200', filter: 'enabled = true' }, thresholds)
  return (
    <>
      {(found.value.value?.items ?? []).map(({ id, name, stages }) => (
        <MonitorPanel
          key={id}
          id={id}
          title={`${name}, last 24 h`}
          stages={stages}
          limits={(limits.value.value?.items ?? []).filter(({ driver }) => driver === id)}
        />
      ))}
    </>
  )
}
