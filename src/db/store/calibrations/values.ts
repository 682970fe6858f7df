import { calibrationResults } from '../../collections/calibration_results.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Statement } from '../../engine/sql.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { valueSql } from '../../schema/large-values.ts'
import type { Fidelity } from '../qpus/complete-description.ts'
import { recordFidelities } from '../qpus/descriptions.ts'
import { forgetUnfit } from '../qpus/unfit-jobs.ts'
import { type Median, storeMedians } from './medians.ts'

/** A value that a calibration found. */
interface MeasuredValue {
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
 * Stores some values of a report, also those that are stored already. One that is below a bound ends the
 * newest value up to then, in whatever order the reports arrive.
 */
export function storeValues(
  tx: Tx,
  { id, qpu, at }: Omit<UnreadReport, 'values'>,
  values: readonly ReportedValue[],
): void {
  for (const value of values) {
    if (value.value === null) {
      // The last value that was measured is not the newest: that is below a bound, which is no value.
      const { element, parameter } = value
      const bound = { qpu, element, parameter, at }
      tx.run(
        `INSERT INTO calibration_bounds (qpu, element, parameter, at) VALUES ($qpu, $element, $parameter, $at)
         ON CONFLICT (qpu, element, parameter) DO UPDATE SET at = $at WHERE calibration_bounds.at < $at`,
        bound,
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
}

const SAME = 'qpu = $qpu AND element = $element AND parameter = $parameter'
const COLUMNS = 'qpu, element, parameter, at, report, value, error, unit, routine'
const VALUES = '$qpu, $element, $parameter, $at, $report, $value, $error, $unit, $routine'

/**
 * Records that all values of a report are stored. It becomes the newest calibration of its QPU if none is
 * newer; `medians` replace those of its parameters, of which one without a median has no value any more.
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
  if (changed === 0) {
    // The report was removed meanwhile, and its values with it, except for those stored after that.
    tx.run('DELETE FROM calibration_values WHERE report = $id', { id })
    return
  }
  if (values.length === 0) return
  const before = readQpuCalibrations(tx, [qpu]).get(qpu)
  recordFidelities(tx, qpu, { at, fidelities: fidelitiesOf(values) })
  const isNewest = !before || before.at < at || (before.at === at && before.report <= id)
  // The medians are those of the newest values, which a report that arrives late does not have.
  if (isNewest) storeMedians(tx, { id, qpu, at }, medians)
  const newest = isNewest ? { report: id, at } : before
  const none = Object.fromEntries(values.map(({ parameter }) => [parameter, undefined]))
  const all = JSON.stringify({ ...before?.medians, ...none, ...medians })
  tx.run(
    `INSERT INTO qpu_calibrations (qpu, report, at, medians) VALUES ($qpu, $report, $at, $all)
     ON CONFLICT (qpu) DO UPDATE SET report = $report, at = $at, medians = $all`,
    { qpu, report: newest.report, at: newest.at, all },
  )
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

/** A stored value. */
export type StoredValue = MeasuredValue & { at: string; report: string }

const VALUE = 'element, parameter, at, report, value, error, unit, routine'

/** The newest value of every parameter of a QPU, by element and parameter, at most `limit`. */
export function listLatestValues(tx: ReadTx, qpu: string, limit: number): StoredValue[] {
  return tx.all<StoredValue>(
    `SELECT ${VALUE} FROM calibration_latest WHERE qpu = $qpu ORDER BY element, parameter LIMIT $limit`,
    { qpu, limit },
  )
}

/** The newest measured fidelity of the readout of the qubits of a QPU, by name. */
export function readReadoutFidelities(tx: ReadTx, qpu: string): ReadonlyMap<string, number> {
  const rows = tx.all<{ element: string; value: number }>(
    `SELECT element, value FROM calibration_latest
     WHERE qpu = $qpu AND ${tx.dialect.like('parameter', `'%readout%${FIDELITY}'`)} ORDER BY parameter, element`,
    { qpu },
  )
  return new Map(rows.map(({ element, value }) => [element, value]))
}

/** The values that were the newest at a time, UTC text, of the parameters that have one now. */
export function listValuesAt(
  tx: ReadTx,
  { qpu, at, limit }: { qpu: string; at: string; limit: number },
): StoredValue[] {
  const isSame = 'found.qpu = $qpu AND found.element = latest.element AND found.parameter = latest.parameter'
  const columns = VALUE.split(', ').map((name) => `value.${name}`)
  return tx.all<StoredValue>(
    `SELECT ${columns.join(', ')} FROM calibration_latest latest JOIN calibration_values value
       ON value.qpu = $qpu AND value.element = latest.element AND value.parameter = latest.parameter
         AND (value.at, value.report) = (
           SELECT found.at, found.report FROM calibration_values found
           WHERE ${isSame} AND found.at <= $at ORDER BY found.at DESC, found.report DESC LIMIT 1)
     WHERE latest.qpu = $qpu ORDER BY latest.element, latest.parameter LIMIT $limit`,
    { qpu, at, limit },
  )
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
