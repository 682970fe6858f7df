/**
 * Sums over the jobs that have run, and the sessions: `qpu_usage`, `recent_use` and `quote_scores`. They
 * derive from the charges in the ledger, of which each such job has one, and each minute of a session, and
 * `quote_scores` from the rows of the jobs, too. Before a commit, `write.ts` adds the charges behind the
 * watermark to all of them; whoever reads a sum adds these from here.
 */
import { quantumJobs } from '../collections/quantum_jobs.ts'
import { INSERTION_ORDER, ofDialect } from '../engine/dialect.ts'

/**
 * The source of the charges that are not in the sums, with columns of the ledger; in parentheses. Asked for
 * one QPU, SQLite shall not build an index over the whole ledger.
 */
export const newerCharges = ofDialect(
  ({
    joinByIndex,
    unindexed,
  }) => `(SELECT entry."user", entry.source_id, entry.delta_ms, entry.used_ms, entry.at,
    CASE entry.kind WHEN 'charge' THEN 1 ELSE 0 END AS jobs,
    ${unindexed('entry.qpu')} AS qpu
  FROM sums_watermark ${joinByIndex({
    table: 'qpu_ledger',
    alias: 'entry',
    condition: `entry.${INSERTION_ORDER} > sums_watermark.position AND ${unindexed('entry.kind')} IN ('charge', 'session')`,
    order: `entry.${INSERTION_ORDER}`,
  })})`,
)

/** Whether the estimates of a job were right, and how wide they were in ms. */
export const QUOTE_COLUMNS = [
  'run_quoted',
  'run_right',
  'run_width',
  'start_quoted',
  'start_right',
  'start_width',
] as const

/** An assumed range was measured on nothing, so that it says nothing about the others. */
const RUN_QUOTED = "job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed')"
/** The first claim of a job is known of one that was claimed once. */
const START_QUOTED =
  "job.status = 'completed' AND job.claimed_at <> '' AND job.attempt = 1 AND job.quote_start_from <> ''"

/**
 * The source of the scores that are not in the sums: columns `qpu`, `month`, `run_ms` and `QUOTE_COLUMNS`; in
 * parentheses.
 */
export const newerScores = ofDialect((dialect) => {
  const { joinByIndex, rounded, millisecondsBetween } = dialect
  const count = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
  const startWidth = rounded(millisecondsBetween('job.quote_start_from', 'job.quote_start_to'))
  const sql: Record<(typeof QUOTE_COLUMNS)[number], string> = {
    run_quoted: count(RUN_QUOTED),
    run_right: count(`${RUN_QUOTED} AND run.used_ms BETWEEN job.quote_run_from AND job.quote_run_to`),
    run_width: `CASE WHEN ${RUN_QUOTED} THEN job.quote_run_to - job.quote_run_from ELSE 0 END`,
    start_quoted: count(START_QUOTED),
    start_right: count(
      `${START_QUOTED} AND job.claimed_at BETWEEN job.quote_start_from AND job.quote_start_to`,
    ),
    start_width: `CASE WHEN ${START_QUOTED} THEN ${startWidth} ELSE 0 END`,
  }
  return `(SELECT run.qpu, substr(run.at, 1, 7) AS month, CASE WHEN ${RUN_QUOTED} THEN run.used_ms ELSE 0 END AS run_ms,
    ${QUOTE_COLUMNS.map((name) => `${sql[name]} AS ${name}`).join(', ')}
  FROM ${newerCharges(dialect)} run ${joinByIndex({
    table: quantumJobs.name,
    alias: 'job',
    condition: "job.id = run.source_id AND job.session = ''",
    order: 'job.id',
  })})`
})
