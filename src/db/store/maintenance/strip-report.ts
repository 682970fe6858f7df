import { toTimestamp } from '../../../base/index.ts'
import { calibrationResults } from '../../collections/calibration_results.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Statement } from '../../engine/sql.ts'
import type { Database } from '../../records/database.ts'
import { splitLarge, valueSql } from '../../schema/large-values.ts'
import { ENDED } from './retention.ts'

/**
 * Removes the traces of one report that ended before `before` (ms since the epoch): `fit` of its routine
 * results, `raw_data` of its benchmarks. Returns the number of reports, 0 = none is left. The report, which
 * may have 32 MB, is rewritten in another thread, which is started only if there is one.
 */
export async function stripCalibrationResult(
  db: Pick<Database, 'read' | 'readApart' | 'write' | 'dialect'>,
  before: number,
): Promise<number> {
  const { sql, params } = oldReport(before)
  const old = await db.read((tx) => tx.one<{ id: string }>(sql, params))
  if (!old) return 0
  const { id } = old
  const [stripped] = await db.readApart<StrippedReport>(strippedReport(db.dialect, id))
  // It was deleted since; another one may be left.
  if (!stripped) return 1
  const { read_at, routines, benchmarks } = stripped
  await db.write('strip report', (tx) => {
    const { row, saveLarge } = splitLarge(calibrationResults, { routines, benchmarks })
    const changed = tx.run(
      `UPDATE calibration_results SET routines = $routines, benchmarks = $benchmarks, traces_stripped = 1,
         updated = $at
       WHERE id = $id AND updated = $read_at AND traces_stripped = 0`,
      { ...row, id, read_at, at: tx.at },
    )
    // A report that has changed since is read again.
    if (changed > 0) saveLarge(tx, id)
  })
  return 1
}

interface StrippedReport {
  read_at: string
  routines: string | null
  benchmarks: string | null
}

/** The statement that finds an old report with its traces. */
export function oldReport(before: number): Statement {
  return {
    sql: `SELECT id FROM calibration_results WHERE traces_stripped = 0 AND ${ENDED} LIMIT 1`,
    params: { before: toTimestamp(before) },
  }
}

/** The statement that reads a report without its traces; numbers stay as they were written. */
function strippedReport(dialect: Dialect, id: string): Statement {
  return {
    sql: `SELECT updated AS read_at, ${without(dialect, 'routines', 'fit')} AS routines,
        ${without(dialect, 'benchmarks', 'raw_data')} AS benchmarks
      FROM calibration_results WHERE id = $id`,
    params: { id },
  }
}

/** The JSON list in the field `name` with `key` removed from each of its objects. */
function without(dialect: Dialect, name: string, key: string): string {
  return dialect.jsonWithoutKey(valueSql(calibrationResults, name, 'calibration_results'), key)
}
