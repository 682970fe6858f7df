import { DAY_MS, MIB, toTimestamp } from '../../../base/index.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import { indexName } from '../../schema/tables.ts'
import { provenanceOf, removeUnusedProvenance } from '../jobs/provenance.ts'
import type { PruneStep } from './retention.ts'

/**
 * Maximum bytes of values removed by one step, unless a single value has more: SQLite visits each page of a
 * value that it removes.
 */
const MAX_BYTES = 4 * MIB

const LARGE_BYTES = 'SELECT coalesce(sum(octet_length(body)), 0) FROM quantum_jobs_large WHERE record = id'

/** Age at which the program of a cancelled job is removed, in ms. */
export const CANCELLED_PAYLOAD_MS = DAY_MS

/**
 * Removes jobs that have ended, oldest submission first, with their values, attempts and timelines. Charges
 * remain in the ledger, so that balances and totals do not change.
 */
export const pruneJobs: PruneStep = (tx, before, limit) => {
  const jobs = idsIn(
    tx,
    `SELECT id, (${LARGE_BYTES}) + coalesce(octet_length(payload), 0) + coalesce(octet_length(results), 0) AS bytes
     FROM ${tx.dialect.byIndex('quantum_jobs', indexName('quantum_jobs', ['created']))}
     WHERE created < $before AND finished_at <> '' AND finished_at < $before
       AND status IN ('completed', 'failed', 'cancelled')
     ORDER BY created LIMIT $limit`,
    { before: toTimestamp(before), limit },
  )
  if (jobs === undefined) return 0
  const provenance = provenanceOf(tx, jobs)
  tx.run(`DELETE FROM job_attempts WHERE job IN ${tx.dialect.jsonTexts('$jobs')}`, { jobs })
  const removed = tx.run(`DELETE FROM quantum_jobs WHERE id IN ${tx.dialect.jsonTexts('$jobs')}`, { jobs })
  removeUnusedProvenance(tx, provenance)
  return removed
}

/** A large value of a job. */
interface LargeValue {
  record: string
  field: string
  /** Size of a program that is to be removed, otherwise null. */
  bytes: number | null
}

const BEGINNING = { record: '', field: '' }

/**
 * A step that removes the programs of cancelled jobs, which nobody will run; the jobs remain. It goes through
 * all large values, a part at each step, then through the programs in the rows of jobs, which have an index.
 * After it has returned 0, it begins again.
 */
export function createCancelledPayloadStep(): PruneStep {
  let place: typeof BEGINNING | undefined = BEGINNING
  return (tx, before, limit) => {
    const at = toTimestamp(before)
    if (place) {
      const values = leadingRows(tx.all<LargeValue>(LARGE_VALUES, { ...place, at, limit }))
      removeLargePayloads(tx, values)
      const last = values.at(-1)
      place = last && { record: last.record, field: last.field }
      if (last) return values.length
    }
    const rows = removeSmallPayloads(tx, at, limit)
    if (rows === 0) place = BEGINNING
    return rows
  }
}

const LARGE_VALUES = `
  SELECT record, field,
    CASE WHEN field = 'payload' AND EXISTS
        (SELECT 1 FROM quantum_jobs WHERE id = record AND status = 'cancelled' AND finished_at < $at)
      THEN (SELECT octet_length(body) FROM quantum_jobs_large WHERE record = part.record AND field = 'payload')
    END AS bytes
  FROM (SELECT record, field FROM quantum_jobs_large WHERE (record, field) > ($record, $field)
    ORDER BY record, field LIMIT $limit) AS part`

function removeLargePayloads(tx: SqlWriter, values: LargeValue[]): void {
  const due = values.filter(({ bytes }) => bytes !== null)
  if (due.length === 0) return
  tx.run(
    `DELETE FROM quantum_jobs_large WHERE field = 'payload' AND record IN ${tx.dialect.jsonTexts('$jobs')}`,
    {
      jobs: JSON.stringify(due.map(({ record }) => record)),
    },
  )
}

function removeSmallPayloads(tx: SqlWriter, at: string, limit: number): number {
  const jobs = idsIn(
    tx,
    `SELECT id, octet_length(payload) AS bytes FROM ${tx.dialect.byIndex('quantum_jobs', indexName('quantum_jobs', ['finished_at']))}
     WHERE status = 'cancelled' AND payload IS NOT NULL AND finished_at < $at
     ORDER BY finished_at LIMIT $limit`,
    { at, limit },
  )
  if (jobs === undefined) return 0
  return tx.run(
    `UPDATE quantum_jobs SET payload = NULL, updated = $now WHERE id IN ${tx.dialect.jsonTexts('$jobs')}`,
    {
      jobs,
      now: tx.at,
    },
  )
}

/** The ids of the leading rows of a statement as a JSON list; undefined when there are no rows. */
function idsIn(tx: SqlWriter, sql: string, params: Record<string, string | number>): string | undefined {
  const rows = leadingRows(tx.all<{ id: string; bytes: number }>(sql, params))
  return rows.length === 0 ? undefined : JSON.stringify(rows.map(({ id }) => id))
}

/** The leading rows that have at most `MAX_BYTES` together, or with the first value that alone has more. */
function leadingRows<T extends { bytes: number | null }>(rows: T[]): T[] {
  let sum = 0
  const end = rows.findIndex(({ bytes }) => {
    const isFirst = sum === 0
    sum += bytes ?? 0
    return !isFirst && sum > MAX_BYTES
  })
  return end < 0 ? rows : rows.slice(0, end)
}
