import type { ComponentChildren } from 'preact'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { driverActivity } from '../../api/model/equipment/drivers.ts'
import { type QpuDetail, qpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { useNow } from '../../app/use-now.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { agoText } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { formatCount, formatNumberOf, sentence } from '../../lib/format.ts'
import { type ChipState, useChip } from '../../parts/chip/use-chip.ts'
import { Breadcrumb, Heading, Loaded } from '../../parts/Panel.tsx'
import { RecalledCalibration } from '../../parts/qpu/RecalledCalibration.tsx'
import { SessionsPanel } from '../../parts/qpu/SessionsPanel.tsx'
import { Status } from '../../parts/Status.tsx'
import { AvailabilityPanel } from '../../parts/schedule/Availability.tsx'
import { SCHEDULE_TOPICS, SchedulePanel } from '../../parts/schedule/SchedulePanel.tsx'
import { breachesOf } from '../../plots/chip/limits.ts'
import { ChipSection } from './ChipSection.tsx'
import { DevicePanel } from './DevicePanel.tsx'
import { ElementPanel } from './ElementPanel.tsx'
import { MediansPanel } from './MediansPanel.tsx'
import { QpuActions } from './QpuActions.tsx'
import { QueuePanel } from './QueuePanel.tsx'
import { Reason } from './Reason.tsx'

const SPACING_MS = 1_500

/** One QPU: its schedule, its chip, its queue, and what calibrations found. */
export function QpuPage({ params }: PageProps) {
  const { api } = useApp()
  const name = params['name'] ?? ''
  const qpu = useResource(
    (abort) => api.get(`/api/qpus/${encodeURIComponent(name)}`, qpuDetail, abort),
    // Sessions of others send no events.
    [name, useNow(MINUTE_MS).value],
  )
  useLive(SCHEDULE_TOPICS, () => qpu.loadSoon(SPACING_MS))
  const state = useChip(qpu.value.value)
  const loaded = qpu.value.value
  return (
    <>
      <Breadcrumb href="/qpus" list="QPUs" />
      <Heading
        title={
          <>
            {loaded?.name ?? name} {loaded && <Status {...qpuCondition(loaded)} />}
          </>
        }
        lead={loaded && <Lead qpu={loaded} state={state} />}
      >
        {loaded && <Actions qpu={loaded} />}
      </Heading>
      <Loaded of={qpu} task="load the QPU" rows={8}>
        {(shown) => (
          <>
            <RecalledCalibration qpu={shown} />
            <Body qpu={shown} state={state} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Actions({ qpu }: { qpu: QpuDetail }) {
  const { superuser, router } = useApp()
  return (
    <>
      <a class="button" href={`/wall/${encodeURIComponent(qpu.name)}`}>
        Wall screen
      </a>
      <a class="button" href={`/bookings?qpu=${encodeURIComponent(qpu.name)}&new=1`}>
        Book a slot
      </a>
      <a class="button primary" href={`/jobs/new?qpu=${encodeURIComponent(qpu.name)}`}>
        New job on {qpu.name}
      </a>
      {superuser.value && <QpuActions qpu={qpu} onDeleted={() => router.go('/qpus')} />}
    </>
  )
}

/** Which of its drivers cannot attach, and why; for superusers. */
function AttachFailures({ qpu }: { qpu: QpuDetail }) {
  const { api } = useApp()
  const activity = useResource((abort) => api.get('/api/op/drivers/activity', driverActivity, abort))
  useLive('drivers/*', () => activity.loadSoon())
  return activity.value.value?.drivers
    .filter((driver) => driver.qpu === qpu.id && driver.refused?.code === 'not_attached')
    .map(({ id, name, refused }) => (
      <span key={id}>
        {' '}
        Driver <a href={`/drivers/${id}`}>{name}</a>: {refused?.message}.
      </span>
    ))
}

/** Breaches that the sentence below the heading names. */
const MAX_NAMED = 3

/** How many qubits are in use, and which values are beyond their limits; else why it takes no jobs. */
function Lead({ qpu, state }: { qpu: QpuDetail; state: ChipState | undefined }) {
  const { superuser } = useApp()
  const { takesJobs } = qpuCondition(qpu)
  const facts: string[] = []
  if (state) {
    const used = state.chip.qubits.filter(({ operational }) => operational).length
    const calibrated = qpu.calibration ? `, calibrated ${agoText(qpu.calibration.at, Date.now())}` : ''
    facts.push(
      `${formatCount(used)} of ${formatNumberOf(state.chip.qubits.length, 'qubit')} in use${calibrated}.`,
    )
  } else if (takesJobs) {
    facts.push(`Takes jobs${qpu.num_qubits ? ` of up to ${formatNumberOf(qpu.num_qubits, 'qubit')}` : ''}.`)
  }
  return (
    <>
      {(!takesJobs || qpu.silent_since) && (
        <>
          <Reason qpu={qpu} now={Date.now()} />.{' '}
        </>
      )}
      {facts.join(' ')} {state && <Breaches state={state} />}
      {superuser.value && qpu.status === 'offline' && <AttachFailures qpu={qpu} />}
    </>
  )
}

function Breaches({ state }: { state: ChipState }) {
  const query = useQuery()
  const found = breachesOf(state.chip, state.limits)
  if (found.length === 0) return null
  const links: ComponentChildren[] = found
    .slice(0, MAX_NAMED)
    .flatMap(({ element, metric, isCoupler }, index) => [
      index > 0 && ', ',
      <button
        key={element + metric.id}
        type="button"
        class="link tone-bad"
        onClick={() => query.set({ element, [isCoupler ? 'edge' : 'metric']: metric.id })}
      >
        {element} {metric.title}
      </button>,
    ])
  const rest = found.length > MAX_NAMED ? ` and ${formatCount(found.length - MAX_NAMED)} more` : ''
  const verb = found.length === 1 ? 'is beyond its limit' : 'are beyond their limits'
  return (
    <>
      {sentence(formatNumberOf(found.length, 'value'))} {verb}: {links}
      {rest}.
    </>
  )
}

function Body({ qpu, state }: { qpu: QpuDetail; state: ChipState | undefined }) {
  const query = useQuery()
  const select = (element: string) => query.set({ element })
  const selected = query.get('element') || (state && worstElement(state))
  return (
    <div class="stack">
      <SchedulePanel qpus={[qpu]} />
      <AvailabilityPanel qpu={qpu} />
      <div class="columns qpu-columns">
        <div class="stack">
          {state && <ChipSection qpu={qpu} state={state} selected={selected} onSelect={select} />}
          <div class="device">
            <DevicePanel qpu={qpu} />
          </div>
        </div>
        <div class="stack">
          <QueuePanel qpu={qpu} />
          <SessionsPanel qpu={qpu.name} />
          {state && <MediansPanel qpu={qpu} state={state} />}
        </div>
      </div>
      {state && selected && <ElementPanel qpu={qpu} state={state} name={selected} />}
    </div>
  )
}

/** What is selected at first: the worst value of the shown metric of the qubits. */
function worstElement({ chip, qubits }: ChipState): string | undefined {
  const { metric } = qubits
  if (!metric) return undefined
  const sign = metric.better === 'low' ? -1 : 1
  const known = chip.qubits
    .filter(({ operational, readings }) => operational && readings.has(metric.id))
    .map(({ name, readings }) => ({ name, value: sign * (readings.get(metric.id)?.value ?? 0) }))
  return known.toSorted((one, other) => one.value - other.value)[0]?.name
}
