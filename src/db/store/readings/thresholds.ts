import { fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { announceBreach, announceEnd, thresholds } from '../../collections/monitoring/thresholds.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { type EventRange, readingsSql } from './readings.ts'

type Threshold = RecordOf<typeof thresholds>

/** Readings of imported events and of drivers whose clock is wrong change no state. */
const MAX_AGE_S = 3_600

/** Whether there is a threshold of an age, or else of a value. Costs nothing where nobody uses thresholds. */
export function hasThresholds(tx: ReadTx, of: 'age' | 'value'): boolean {
  const kind = of === 'age' ? "kind = 'stale'" : "kind <> 'stale'"
  const row = tx.one(`SELECT 1 FROM thresholds WHERE enabled = 1 AND ${kind} LIMIT 1`)
  return row !== undefined
}

/**
 * Applies the readings of these events to the thresholds of their channels, in order of time and, within a
 * second, of events: the last one decides.
 */
export function checkReadings(tx: Tx, { after, last }: EventRange): void {
  if (!hasThresholds(tx, 'value')) return
  const rows = tx.all<{ id: string; value: number; unit: string; at: number }>(
    `WITH ${readingsSql(tx.dialect)} SELECT threshold.id, value, reading.unit, at FROM reading JOIN thresholds threshold
       ON threshold.driver = reading.driver AND threshold.channel = reading.channel AND threshold.enabled = 1
     WHERE threshold.kind <> 'stale' AND threshold.unit IN ('', reading.unit) AND value IS NOT NULL
       AND at BETWEEN $now - ${MAX_AGE_S} AND $now + ${MAX_AGE_S}
     ORDER BY at, place, threshold.seq`,
    { after, last, from: 0, to: Number.MAX_SAFE_INTEGER, now: Math.floor(tx.now / 1_000) },
  )
  for (const { id, value, unit, at } of rows) {
    // Read again for each reading, which may have changed it.
    const threshold = tx.find(thresholds, id)
    if (!threshold) continue
    const { kind, limit } = threshold
    apply(tx, threshold, {
      isExceeded: kind === 'above' ? value > limit : value < limit,
      at: Math.min(at * 1_000, tx.now),
      value,
      unit,
    })
  }
}

/**
 * Checks the age of the newest reading of each channel with a threshold for it. `startedAt` (ms since the
 * epoch): when this server started, before which nothing was received; no channel is older than that.
 */
export function checkAges(tx: Tx, startedAt: number): void {
  const rows = tx.all<{ id: string; last: number | null }>(
    `SELECT threshold.id, (SELECT max(last) FROM reading_series series
       WHERE series.driver = threshold.driver AND series.channel = threshold.channel
         AND threshold.unit IN ('', series.unit)) AS last
     FROM thresholds threshold WHERE threshold.enabled = 1 AND threshold.kind = 'stale'
     ORDER BY threshold.seq`,
  )
  for (const { id, last } of rows) {
    const threshold = tx.find(thresholds, id)
    if (!threshold) continue
    const times = [startedAt, fromTimestamp(threshold.created) ?? 0, (last ?? 0) * 1_000]
    // A time that is far ahead of now is that of another clock.
    const newest = Math.max(0, ...times.filter((time) => time <= tx.now + MAX_AGE_S * 1_000))
    const ageMs = Math.max(0, tx.now - newest)
    apply(tx, threshold, {
      isExceeded: ageMs > threshold.limit * 1_000,
      at: tx.now,
      value: ageMs / 1_000,
      unit: 's',
    })
  }
}

/** What a reading or a check says about a threshold; `at` in ms since the epoch. */
interface Observation {
  isExceeded: boolean
  at: number
  value: number
  unit: string
}

/** Stores what changes: a breach begins and ends once, and both are announced in the same transaction. */
function apply(tx: Tx, threshold: Threshold, observation: Observation): void {
  const { isExceeded, at } = observation
  const { id, since, breached_at, for_seconds } = threshold
  const isBreached = breached_at !== ''
  if (!isExceeded) {
    if (since === '' && !isBreached) return
    tx.update(thresholds, id, { since: '', breached_at: '', notification: '' })
    if (isBreached) announceEnd(tx, threshold, observation)
    return
  }
  if (isBreached) return
  const exceededFrom = since === '' ? at : (fromTimestamp(since) ?? at)
  const isBreach = at - exceededFrom >= for_seconds * 1_000
  if (!isBreach && since !== '') return
  const begun = { since: toTimestamp(exceededFrom) }
  const breach = isBreach && {
    breached_at: toTimestamp(at),
    notification: announceBreach(tx, { ...threshold, ...begun }, observation),
  }
  tx.update(thresholds, id, { ...begun, ...breach })
}
