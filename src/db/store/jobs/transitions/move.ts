import { qpus } from '../../../collections/qpus.ts'
import { QUEUED } from '../../../collections/quantum_jobs.ts'
import type { Tx } from '../../../records/tx.ts'
import type { Job } from '../jobs.ts'
import { conflict, type JobAction, recordAction, requireJob } from './operator-action.ts'

/**
 * Moves a pending job before all others, those of the current booking included, and ends its pause after a
 * device error. This lasts until its next attempt ends; of several such jobs the last one moved goes first.
 * Running jobs count too: one whose command cannot be delivered returns to its place.
 * @throws AppError `not_found`; `conflict` (`not_pending`, `held`).
 */
export function moveJobToFront(tx: Tx, action: JobAction): Job {
  const before = requireJob(tx, action.job)
  const changed = tx.run(
    `UPDATE quantum_jobs SET not_before = 0, updated = $at,
       run_next = 1 + ${tx.dialect.greatest(lastPlace(`${QUEUED} AND run_next > 0`), lastPlace("status = 'running'"))}
     WHERE id = $job AND ${QUEUED}`,
    { job: action.job, at: tx.at },
  )
  if (changed === 0) {
    if (before.held) throw conflict('held', 'The job is held; release it first')
    throw conflict('not_pending', `Only pending jobs can go next; this one is ${before.status}`)
  }
  return recordAction(tx, action, 'moved_to_front')
}

/**
 * Moves a pending job, held or not, to another QPU, in its place by submission. The caller has checked that
 * the QPU can run it.
 * @throws AppError `not_found`; `conflict` (`not_pending`, `same_qpu`).
 */
export function moveJob(tx: Tx, action: JobAction, qpu: { id: string; name: string }): Job {
  const before = requireJob(tx, action.job)
  if (before.status !== 'pending') {
    throw conflict('not_pending', `Only pending jobs can be moved; this one is ${before.status}`)
  }
  if (before.qpu_target === qpu.id) throw conflict('same_qpu', `The job waits for ${qpu.name} already`)
  tx.post('UPDATE quantum_jobs SET qpu_target = $qpu, updated = $at WHERE id = $job', {
    job: action.job,
    qpu: qpu.id,
    at: tx.at,
  })
  const from = before.qpu_target === '' ? undefined : tx.find(qpus, before.qpu_target)?.name
  const way = `${from === undefined ? 'to' : `from ${from} to`} ${qpu.name}`
  return recordAction(tx, { ...action, reason: joined(way, action.reason) }, 'moved')
}

const joined = (fact: string, reason: string) => (reason === '' ? fact : `${fact}: ${reason}`)

/** The highest place at the front of the jobs with a condition; 0 without one. */
function lastPlace(condition: string): string {
  return `(SELECT coalesce(max(run_next), 0) FROM quantum_jobs WHERE ${condition})`
}
