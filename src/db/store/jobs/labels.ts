import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { type Ahead, quoted } from '../../engine/sql.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { JsonText } from '../../schema/json-text.ts'
import { largeTableOf } from '../../schema/large-values.ts'

/**
 * Names and metadata of a job's circuits: a JSON list with an entry per circuit. They are stored apart from
 * the payload, which devices and drivers of earlier versions would not understand with them, among the large
 * values of the job: they count for its owner and are removed with the job.
 */
const TABLE = quoted(largeTableOf(quantumJobs))
const KEY = `"record" = $job AND "field" = 'labels'`

/** Stores the labels of a new job, a JSON text. */
export function saveLabels(tx: Tx, job: string, labels: string): void {
  tx.post(`INSERT INTO ${TABLE} ("record", "field", "body") VALUES ($job, 'labels', $labels)`, {
    job,
    labels,
  })
}

/** The labels of a job; undefined if its circuits have none. */
export function readingLabels(tx: ReadTx, job: string): Ahead<JsonText | undefined> {
  const rows = tx.ahead<{ body: string }>(`SELECT "body" FROM ${TABLE} WHERE ${KEY}`, { job })
  return () => {
    const [row] = rows()
    return row && new JsonText(row.body)
  }
}
