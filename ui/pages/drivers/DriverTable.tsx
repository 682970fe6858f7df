import type { Activity, Driver } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { formatCount } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Menu } from '../../parts/Menu.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { EventBars } from './EventBars.tsx'
import { driverState, eventRate, holderOf, orderDrivers, total } from './state.ts'
import { useDriverActions } from './use-driver-actions.ts'
import type { DriversState } from './use-drivers.ts'

const OPERATIONS = { process: 'Process', calibrate: 'Calibrate', monitor: 'Monitor' } as const

interface DriverTableProps {
  list: readonly Driver[]
  state: DriversState
}

/** All drivers by their QPU and operation, a row for each. */
export function DriverTable({ list, state }: DriverTableProps) {
  const { qpus } = useApp()
  const qpuOf = ({ qpu }: Driver) => qpus.value.value?.find(({ id }) => id === qpu)?.name ?? qpu
  const activities = new Map(state.activity.value.value?.drivers.map((each) => [each.id, each]))
  const columns: Column<Driver>[] = [
    {
      title: 'QPU',
      cell: (driver) => <a href={`/qpus/${encodeURIComponent(qpuOf(driver))}`}>{qpuOf(driver)}</a>,
    },
    { title: 'Driver', names: true, cell: ({ name }) => name },
    { title: 'State', phone: 'state', cell: (driver) => <State driver={driver} list={list} state={state} /> },
    { title: 'Operation', cell: ({ operation }) => OPERATIONS[operation] },
    { title: 'Device', class: 'soft', cell: ({ device }) => device || 'any device' },
    {
      title: 'Last event',
      cell: ({ id, last_seen }) => <Moment at={activities.get(id)?.last_event || last_seen} none="never" />,
    },
    { title: 'Version', class: 'soft', phone: 'absent', cell: ({ version }) => version || '–' },
    {
      title: 'Events per s',
      number: true,
      cell: ({ id, status }) => {
        const activity = activities.get(id)
        return activity && <Rate activity={activity} isOnline={status === 'online'} now={state.now.value} />
      },
    },
    {
      title: 'Actions',
      untitled: true,
      number: true,
      cell: (driver) => <Actions driver={driver} state={state} />,
    },
  ]
  const sorted = orderDrivers(list).toSorted((a, b) => qpuOf(a).localeCompare(qpuOf(b)))
  return (
    <DataTable
      label="Drivers"
      list="drivers"
      class="folds data dense"
      rows={sorted}
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => `/drivers/${id}`}
    />
  )
}

function State({ driver, list, state }: DriverTableProps & { driver: Driver }) {
  const server = state.activity.value.value
  const activity = server?.drivers.find(({ id }) => id === driver.id)
  const condition = driverState(driver, activity, state.now.value)
  const actions = useDriverActions(() => void state.drivers.load())
  const holder = condition.isStandby ? holderOf(list, driver) : undefined
  return (
    <>
      <Status {...condition} />{' '}
      <small class="soft">
        <Detail
          driver={driver}
          activity={activity}
          detail={condition.detail}
          limit={server?.event_rate_limit}
        />{' '}
        {holder && (
          <button type="button" class="link" onClick={() => void actions.toggle(holder)}>
            Disable {holder.name}…
          </button>
        )}
      </small>
    </>
  )
}

function Actions({ driver, state }: { driver: Driver; state: DriversState }) {
  const actions = useDriverActions(() => void state.drivers.load())
  return (
    <Menu
      button="…"
      label={`Actions for ${driver.name}`}
      class="sm"
      items={[
        { title: 'Commands and events', href: `/drivers/${driver.id}` },
        { title: driver.enabled ? 'Disable…' : 'Enable', run: () => void actions.toggle(driver) },
        { title: 'New token…', run: () => void actions.renewToken(driver) },
        { title: 'Delete…', run: () => void actions.remove(driver), tone: 'bad' },
      ]}
    />
  )
}

interface DetailProps {
  driver: Driver
  activity: Activity | undefined
  detail: string
  limit: number | undefined
}

/** The line below the state: since when, what was lost, or why not. */
function Detail({ driver, activity, detail, limit }: DetailProps) {
  const dropped = total(activity?.dropped)
  if (driver.status === 'online' && dropped > 0) {
    const text = limit ? `limit ${formatCount(limit)} per s, ` : ''
    return (
      <>
        {text}
        {formatCount(dropped)} dropped in 1 h
      </>
    )
  }
  if (driver.status === 'online') return null
  if (detail) return <>{detail}. </>
  if (!driver.last_seen) return <a href={`/drivers/${driver.id}`}>How to start it</a>
  return (
    <>
      since <Moment at={driver.last_seen} />
    </>
  )
}

function Rate({ activity, isOnline, now }: { activity: Activity; isOnline: boolean; now: number }) {
  const rate = eventRate(activity.events, now - (parseTime(activity.connected_at) ?? now))
  const text = rate >= 10 ? String(Math.round(rate)) : rate.toFixed(rate < 0.1 && rate > 0 ? 2 : 1)
  return (
    <span class="rate">
      <EventBars activity={activity} />
      <strong>{isOnline ? text : '–'}</strong>
    </span>
  )
}
