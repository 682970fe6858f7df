import type { qpus } from '../collections/qpus.ts'
import type { RecordOf } from '../schema/collection.ts'
import type { JobNeeds } from '../store/jobs/fits-qpu.ts'

/**
 * The actions of users and administrators and the durations of jobs, independent of the scheduler's choices.
 * Times in ms since the epoch.
 */
export interface Recording {
  /** First and last recorded time; both 0 without jobs. */
  from: number
  to: number
  users: RecordedUser[]
  /** In the order in which the server offers jobs to them; in their state at the start of the recording. */
  qpus: RecordedQpu[]
  slots: RecordedSlot[]
  /** In order of submission. */
  jobs: RecordedJob[]
}

export interface RecordedUser {
  id: string
  /** Whether the balance is unlimited. */
  unlimited: boolean
  /** Changes of the balance in ms, in order of time, without the charges of these jobs. */
  credits: { at: number; deltaMs: number }[]
}

export interface RecordedQpu {
  qpu: RecordOf<typeof qpus>
  /** The earliest time at which a driver may have been connected; undefined when none ever was. */
  usedFrom: number | undefined
  /** Enabling, maintenance, draining and calibration changes, in order of time. */
  changes: { at: number; patch: QpuPatch }[]
}

/** The settings of a QPU that a recorded change sets. */
interface QpuPatch {
  enabled?: boolean
  maintenance?: boolean
  draining?: boolean
  isCalibrating?: boolean
}

export interface RecordedSlot {
  user: string
  /** '' = every QPU. */
  qpu: string
  start: number
  end: number
  bookedAt: number
}

export interface RecordedJob {
  id: string
  user: string
  /** Id of a QPU; '' = any. */
  target: string
  needs: JobNeeds
  submittedAt: number
  /** When its owner cancelled it; undefined when it ran or is still pending. */
  cancelledAt: number | undefined
  /** Actions of operators while it was pending, in order of time. */
  actions: { at: number; act: 'held' | 'released' | 'moved_to_front' }[]
  /** Its attempts, which kept a QPU busy; empty when it has not run. */
  attempts: RecordedAttempt[]
}

export interface RecordedAttempt {
  qpu: string
  startedAt: number
  /** From claim to end. */
  ms: number
  /** `ok`: it ended the job; `error`: retried after a pause; `lost`, `requeued`: retried immediately. */
  end: 'ok' | 'error' | 'lost' | 'requeued'
  /** The charge to its owner's balance. */
  chargedMs: number
}
