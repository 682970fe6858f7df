import type { Job } from '../api/model/jobs.ts'
import type { Qpu } from '../api/model/qpus.ts'
import { formatOrdinal, formatSeconds, sentence } from '../lib/format.ts'

/** Shape of the status icon, so that color is never the only cue. */
export type Glyph = 'dot' | 'ring' | 'half' | 'triangle' | 'play' | 'pause' | 'check' | 'cross' | 'dash'
type Tone = 'ok' | 'run' | 'warn' | 'bad' | 'idle'

/** A state in words, with its icon. */
export interface Condition {
  tone: Tone
  glyph: Glyph
  word: string
}

/** The state of a QPU, with the reason if it takes no jobs. */
export interface QpuCondition extends Condition {
  /** A sentence without a full stop. */
  reason: string
  takesJobs: boolean
}

/** Describes the state of a QPU. */
export function qpuCondition(qpu: Qpu): QpuCondition {
  if (!qpu.enabled) {
    return {
      tone: 'idle',
      glyph: 'ring',
      word: 'Disabled',
      reason: 'New jobs are refused',
      takesJobs: false,
    }
  }
  if (qpu.maintenance) {
    const reason = sentence(qpu.maintenance_reason || 'No reason given')
    return { tone: 'warn', glyph: 'triangle', word: 'Maintenance', reason, takesJobs: false }
  }
  if (qpu.draining) {
    const detail = qpu.drain_reason ? `${sentence(qpu.drain_reason)}. ` : ''
    const reason = `${detail}The running job finishes, others wait`
    return { tone: 'warn', glyph: 'half', word: 'Draining', reason, takesJobs: false }
  }
  if (qpu.reason?.code === 'calibrating') {
    const reason = 'Jobs wait until the calibration ends'
    return { tone: 'run', glyph: 'half', word: 'Calibrating', reason, takesJobs: false }
  }
  if (qpu.status !== 'online') {
    const reason = 'Jobs wait until its driver connects'
    return { tone: 'idle', glyph: 'ring', word: 'Offline', reason, takesJobs: false }
  }
  if (qpu.silent_since) {
    const reason = 'Its driver does not answer; it is offline within seconds unless it does'
    return { tone: 'warn', glyph: 'triangle', word: 'Silent', reason, takesJobs: true }
  }
  const reason = qpu.reason ? sentence(qpu.reason.text) : 'Takes jobs'
  return { tone: 'ok', glyph: 'dot', word: 'Online', reason, takesJobs: !qpu.reason }
}

const JOB_CONDITIONS: Record<Job['status'], Condition> = {
  pending: { tone: 'idle', glyph: 'pause', word: 'Pending' },
  running: { tone: 'run', glyph: 'play', word: 'Running' },
  completed: { tone: 'ok', glyph: 'check', word: 'Completed' },
  failed: { tone: 'bad', glyph: 'cross', word: 'Failed' },
  cancelled: { tone: 'idle', glyph: 'dash', word: 'Cancelled' },
}

/** Describes the state of a job; a pending job shows its queue position, a running one its progress. */
export function jobCondition(
  job: Pick<Job, 'status'> & Partial<Pick<Job, 'queue_position' | 'held' | 'progress' | 'recalled'>>,
): Condition {
  if (job.status === 'pending' && job.held) return { tone: 'warn', glyph: 'pause', word: 'Held' }
  if (job.recalled) return { tone: 'warn', glyph: 'triangle', word: 'Recalled' }
  const condition = JOB_CONDITIONS[job.status]
  if (job.status === 'running' && job.progress)
    return { ...condition, word: `${condition.word}, ${percentOf(job.progress)}` }
  if (job.status !== 'pending' || !job.queue_position) return condition
  return { ...condition, word: `${condition.word}, ${formatOrdinal(job.queue_position)}` }
}

/** A part of a whole in whole percent, rounded; 100 % only for all of it. */
export function percentOf(part: number): string {
  return `${part < 1 ? Math.min(99, Math.round(part * 100)) : 100} %`
}

/** The reason of a failed job from whichever field the server put it in. */
export function jobFailure(job: Job): string | undefined {
  if (job.status !== 'failed') return undefined
  return job.error || job.results?.error || 'The driver gave no reason'
}

/** What a failed job was charged, and why; undefined for any other. */
export function describeCharge(job: Job): string | undefined {
  if (job.status !== 'failed') return undefined
  const { charged_seconds: charged, duration, results } = job
  if (charged) return `Charged ${formatSeconds(charged)}: the QPU ran it for this long until it failed.`
  if (duration) return 'Not charged: the QPU time of its owner is not limited.'
  return results?.error_code === 'invalid_results'
    ? 'Not charged: its results could not be used, which was not its fault.'
    : 'Not charged: no QPU spent time on it that counts; lost attempts and errors of a device are free.'
}

/** Whether a job is in a terminal state. */
export function isFinished(status: Job['status']): boolean {
  return status !== 'pending' && status !== 'running'
}
