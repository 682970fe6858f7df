import { COMPLETED_HERE } from '../../collections/quantum_jobs.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Statement } from '../../engine/sql.ts'

/** The completed jobs of one QPU that ended on one day. */
export interface DayOfQpu {
  qpu: string
  /** UTC: `2026-11-28`. */
  day: string
  jobs: number
  /** Execution time in s. */
  seconds: number
}

/**
 * Selects the days of these QPUs (ids) from `from` (UTC text) on; a day without jobs has no row. Reads each
 * job of this time by its QPU and end.
 */
export function utilizationStatement(
  { dialect }: { readonly dialect: Dialect },
  { qpus, from }: { qpus: readonly string[]; from: string },
): Statement {
  const sql = `SELECT qpu, substr(finished_at, 1, 10) AS day, count(*) AS jobs, sum(duration) AS seconds
    FROM quantum_jobs WHERE ${COMPLETED_HERE} AND qpu IN ${dialect.jsonTexts('$qpus')} AND finished_at >= $from
    GROUP BY 1, 2`
  return { sql, params: { from, qpus: JSON.stringify(qpus) } }
}
