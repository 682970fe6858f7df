import type { Activity, Driver } from '../../api/model/equipment/drivers.ts'
import { parseTime } from '../../lib/time.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { driverState, holderOf } from './state.ts'

const LONG_MS = 120_000

interface LiveCheckProps {
  driver: Driver
  activity: Activity | undefined
  list: readonly Driver[]
  now: number
  onDisable: (holder: Driver) => void
}

/** Whether a driver is registered, connected and sending; changes automatically. */
export function LiveCheck({ driver, activity, list, now, onDisable }: LiveCheckProps) {
  const isOnline = driver.status === 'online'
  const condition = driverState(driver, activity, now)
  const holder = condition.isStandby ? holderOf(list, driver) : undefined
  const waitsLong = now - (parseTime(driver.created) ?? now) > LONG_MS
  const first = driver.operation === 'monitor' ? 'First reading' : 'First event'
  return (
    <div class="live-check padded" role="status">
      <ul class="cluster">
        <li>
          <Status tone="ok" glyph="check" word="Registered" /> <Moment at={driver.created} />
        </li>
        <li>
          {isOnline ? (
            <>
              <Status tone="ok" glyph="check" word="Connected" />{' '}
              {activity?.connected_at && <Moment at={activity.connected_at} />}
              <span class="soft">
                {driver.host && ` from ${driver.host}`}
                {driver.command_port > 0 && ` by the ports ${driver.command_port} and ${driver.result_port}`}
              </span>
            </>
          ) : (
            <Status {...(driver.last_seen ? condition : WAITING)} />
          )}
        </li>
        <li>
          {activity?.last_event ? (
            <>
              <Status tone="ok" glyph="check" word="Sends events" />{' '}
              <span class="soft">
                last <Moment at={activity.last_event} />
              </span>
            </>
          ) : (
            <Status tone="idle" glyph="ring" word={first} />
          )}
        </li>
      </ul>
      {!isOnline && condition.detail && (
        <p>
          {condition.detail}.{' '}
          {holder && (
            <button type="button" onClick={() => onDisable(holder)}>
              Disable {holder.name}…
            </button>
          )}
        </p>
      )}
      {!isOnline && !condition.detail && (
        <p class="soft">
          This page updates automatically.
          {waitsLong && (
            <>
              {' '}
              Nothing after 2 minutes? Check the address, the message ports of the server and the clock of the
              machine: <a href="/docs/how-to/run-a-driver#what-happens-at-start">what happens at start</a>.
            </>
          )}
        </p>
      )}
    </div>
  )
}

const WAITING = { tone: 'run', glyph: 'half', word: 'Waiting for the first connection' } as const
