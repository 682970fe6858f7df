import type { Migration } from '../migrate.ts'

const MS = 'CAST(round(job.duration * 1000) AS INTEGER)'

/**
 * Each job that has run has its charge in the ledger, in the transaction that ends it; what is newer than the
 * watermark of before follows here. The sums derive from the ledger: the start after this adds the charges
 * behind the new watermark, its position there. Bytes are counted immediately.
 */
export const chargesInLedger: Migration = {
  id: 15,
  name: 'charges-in-ledger',
  statements: [
    { table: 'qpu_ledger', column: `"qpu" TEXT NOT NULL DEFAULT ''` },
    { table: 'qpu_ledger', column: '"used_ms" INTEGER NOT NULL DEFAULT 0' },
    { table: 'sums_watermark', column: '"position" INTEGER NOT NULL DEFAULT 0' },
    'UPDATE sums_watermark SET position = coalesce((SELECT max(rowid) FROM qpu_ledger), 0)',
    `INSERT INTO qpu_ledger (id, "user", kind, source_id, delta_ms, at, qpu, used_ms)
     SELECT job.id, job.user_id, 'charge', job.id, CASE WHEN owner.unlimited = 0 THEN 0 - ${MS} ELSE 0 END,
       job.finished_at, job.qpu, ${MS}
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
     WHERE job.status = 'completed' AND job.claimed_at <> '' AND job.finished_at > (SELECT at FROM sums_watermark)
     ORDER BY job.finished_at, job.id`,
    'DELETE FROM user_bytes',
    `INSERT INTO user_bytes ("user", bytes)
     SELECT user_id, sum(bytes) FROM (
       SELECT user_id, 1024 + coalesce(octet_length(payload), 0) + coalesce(octet_length(results), 0) AS bytes
       FROM quantum_jobs WHERE user_id <> ''
       UNION ALL
       SELECT user_id, octet_length(body) FROM quantum_jobs_large
       JOIN quantum_jobs ON quantum_jobs.id = record WHERE user_id <> '') stored
     GROUP BY user_id`,
    ...['seq', 'at', 'written'].map((dropped) => ({ table: 'sums_watermark', dropped })),
  ],
}
