import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { quoted } from '../../engine/sql.ts'
import type { Tx } from '../../records/tx.ts'
import { largeTableOf } from '../../schema/large-values.ts'

/**
 * Names and metadata of a job's circuits: a JSON list with an entry per circuit. They are stored apart from
 * the payload, which devices and drivers of earlier versions would not understand with them, among the large
 * values of the job: they count for its owner and are removed with the job.
 */
const TABLE = quoted(largeTableOf(quantumJobs))

/** Stores the labels of a new job, a JSON text. */
export function saveLabels(tx: Tx, job: string, labels: string): void {
  tx.post(`INSERT INTO ${TABLE} ("record", "field", "body") VALUES ($job, 'labels', $labels)`, {
    job,
    labels,
  })
}

/** SQL for the labels of a job, whose id is SQL, too; NULL if its circuits have none. */
export function labelsSql(job: string): string {
  return `SELECT "body" FROM ${TABLE} WHERE "record" = ${job} AND "field" = 'labels'`
}
