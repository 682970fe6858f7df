import type { Migration } from '../migrate.ts'

/** The sums of the accounting are less what was refunded, in the month in which the job ran. */
export const refundedUsage: Migration = {
  id: 12,
  name: 'refunded usage',
  statements: [
    `UPDATE qpu_usage SET charged_ms = charged_ms - coalesce((
       SELECT sum(refund.delta_ms) FROM qpu_ledger refund
       JOIN quantum_jobs job ON job.id = substr(refund.source_id, 1, length(refund.source_id) - 7)
       WHERE refund.kind = 'refund' AND refund.user = qpu_usage.user AND job.qpu = qpu_usage.qpu
         AND substr(job.finished_at, 1, 7) = qpu_usage.month), 0)
     WHERE EXISTS (SELECT 1 FROM qpu_ledger WHERE kind = 'refund')`,
  ],
}
