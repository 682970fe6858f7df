import type { Activity, Driver } from '../../api/model/equipment/drivers.ts'
import { formatCount } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Menu } from '../../parts/Menu.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { EventBars } from './EventBars.tsx'
import { driverState, eventRate, holderOf, total } from './state.ts'
import { useDriverActions } from './use-driver-actions.ts'
import type { DriversState } from './use-drivers.ts'

const OPERATIONS = { process: 'Process', calibrate: 'Calibrate', monitor: 'Monitor' } as const

interface DriverTableProps {
  list: readonly Driver[]
  state: DriversState
}

/** The drivers of one QPU; those of an operation stand below one another. */
export function DriverTable({ list, state }: DriverTableProps) {
  return (
    <div class="scroll">
      <table class="book folds driver-table">
        <thead>
          <tr>
            <th scope="col">Driver and device</th>
            <th scope="col">State</th>
            <th scope="col">Operation</th>
            <th scope="col">Last event</th>
            <th scope="col">Version</th>
            <th scope="col" class="number">
              Events per s, last hour
            </th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((driver) => (
            <Row key={driver.id} driver={driver} list={list} state={state} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ driver, list, state }: { driver: Driver; list: readonly Driver[]; state: DriversState }) {
  const activity = state.activity.value.value?.drivers.find(({ id }) => id === driver.id)
  const condition = driverState(driver, activity, state.now.value)
  const actions = useDriverActions(() => void state.drivers.load())
  const holder = condition.isStandby ? holderOf(list, driver) : undefined
  return (
    <tr>
      <th scope="row">
        <a href={`/drivers/${driver.id}`} data-row>
          {driver.name}
        </a>
        <small class="line soft">{driver.device || 'any device'}</small>
      </th>
      <td class="state">
        <Status {...condition} />
        <small class="line soft">
          <Detail
            driver={driver}
            activity={activity}
            detail={condition.detail}
            limit={state.activity.value.value?.event_rate_limit}
          />
          {holder && (
            <button type="button" class="link" onClick={() => void actions.toggle(holder)}>
              Disable {holder.name}…
            </button>
          )}
        </small>
      </td>
      <td>{OPERATIONS[driver.operation]}</td>
      <td>
        <Moment at={activity?.last_event || driver.last_seen} none="never" />
      </td>
      <td class="soft">{driver.version || '–'}</td>
      <td class="number">
        {activity && <Rate activity={activity} isOnline={driver.status === 'online'} now={state.now.value} />}
      </td>
      <td class="number">
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
      </td>
    </tr>
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
  if (driver.status === 'online') {
    return activity?.connected_at ? (
      <>
        lease held since <Moment at={activity.connected_at} />
      </>
    ) : null
  }
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
