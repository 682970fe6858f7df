import type { ReadTx, Tx } from '../../records/tx.ts'
import { listValuesAt } from './values-at.ts'

/** The median of a parameter over the newest values of all qubits or edges of a QPU. */
export interface Median {
  value: number
  unit: string
  /** Number of values. */
  count: number
  /** Time of the newest of them, UTC text. */
  at: string
}

/** The median of a parameter of a QPU; undefined when it has no value. */
export function readMedian(tx: ReadTx, qpu: string, parameter: string): Median | undefined {
  return medianOf(
    tx.all<Measured>(
      'SELECT value, unit, at FROM calibration_latest WHERE qpu = $qpu AND parameter = $parameter',
      { qpu, parameter },
    ),
  )
}

interface Measured {
  value: number
  unit: string
  at: string
}

function medianOf(values: readonly Measured[]): Median | undefined {
  const rows = values.toSorted((one, other) => one.value - other.value)
  const [low, high] = [rows[Math.ceil(rows.length / 2) - 1], rows[Math.floor(rows.length / 2)]]
  if (!low || !high) return undefined
  const at = rows.reduce((newest, row) => (row.at > newest ? row.at : newest), '')
  return { value: (low.value + high.value) / 2, unit: low.unit, count: rows.length, at }
}

/** A parameter of a report, and when later reports have replaced all of its values; '' = not yet. */
interface ParameterSpan {
  parameter: string
  until: string
}

/** Parameters whose medians are kept of one report; device files have about 60. */
const MAX_PARAMETERS = 200

/** Until when the values of a stored report, or its bounds, matter. */
export function listSpans(
  tx: ReadTx,
  { id, qpu, at }: { id: string; qpu: string; at: string },
): ParameterSpan[] {
  const later = (table: string) =>
    `SELECT at FROM ${table} WHERE qpu = $qpu AND element = own.element AND parameter = own.parameter AND at > $at`
  return tx.all<ParameterSpan>(
    `WITH own AS MATERIALIZED (
       SELECT element, parameter FROM calibration_values WHERE report = $id
       UNION SELECT element, parameter FROM calibration_bounds WHERE report = $id)
     SELECT parameter, CASE WHEN count(next) = count(*) THEN max(next) ELSE '' END AS until
     FROM (SELECT parameter, (SELECT min(at) FROM (${later('calibration_values')}
             UNION ALL ${later('calibration_bounds')}) later) AS next FROM own) spans
     GROUP BY parameter ORDER BY parameter LIMIT ${MAX_PARAMETERS}`,
    { id, qpu, at },
  )
}

/**
 * Stores the medians of a parameter after each report from `at` on whose values `span` concerns, for their
 * course over time: one report, unless it arrived late or was deleted.
 */
export function storeMedians(
  tx: Tx,
  { qpu, at }: { qpu: string; at: string },
  { parameter, until }: ParameterSpan,
): void {
  const inSpan = `at >= $at${until === '' ? '' : ' AND at < $until'}`
  const of = { qpu, parameter }
  const reports = tx.all<{ report: string; at: string }>(
    `WITH pair AS MATERIALIZED (
       SELECT element FROM calibration_latest WHERE qpu = $qpu AND parameter = $parameter
       UNION SELECT element FROM calibration_bounds WHERE qpu = $qpu AND parameter = $parameter)
     SELECT value.report, value.at FROM pair JOIN calibration_values value
       ON value.qpu = $qpu AND value.element = pair.element AND value.parameter = $parameter AND value.${inSpan.replace(' AND at', ' AND value.at')}
     UNION SELECT report, at FROM calibration_bounds
       WHERE qpu = $qpu AND parameter = $parameter AND report <> '' AND ${inSpan}`,
    { ...of, at, ...(until !== '' && { until }) },
  )
  for (const each of reports) {
    const key = { ...of, ...each }
    const median = medianOf(listValuesAt(tx, { ...of, at: each.at, limit: MAX_ELEMENTS }))
    tx.run(
      'DELETE FROM calibration_medians WHERE qpu = $qpu AND at = $at AND report = $report AND parameter = $parameter',
      key,
    )
    if (!median) continue
    const { value, unit, count } = median
    tx.run(
      `INSERT INTO calibration_medians (qpu, at, report, parameter, value, unit, count)
       VALUES ($qpu, $at, $report, $parameter, $value, $unit, $count)`,
      { ...key, value, unit, count },
    )
  }
}

/** More than any chip has qubits and edges. */
const MAX_ELEMENTS = 100_000

/** A median after one report. */
export interface StoredMedian {
  parameter: string
  /** End of the calibration, UTC text. */
  at: string
  value: number
  unit: string
  /** Number of qubits or edges. */
  count: number
}

/** The newest `limit` medians of a QPU in a range (UTC text, `to` excluded), in order of time. */
export function listMedians(
  tx: ReadTx,
  query: { qpu: string; from: string; to: string; limit: number },
): StoredMedian[] {
  return tx
    .all<StoredMedian>(
      `SELECT parameter, at, value, unit, count FROM calibration_medians
       WHERE qpu = $qpu AND at >= $from AND at < $to ORDER BY at DESC, report DESC, parameter LIMIT $limit`,
      { ...query },
    )
    .toReversed()
}
