import type { Availability, Job, Qpu } from '../api/model.ts'
import { formatOrdinal, sentence } from '../lib/format.ts'

/** The glyph that goes with a tone; `Status` draws it, so that colour is never the only sign. */
export type Glyph = 'dot' | 'ring' | 'half' | 'triangle' | 'play' | 'pause' | 'check' | 'cross' | 'dash'
export type Tone = 'ok' | 'run' | 'warn' | 'bad' | 'idle'

/** A state in words, with the sign to show before it. */
export interface Condition {
  tone: Tone
  glyph: Glyph
  word: string
}

/** The state of a QPU and, when it takes no jobs, why. */
export interface QpuCondition extends Condition {
  /** A sentence without full stop. */
  reason: string
  takesJobs: boolean
}

/**
 * What to say about a QPU. The record tells what it is set to, `availability` why it takes no jobs;
 * the two arrive separately, so the record alone must already give the right word.
 */
export function qpuCondition(qpu: Qpu, availability: Availability | undefined): QpuCondition {
  const reportedReason = availability?.find(({ id }) => id === qpu.id)?.reason
  if (!qpu.enabled) {
    return {
      tone: 'idle',
      glyph: 'ring',
      word: 'Switched off',
      reason: 'New jobs are refused',
      takesJobs: false,
    }
  }
  if (qpu.maintenance) {
    const reason = sentence(qpu.maintenance_reason || 'No reason given')
    return { tone: 'warn', glyph: 'triangle', word: 'Maintenance', reason, takesJobs: false }
  }
  if (reportedReason === 'calibrating') {
    const reason = 'Jobs wait until the calibration ends'
    return { tone: 'run', glyph: 'half', word: 'Calibrating', reason, takesJobs: false }
  }
  if (qpu.status !== 'online') {
    const reason = 'Jobs wait until its driver connects'
    return { tone: 'idle', glyph: 'ring', word: 'Offline', reason, takesJobs: false }
  }
  const reason =
    reportedReason === undefined || reportedReason === 'offline' ? 'Takes jobs' : sentence(reportedReason)
  return { tone: 'ok', glyph: 'dot', word: 'Online', reason, takesJobs: reason === 'Takes jobs' }
}

const JOB_CONDITIONS: Record<Job['status'], Condition> = {
  pending: { tone: 'idle', glyph: 'pause', word: 'Pending' },
  running: { tone: 'run', glyph: 'play', word: 'Running' },
  completed: { tone: 'ok', glyph: 'check', word: 'Completed' },
  failed: { tone: 'bad', glyph: 'cross', word: 'Failed' },
  cancelled: { tone: 'idle', glyph: 'dash', word: 'Cancelled' },
}

/** What to say about a job; a pending one carries its place in the queue. */
export function jobCondition(job: Pick<Job, 'status' | 'queue_position'>): Condition {
  const condition = JOB_CONDITIONS[job.status]
  if (job.status !== 'pending' || !job.queue_position) return condition
  return { ...condition, word: `${condition.word}, ${formatOrdinal(job.queue_position)}` }
}

/** Why a failed job failed, wherever the server put it. */
export function jobFailure(job: Job): string | undefined {
  if (job.status !== 'failed') return undefined
  return job.error || job.results?.error || 'The driver gave no reason'
}

/** Whether nothing more will happen to a job. */
export function isFinished(status: Job['status']): boolean {
  return status !== 'pending' && status !== 'running'
}
