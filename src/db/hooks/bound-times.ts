/**
 * Stored times that conditions compare with the time of the server. A clock that was ahead has stored some
 * that are later than a right clock could have stored: without a bound they stay in force until then.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../base/index.ts'
import { ofDialect } from '../engine/dialect.ts'
import { quoted, type SqlWriter } from '../engine/sql.ts'

/** Reports whose end is later than now. */
const OF_REPORTS = 'report IN (SELECT id FROM calibration_results WHERE finished_at > $at)'
/** Deliveries whose last attempt was later than now. */
const ATTEMPTED = "state = 'pending' AND attempted_at > $at"

interface BoundedTime {
  table: string
  column: string
  /** What is stored: UTC text, or a number since the epoch. */
  unit: 'text' | 'ms' | 's'
  /** How much later than now it may be: by what a right clock stores, or what does no harm. */
  aheadMs?: number
  /** The rows to bound, instead of those that are later than that. */
  where?: string
}

/** Bounded when a report arrives, in this order: what follows from a report before the report. */
const TIMES_OF_REPORTS: readonly BoundedTime[] = [
  { table: 'calibration_values', column: 'at', unit: 'text', where: OF_REPORTS },
  { table: 'calibration_latest', column: 'at', unit: 'text', where: OF_REPORTS },
  { table: 'calibration_bounds', column: 'at', unit: 'text', where: OF_REPORTS },
  { table: 'calibration_medians', column: 'at', unit: 'text', where: OF_REPORTS },
  { table: 'qpu_calibrations', column: 'at', unit: 'text', where: OF_REPORTS },
  { table: 'qpu_descriptions', column: 'calibrated_at', unit: 'text' },
  { table: 'calibration_results', column: 'started_at', unit: 'text', where: 'finished_at > $at' },
  { table: 'calibration_results', column: 'finished_at', unit: 'text' },
]

/** Bounded when the clock was set back: a webhook before its deliveries. */
const TIMES_OF_SERVER: readonly BoundedTime[] = [
  { table: 'reading_series', column: 'last', unit: 's' },
  { table: 'thresholds', column: 'since', unit: 'text' },
  {
    table: 'mail_items',
    column: 'at',
    unit: 'text',
    where: '"user" IN (SELECT "user" FROM mail_digests) AND at > $at',
  },
  { table: 'mail_digests', column: 'next_at', unit: 'ms', aheadMs: HOUR_MS },
  { table: 'webhooks', column: 'failing_since', unit: 'text' },
  { table: 'webhooks', column: 'previous_until', unit: 'text', aheadMs: DAY_MS },
  {
    table: 'webhooks',
    column: 'next_at',
    unit: 'ms',
    where: `next_at > $now AND id IN (SELECT webhook FROM webhook_deliveries WHERE ${ATTEMPTED})`,
  },
  { table: 'webhook_deliveries', column: 'next_at', unit: 'ms', where: ATTEMPTED },
  { table: 'webhook_deliveries', column: 'attempted_at', unit: 'text', where: ATTEMPTED },
  { table: 'webhook_deliveries', column: 'at', unit: 'text', where: "state = 'pending' AND at > $at" },
  { table: 'known_addresses', column: 'at', unit: 'text' },
  { table: 'idempotency_keys', column: 'at', unit: 'text' },
]

export const BOUNDED_TIMES = [...TIMES_OF_REPORTS, ...TIMES_OF_SERVER]

/**
 * What is stored with an end later than now is older than a report that arrives now and ended at `endedAt`,
 * ms since the epoch.
 */
export function boundReports(tx: SqlWriter, endedAt: number): void {
  for (const time of TIMES_OF_REPORTS) bound(tx, time, endedAt - 1)
}

/** Bounds the other times, after the clock was set back or the server has started. */
export function boundTimes(tx: SqlWriter): void {
  for (const time of TIMES_OF_SERVER) bound(tx, time, tx.now)
  const minute = Math.floor(tx.now / MINUTE_MS)
  tx.run(addUse(tx.dialect), { minute })
  tx.run('DELETE FROM recent_use WHERE minute > $minute', { minute })
}

function bound(tx: SqlWriter, { table, column, unit, aheadMs = 0, where }: BoundedTime, to: number): void {
  const inUnit = (ms: number) => ({ text: toTimestamp(ms), ms, s: Math.floor(ms / 1_000) })[unit]
  const condition = where ?? `${quoted(column)} > $latest`
  const given = { latest: inUnit(tx.now + aheadMs), now: tx.now, at: tx.at }
  const used = Object.entries(given).filter(([name]) => new RegExp(`\\$${name}\\b`).test(condition))
  tx.run(`UPDATE ${table} SET ${quoted(column)} = $bound WHERE ${condition}`, {
    ...Object.fromEntries(used),
    bound: inUnit(to),
  })
}

/** Use of another month is in the sums of that month. */
const addUse = ofDialect(
  ({ monthOf, rounded }) => `INSERT INTO recent_use (minute, "user", ms)
   SELECT ${rounded('$minute')}, "user", sum(ms) FROM recent_use
   WHERE minute > $minute AND ${monthOf('minute * 60')} = ${monthOf(`${rounded('$minute')} * 60`)} GROUP BY 2
   ON CONFLICT (minute, "user") DO UPDATE SET ms = recent_use.ms + excluded.ms`,
)
