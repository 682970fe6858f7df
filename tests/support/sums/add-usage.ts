import type { Tx } from '../../../src/db/index.ts'

/** Adds a job that has run to the usage of its user in the present month, without a job or a charge. */
export function addUsage(
  tx: Tx,
  usage: { user: string; qpu: string; usedMs: number; chargedMs: number },
): void {
  tx.run(
    `INSERT INTO qpu_usage ("user", month, qpu, jobs, used_ms, charged_ms)
     VALUES ($user, $month, $qpu, 1, $usedMs, $chargedMs)
     ON CONFLICT ("user", month, qpu) DO UPDATE SET jobs = qpu_usage.jobs + 1,
       used_ms = qpu_usage.used_ms + $usedMs, charged_ms = qpu_usage.charged_ms + $chargedMs`,
    { ...usage, month: tx.at.slice(0, 'YYYY-MM'.length) },
  )
}
