import type { Driver, DriverActivity, Operation } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { Empty, ErrorBox, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { DriverTable } from './DriverTable.tsx'
import { driverState, total } from './state.ts'
import { type DriversState, useDrivers } from './use-drivers.ts'

/** What a driver of each operation is called. */
const ROLES: readonly [Operation, string][] = [
  ['process', 'process driver'],
  ['calibrate', 'tuner'],
  ['monitor', 'monitor'],
]

/** All drivers: which are connected or stand by, and what they send. */
export function DriversPage() {
  const state = useDrivers()
  const error = state.activity.error.value
  return (
    <>
      <Heading title="Drivers" lead={<Lead state={state} />}>
        <a class="button" href="/events">
          Events
        </a>
        <a class="button primary" href="/drivers/new">
          Register a driver
        </a>
      </Heading>
      <div class="stack">
        {error && (
          <ErrorBox
            error={error}
            task="load what the drivers send"
            retry={() => void state.activity.load()}
          />
        )}
        <Loaded of={state.drivers} task="load the drivers" rows={6}>
          {(list) => (list.length === 0 ? <NoDrivers /> : <AllDrivers list={list} state={state} />)}
        </Loaded>
      </div>
    </>
  )
}

function NoDrivers() {
  return (
    <Panel title="Drivers">
      <Empty
        action={
          <a class="button" href="/drivers/new">
            Register a driver
          </a>
        }
      >
        No driver is registered yet. A driver runs next to the equipment and connects it to this server:{' '}
        <a href="/docs/how-to/run-a-driver">how it works</a>.
      </Empty>
    </Panel>
  )
}

function Lead({ state }: { state: DriversState }) {
  const list = state.drivers.value.value
  if (!list || list.length === 0) return null
  const qpus = new Set(list.map(({ qpu }) => qpu)).size
  return (
    <>
      {sentence(formatNumberOf(list.length, 'driver'))} on {formatNumberOf(qpus, 'QPU')}.{' '}
      {problems(list, state.activity.value.value, state.now.value)}
    </>
  )
}

/** What needs attention, in words. */
function problems(list: readonly Driver[], activity: DriverActivity | undefined, now: number): string {
  const of = (id: string) => activity?.drivers.find((one) => one.id === id)
  const enabled = list.filter((driver) => driver.enabled)
  const states = enabled.map((driver) => driverState(driver, of(driver.id), now))
  const offline = states.filter(({ word }) => ['Offline', 'Refused', 'Never connected'].includes(word)).length
  const dropping = enabled.filter(({ id }) => total(of(id)?.dropped) > 0).length
  const are = (count: number, what: string) =>
    `${sentence(formatNumberOf(count, '').trim().replace(/s$/, ''))} ${what}`
  const facts = [
    ...(offline > 0 ? [are(offline, `${offline === 1 ? 'is' : 'are'} not connected.`)] : []),
    ...(dropping > 0 ? [are(dropping, `${dropping === 1 ? 'drops' : 'drop'} events.`)] : []),
  ]
  return facts.length > 0 ? facts.join(' ') : 'All of them are connected or on standby.'
}

/** All drivers, and links that register those that a QPU does not have yet. */
function AllDrivers({ list, state }: { list: readonly Driver[]; state: DriversState }) {
  const { qpus } = useApp()
  const missing = [...Map.groupBy(list, ({ qpu }) => qpu)].flatMap(([id, members]) => {
    const qpu = qpus.value.value?.find((each) => each.id === id)?.name ?? id
    return ROLES.flatMap(([operation, role]) =>
      members.some((driver) => driver.operation === operation) ? [] : [{ qpu, operation, role }],
    )
  })
  return (
    <Panel title="All drivers">
      <DriverTable list={list} state={state} />
      {missing.length > 0 && (
        <p class="padded cluster missing-drivers">
          {missing.map(({ qpu, operation, role }) => (
            <a key={qpu + operation} href={`/drivers/new?${new URLSearchParams({ qpu, operation })}`}>
              Register a {role} of {qpu}
            </a>
          ))}
        </p>
      )}
    </Panel>
  )
}
