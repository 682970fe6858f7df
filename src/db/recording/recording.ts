import type { qpus } from '../collections/qpus.ts'
import type { RecordOf } from '../schema/collection.ts'

/** What users and administrators did and how long jobs took, free of what the scheduler chose. Times in ms since the epoch. */
export interface Recording {
  /** First and last moment of which something is recorded; both 0 when there is no job. */
  from: number
  to: number
  users: RecordedUser[]
  /** In the order in which the server offers jobs to them; as they were when the recording begins. */
  qpus: RecordedQpu[]
  slots: RecordedSlot[]
  /** In order of submission. */
  jobs: RecordedJob[]
}

export interface RecordedUser {
  id: string
  /** The balance is not counted. */
  unlimited: boolean
  /** Changes of the balance in ms but for the charges of these jobs, in order of time. */
  credits: { at: number; deltaMs: number }[]
}

export interface RecordedQpu {
  qpu: RecordOf<typeof qpus>
  /** From when on a driver may have been connected; undefined when none ever was. */
  usedFrom: number | undefined
  /** Switched, put into maintenance, drained, calibrated: in order of time. */
  changes: { at: number; patch: QpuPatch }[]
}

/** What a recorded change made of a QPU. */
export interface QpuPatch {
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
  qubits: number
  submittedAt: number
  /** When its owner took it back; undefined when it ran or still waits. */
  cancelledAt: number | undefined
  /** What operators did to it while it waited, in order of time. */
  actions: { at: number; act: 'held' | 'released' | 'moved_to_front' }[]
  /** How long it kept a QPU busy, one entry for each try; empty when it has not run. */
  attempts: RecordedAttempt[]
}

export interface RecordedAttempt {
  qpu: string
  startedAt: number
  /** From claim to end. */
  ms: number
  /** `ok`: the job is over with it; `error`: tried again after a pause; `lost`, `requeued`: tried again at once. */
  end: 'ok' | 'error' | 'lost' | 'requeued'
  /** What it took of the balance of its owner. */
  chargedMs: number
}
