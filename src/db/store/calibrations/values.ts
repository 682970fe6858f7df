import { calibrationResults } from '../../collections/calibration_results.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { allOf, mapped, type Query, type Statement } from '../../engine/query.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { valueSql } from '../../schema/large-values.ts'
import type { Fidelity } from '../qpus/complete-description.ts'
import { recordFidelities, withdrawFidelities } from '../qpus/descriptions.ts'
import { calibrationChanged } from '../qpus/recalled-calibration.ts'
import { forgetUnfit } from '../qpus/unfit-jobs.ts'
import { listSpans, type Median, readMedian, storeMedians } from './medians.ts'
import { type MeasuredValue, type StoredValue, VALUE } from './values-at.ts'

/** A report whose values are not stored yet. */
export interface UnreadReport {
  id: string
  qpu: string
  /** End of the calibration, UTC text. */
  at: string
  values: ReportedValue[]
}

/** A value of a report; null for an error that is only known to be below a bound, which `error` then has. */
type ReportedValue = Omit<MeasuredValue, 'value'> & { value: number | null }

/** What follows the protocol in the parameter of a benchmark. */
const FIDELITY = '.fidelity'

const SAME = 'qpu = $qpu AND element = $element AND parameter = $parameter'
const COLUMNS = 'qpu, element, parameter, at, report, value, error, unit, routine'
const VALUES = '$qpu, $element, $parameter, $at, $report, $value, $error, $unit, $routine'

/** Maximum number of values of one report; a chip of 1,000 qubits has about 100 for each. */
const MAX_VALUES = 100_000

/**
 * Reads the values of the oldest report whose values are not stored; undefined without one. The
 * report, which may have 8 MB, is parsed in another thread.
 */
export async function readUnreadReport(
  db: Pick<Database, 'read' | 'readApart' | 'dialect'>,
): Promise<UnreadReport | undefined> {
  const report = await db.read((tx) =>
    tx.one<{ id: string; qpu: string; at: string }>(
      `SELECT id, qpu, finished_at AS at FROM calibration_results WHERE values_stored_at = '' ORDER BY seq LIMIT 1`,
    ),
  )
  if (!report) return undefined
  return { ...report, values: await db.readApart<ReportedValue>(valuesOf(db, report.id)) }
}

/** The statement that reads the numbers of a report: of routines that succeeded, and of benchmarks. */
export function valuesOf({ dialect }: { readonly dialect: Dialect }, report: string): Statement {
  const { jsonItems, jsonKey, jsonMembers, jsonNumber, jsonOf, jsonType } = dialect
  const list = (name: string) => jsonOf(valueSql(calibrationResults, name, 'report'))
  const isNumber = (object: string, key: string) => `${jsonType(object, key)} IN ('integer', 'real')`
  const isText = (key: string) => `${jsonType('item.value', key)} = 'text'`
  // What was measured again at another operating point is not the value anymore.
  const isCurrent = `${jsonType('item.value', 'superseded')} IS NULL`
  const number = (object: string, key: string) =>
    `CASE WHEN ${isNumber(object, key)} THEN ${jsonNumber(object, key)} END`
  return {
    sql: `SELECT ${jsonKey('item.value', 'target')} AS element, parameter.key AS parameter,
        ${jsonNumber('parameter.value', 'value')} AS value, ${number('parameter.value', 'error')} AS error,
        coalesce(${jsonKey('parameter.value', 'unit')}, '') AS unit, ${jsonKey('item.value', 'routine')} AS routine
      FROM calibration_results report
        CROSS JOIN ${jsonItems(list('routines'))} item CROSS JOIN ${jsonMembers('item.value', 'parameters')} parameter
      WHERE report.id = $report AND item.type = 'object' AND ${jsonKey('item.value', 'status')} = 'success'
        AND ${isText('target')} AND ${isText('routine')} AND parameter.type = 'object' AND ${isNumber('parameter.value', 'value')}
        AND ${isCurrent}
      UNION ALL
      SELECT ${jsonKey('item.value', 'target')}, ${jsonKey('item.value', 'protocol')} || '${FIDELITY}',
        ${jsonNumber('item.value', 'fidelity')}, ${number('item.value', 'fidelity_error')}, '',
        ${jsonKey('item.value', 'protocol')}
      FROM calibration_results report CROSS JOIN ${jsonItems(list('benchmarks'))} item
      WHERE report.id = $report AND item.type = 'object' AND ${isText('target')} AND ${isText('protocol')}
        AND ${isNumber('item.value', 'fidelity')} AND ${isCurrent}
      UNION ALL
      SELECT ${jsonKey('item.value', 'target')}, ${jsonKey('item.value', 'protocol')} || '${FIDELITY}', NULL,
        CAST(bound.value AS DOUBLE PRECISION), '', ${jsonKey('item.value', 'protocol')}
      FROM calibration_results report CROSS JOIN ${jsonItems(list('benchmarks'))} item
        CROSS JOIN ${jsonMembers('item.value', 'upper_bound')} bound
      WHERE bound.key = 'error' AND report.id = $report AND item.type = 'object' AND ${isText('target')} AND ${isText('protocol')}
        AND ${jsonType('item.value', 'upper_bound')} = 'object' AND ${isCurrent}
      LIMIT ${MAX_VALUES}`,
    params: { report },
  }
}

/**
 * Stores some values of a report, also those that are stored already; false when it was deleted meanwhile. A
 * value that is below a bound ends the newest value up to then, in whatever order the reports arrive.
 */
export function storeValues(
  tx: Tx,
  { id, qpu, at }: Omit<UnreadReport, 'values'>,
  values: readonly ReportedValue[],
): boolean {
  if (!tx.one('SELECT 1 FROM calibration_results WHERE id = $id', { id })) return false
  for (const value of values) {
    if (value.value === null) {
      // The last value that was measured is not the newest: that is below a bound, which is no value.
      const { element, parameter } = value
      const bound = { qpu, element, parameter, at }
      tx.run(
        `INSERT INTO calibration_bounds (qpu, element, parameter, at, report, error)
         VALUES ($qpu, $element, $parameter, $at, $id, $error) ON CONFLICT DO NOTHING`,
        { ...bound, id, error: value.error },
      )
      tx.run(`DELETE FROM calibration_latest WHERE ${SAME} AND at <= $at`, bound)
      continue
    }
    const row = { report: id, qpu, at, ...value }
    tx.run(`INSERT INTO calibration_values (${COLUMNS}) VALUES (${VALUES}) ON CONFLICT DO NOTHING`, row)
    tx.run(
      `INSERT INTO calibration_latest (${COLUMNS}) SELECT ${VALUES}
       WHERE NOT EXISTS (SELECT 1 FROM calibration_bounds WHERE ${SAME} AND at >= $at)
       ON CONFLICT (qpu, element, parameter) DO UPDATE SET at = $at, report = $report,
         value = $value, error = $error, unit = $unit, routine = $routine
         WHERE (excluded.at, excluded.report) >= (calibration_latest.at, calibration_latest.report)`,
      row,
    )
  }
  return true
}

/**
 * Records that all values of a report are stored. It becomes the newest calibration of its QPU if none is
 * newer; `medians`, those of the newest values, replace those of its parameters, of which one without a
 * median has no value any more.
 */
export function finishValues(
  tx: Tx,
  { id, qpu, at, values }: UnreadReport,
  medians: Readonly<Record<string, Median>>,
): void {
  // What the report says of a chip may let a job with a condition run.
  forgetUnfit(tx, qpu)
  const changed = tx.run('UPDATE calibration_results SET values_stored_at = $at WHERE id = $id', {
    id,
    at: tx.at,
  })
  // It was deleted meanwhile, and with it what was stored.
  if (changed === 0 || values.length === 0) return
  const before = readQpuCalibrations(tx, [qpu]).get(qpu)
  recordFidelities(tx, qpu, { at, fidelities: fidelitiesOf(values) })
  const isNewest = !before || before.at < at || (before.at === at && before.report <= id)
  const none = Object.fromEntries(values.map(({ parameter }) => [parameter, undefined]))
  const newest = isNewest ? { report: id, at } : before
  storeNewest(tx, qpu, { ...newest, medians: { ...before?.medians, ...none, ...medians } })
}

function storeNewest(
  tx: Tx,
  qpu: string,
  { report, at, medians }: Pick<QpuCalibration, 'report' | 'at'> & { medians: object },
): void {
  tx.run(
    `INSERT INTO qpu_calibrations (qpu, report, at, medians) VALUES ($qpu, $report, $at, $all)
     ON CONFLICT (qpu) DO UPDATE SET report = $report, at = $at, medians = $all`,
    { qpu, report, at, all: JSON.stringify(medians) },
  )
}

/**
 * Runs before a report is deleted as wrong: its values and bounds are not in force any more, and what they
 * replaced is again, as if it had never been reported. Retention keeps the newest values instead, see
 * `pruneCalibrationResults`.
 */
export function withdrawReport(
  tx: Tx,
  { id, qpu, finished_at: at }: { id: string; qpu: string; finished_at: string },
): void {
  const report = { id, qpu, at }
  const spans = listSpans(tx, report)
  const elements = tx
    .all<{ element: string }>(`SELECT DISTINCT element FROM (${OWN}) own`, { id })
    .map(({ element }) => element)
  tx.run('DELETE FROM calibration_latest WHERE qpu = $qpu AND report = $id', { id, qpu })
  tx.run(RESTORE, { id, qpu })
  for (const table of ['calibration_values', 'calibration_bounds', 'calibration_medians'])
    tx.run(`DELETE FROM ${table} WHERE report = $id`, { id })
  for (const span of spans) storeMedians(tx, report, span)
  const before = readQpuCalibrations(tx, [qpu]).get(qpu)
  const newest = before?.report === id ? findNewest(tx, report) : before
  if (newest) {
    const changed = spans.map(({ parameter }) => [parameter, readMedian(tx, qpu, parameter)])
    const medians = { ...before?.medians, ...Object.fromEntries(changed) }
    storeNewest(tx, qpu, { report: newest.report, at: newest.at, medians })
  } else tx.run('DELETE FROM qpu_calibrations WHERE qpu = $qpu', { qpu })
  withdrawFidelities(tx, qpu, { at, before: newestFidelities(tx, qpu, elements) })
  forgetUnfit(tx, qpu)
  calibrationChanged(tx, qpu)
}

/** What a report found. */
const OWN = `SELECT element, parameter FROM calibration_values WHERE report = $id
  UNION SELECT element, parameter FROM calibration_bounds WHERE report = $id`

/** The values that those of a report replaced, or that it found below a bound, are the newest again. */
const RESTORE = `WITH own AS (${OWN})
  INSERT INTO calibration_latest (${COLUMNS})
  SELECT ${COLUMNS.split(', ')
    .map((name) => `value.${name}`)
    .join(', ')}
  FROM own JOIN calibration_values value
    ON value.qpu = $qpu AND value.element = own.element AND value.parameter = own.parameter AND value.report <> $id
  WHERE NOT EXISTS (SELECT 1 FROM calibration_values newer WHERE newer.qpu = $qpu AND newer.element = own.element
      AND newer.parameter = own.parameter AND newer.report <> $id AND (newer.at, newer.report) > (value.at, value.report))
    AND NOT EXISTS (SELECT 1 FROM calibration_bounds bound WHERE bound.qpu = $qpu AND bound.element = own.element
      AND bound.parameter = own.parameter AND bound.report <> $id AND bound.at >= value.at)
  ON CONFLICT (qpu, element, parameter) DO NOTHING`

/** The newest other report that found something, also one that retention has removed. */
function findNewest(
  tx: ReadTx,
  { id, qpu }: { id: string; qpu: string },
): Pick<QpuCalibration, 'report' | 'at'> | undefined {
  const has = (table: string) => `EXISTS (SELECT 1 FROM ${table} found WHERE found.report = result.id)`
  return tx.one(
    `SELECT report, at FROM (
       SELECT id AS report, finished_at AS at FROM calibration_results result
       WHERE qpu = $qpu AND id <> $id AND values_stored_at <> ''
         AND (${has('calibration_values')} OR ${has('calibration_bounds')})
       UNION ALL SELECT report, at FROM calibration_latest WHERE qpu = $qpu) known
     ORDER BY at DESC, report DESC LIMIT 1`,
    { id, qpu },
  )
}

/** What the newest values and bounds of the targets of a deleted report say, by their time. */
function newestFidelities(
  tx: ReadTx,
  qpu: string,
  elements: readonly string[],
): { at: string; fidelities: Fidelity[] }[] {
  const { jsonTexts, like } = tx.dialect
  const of = `qpu = $qpu AND ${like('parameter', `'%${FIDELITY}'`)} AND element IN ${jsonTexts('$elements')}`
  const rows = tx.all<ReportedValue & { at: string }>(
    `SELECT element, parameter, value, error, routine, at FROM calibration_latest WHERE ${of}
     UNION ALL SELECT element, parameter, NULL, error, substr(parameter, 1, length(parameter) - ${FIDELITY.length}), at
     FROM calibration_bounds bound WHERE ${of} AND NOT EXISTS (
       SELECT 1 FROM calibration_latest later WHERE later.qpu = $qpu AND later.element = bound.element
         AND later.parameter = bound.parameter AND later.at > bound.at)
     ORDER BY at, parameter`,
    { qpu, elements: JSON.stringify(elements) },
  )
  const byTime = Map.groupBy(rows, ({ at }) => at)
  return [...byTime].map(([at, values]) => ({ at, fidelities: fidelitiesOf(values) }))
}

/** What the benchmarks among the values say about the gates, at least. */
function fidelitiesOf(values: readonly ReportedValue[]): Fidelity[] {
  return values.flatMap(({ parameter, routine, element, value, error }) => {
    const fidelity = value ?? (error === null ? undefined : 1 - error)
    return fidelity !== undefined && parameter === `${routine}${FIDELITY}`
      ? [{ protocol: routine, target: element, fidelity }]
      : []
  })
}

/** The newest calibration of a QPU. */
export interface QpuCalibration {
  /** Id of its report. */
  report: string
  /** UTC text. */
  at: string
  medians: Record<string, Median>
}

/** The newest calibrations, by id of the QPU. */
export function readQpuCalibrations(tx: ReadTx, qpus: readonly string[]): Map<string, QpuCalibration> {
  const rows = tx.all<{ qpu: string; report: string; at: string; medians: string }>(
    `SELECT qpu, report, at, medians FROM qpu_calibrations WHERE qpu IN ${tx.dialect.jsonTexts('$qpus')}`,
    { qpus: JSON.stringify(qpus) },
  )
  return new Map(rows.map(({ qpu, medians, ...row }) => [qpu, { ...row, medians: JSON.parse(medians) }]))
}

/** The newest value of every parameter of a QPU, by element and parameter, at most `limit`. */
export function listLatestValues(tx: ReadTx, qpu: string, limit: number): StoredValue[] {
  return tx.all<StoredValue>(
    `SELECT ${VALUE} FROM calibration_latest WHERE qpu = $qpu ORDER BY element, parameter LIMIT $limit`,
    { qpu, limit },
  )
}

/** The newest measured fidelity of the readout of the qubits of a QPU, by name. */
export function readoutFidelities(qpu: string): Query<ReadonlyMap<string, number>> {
  const rows = allOf<{ element: string; value: number }>(
    ({ like }) => `SELECT element, value FROM calibration_latest
     WHERE qpu = $qpu AND ${like('parameter', `'%readout%${FIDELITY}'`)} ORDER BY parameter, element`,
    { qpu },
  )
  return mapped(rows, (found) => new Map(found.map(({ element, value }) => [element, value])))
}

/** Which history is read; times are UTC text, `to` excluded. */
export interface HistoryQuery {
  qpu: string
  element: string
  parameter: string
  from: string
  to: string
  limit: number
}

/** The newest `limit` values of a parameter in a range, in order of time. */
export function listValueHistory(tx: ReadTx, query: HistoryQuery): StoredValue[] {
  return tx
    .all<StoredValue>(
      `SELECT ${VALUE} FROM calibration_values
       WHERE qpu = $qpu AND element = $element AND parameter = $parameter AND at >= $from AND at < $to
       ORDER BY at DESC, report DESC LIMIT $limit`,
      { ...query },
    )
    .reverse()
}
