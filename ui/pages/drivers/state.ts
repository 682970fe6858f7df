import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { Activity, Driver } from '../../api/model/equipment/drivers.ts'
import type { Condition } from '../../jobs/status.ts'
import { parseTime } from '../../lib/time.ts'

/** A refused driver asks again every few seconds; one that stopped asking is offline. */
const REFUSAL_MS = 40_000
const MAX_RATE_MINUTES = 5

/** The state of a driver in words, with what explains it. */
interface DriverState extends Condition {
  detail: string
  /** Whether it waits for the lease that another driver of its role holds. */
  isStandby: boolean
}

/** Describes the state of a driver. */
export function driverState(driver: Driver, activity: Activity | undefined, now: number): DriverState {
  const condition = (tone: Condition['tone'], glyph: Condition['glyph'], word: string, detail = '') => ({
    tone,
    glyph,
    word,
    detail,
    isStandby: false,
  })
  const { refused } = activity ?? {}
  const isAsking = refused && now - (parseTime(refused.at) ?? 0) < REFUSAL_MS
  if (!driver.enabled) {
    const waits = isAsking ? 'Its attempts to connect are refused (403)' : 'It may not connect'
    return condition('idle', 'ring', 'Disabled', waits)
  }
  if (driver.status === 'online') {
    const dropped = total(activity?.dropped)
    if (dropped > 0) return condition('warn', 'triangle', 'Drops events')
    return condition('ok', 'dot', 'Connected')
  }
  if (isAsking && refused.code === 'already_connected') {
    return { ...condition('idle', 'pause', 'Standby', refused.message), isStandby: true }
  }
  if (isAsking) {
    const word = refused.code === 'not_attached' ? 'Cannot attach' : 'Refused'
    return condition('bad', 'cross', word, refused.message)
  }
  if (driver.last_seen === '') return condition('idle', 'ring', 'Never connected')
  return condition('idle', 'ring', 'Offline')
}

/** The sum of counts by minute. */
export function total(counts: readonly number[] = []): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Events per second over the last five whole minutes; over the current one for a driver that has been
 * connected for less than that (`connectedMs`).
 */
export function eventRate(events: readonly number[], connectedMs: number): number {
  const minutes = Math.min(MAX_RATE_MINUTES, Math.floor(connectedMs / MINUTE_MS) - 1)
  if (minutes >= 1) return total(events.slice(-1 - minutes, -1)) / (minutes * 60)
  return total(events.slice(-2)) / Math.max(1, connectedMs / 1_000)
}

/** Drivers of one QPU in the order of their operations, the connected one before those that stand by. */
export function orderDrivers(list: readonly Driver[]): Driver[] {
  const rank = { process: 0, calibrate: 1, monitor: 2 }
  return list.toSorted(
    (a, b) =>
      rank[a.operation] - rank[b.operation] ||
      Number(b.status === 'online') - Number(a.status === 'online') ||
      a.name.localeCompare(b.name),
  )
}

/** The driver that holds the lease another one waits for. */
export function holderOf(list: readonly Driver[], waiting: Driver): Driver | undefined {
  return list.find(
    ({ id, qpu, operation, status }) =>
      id !== waiting.id && qpu === waiting.qpu && operation === waiting.operation && status === 'online',
  )
}
