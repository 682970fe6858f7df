import type { ReadTx } from '../../records/tx.ts'

/** A value that a calibration found. */
export interface MeasuredValue {
  /** Qubit or edge, as in the device file. */
  element: string
  /** A path in the device file such as `clock_freqs.f01`; for a benchmark its protocol and `.fidelity`. */
  parameter: string
  value: number
  /** Standard error; null = not known. */
  error: number | null
  unit: string
  /** Routine or protocol. */
  routine: string
}

/** A stored value. */
export type StoredValue = MeasuredValue & { at: string; report: string }

export const VALUE = 'element, parameter, at, report, value, error, unit, routine'

/** Which values; `at`: UTC text; `parameter`: only those of one. */
interface ValuesQuery {
  qpu: string
  at: string
  limit: number
  parameter?: string
}

/**
 * The values that were the newest at a time, whatever has ended them since. The value in force was the newest
 * since its own time, also when the history before is removed.
 */
export function listValuesAt(tx: ReadTx, { parameter, ...query }: ValuesQuery): StoredValue[] {
  const of = `qpu = $qpu${parameter === undefined ? '' : ' AND parameter = $parameter'}`
  const same = (table: string, other: string) =>
    `${table}.qpu = $qpu AND ${table}.element = ${other}.element AND ${table}.parameter = ${other}.parameter`
  const columns = VALUE.split(', ').map((name) => `value.${name}`)
  return tx.all<StoredValue>(
    `WITH pair AS MATERIALIZED (
       SELECT element, parameter FROM calibration_latest WHERE ${of} AND at > $at
       UNION SELECT element, parameter FROM calibration_bounds bound WHERE ${of}
         AND NOT EXISTS (SELECT 1 FROM calibration_latest latest WHERE ${same('latest', 'bound')} AND latest.at <= $at))
     SELECT ${VALUE} FROM calibration_latest WHERE ${of} AND at <= $at
     UNION ALL
     SELECT ${columns.join(', ')} FROM pair JOIN calibration_values value ON ${same('value', 'pair')}
       AND (value.at, value.report) = (
         SELECT found.at, found.report FROM calibration_values found
         WHERE ${same('found', 'pair')} AND found.at <= $at ORDER BY found.at DESC, found.report DESC LIMIT 1)
     WHERE NOT EXISTS (SELECT 1 FROM calibration_bounds bound
       WHERE ${same('bound', 'value')} AND bound.at >= value.at AND bound.at <= $at)
     ORDER BY element, parameter LIMIT $limit`,
    { ...query, ...(parameter !== undefined && { parameter }) },
  )
}
