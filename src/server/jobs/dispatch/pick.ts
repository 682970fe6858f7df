import { fromTimestamp } from '../../../base/index.ts'
import type { QpuState, QueueState } from '../../../db/store/jobs/index.ts'
import { reasonUnavailable } from '../../qpus/availability.ts'

/** Why a pending job does not run yet; a stable code for clients. */
export type WaitCode =
  | 'ahead_in_queue'
  | 'slot_of_other_user'
  | 'in_session'
  | 'qpu_disabled'
  | 'maintenance'
  | 'calibrating'
  | 'driver_offline'
  | 'draining'
  | 'balance'
  | 'held'
  | 'unsupported_by_qpu'
  | 'below_quality'
  | 'backoff'

/**
 * Why a job waits: a code for clients, a text for users, since and until when (ms since the epoch) if that
 * is known.
 */
export interface WaitReason {
  code: WaitCode
  text: string
  since?: number
  until?: number
}

/** The choice for a QPU. `waiting` is absent if no job is waiting or one is running. */
type JobPick = { job: string; session?: string } | { job: undefined; waiting?: WaitReason }

/**
 * Chooses the next job of a QPU. A job that an operator has moved to the front goes first, then the jobs of
 * the user who has booked the current slot, then those of the active session, while which is exclusive nobody
 * else's run. If the booker has no job to run, the jobs of others follow in
 * order of submission once the booker has been idle for `idleMs`, counted from the latest of: start of the
 * slot, the booker's last submission, end of the booker's last job on this QPU. Pure; `now` in ms since the
 * epoch.
 */
export function pickJob(state: QueueState, now: number, idleMs: number): JobPick {
  const closed = reasonClosed(state)
  if (closed) return { job: undefined, waiting: closed }
  if (state.running) return { job: undefined }
  const { session } = state
  if (session?.isExclusive) return pickInSession(session, state)
  if (state.next !== '') return { job: state.next }
  if (state.slot?.job) return { job: state.slot.job }
  if (session?.job) return { job: session.job, session: session.session }
  if (state.job === '') return { job: undefined }
  const reserved = reasonReserved(state.slot, now, idleMs)
  return reserved ? { job: undefined, waiting: reserved } : { job: state.job }
}

function pickInSession(
  { session, job, until }: NonNullable<QpuState['session']>,
  state: QueueState,
): JobPick {
  if (job !== '') return { job, session }
  return state.job === '' ? { job: undefined } : { job: undefined, waiting: reasonInSession(until) }
}

/** The session of another user, who is not named, keeps a job waiting. */
export function reasonInSession(until: number): WaitReason & { until: number } {
  return { code: 'in_session', text: 'The QPU is held by the session of another user', until }
}

const CODES = {
  disabled: 'qpu_disabled',
  maintenance: 'maintenance',
  draining: 'draining',
  calibrating: 'calibrating',
  offline: 'driver_offline',
} as const

/** Why the QPU runs no jobs of any user, or undefined if it does. */
export function reasonClosed({ qpu, isCalibrating }: QpuState): WaitReason | undefined {
  const unavailable = reasonUnavailable(qpu, isCalibrating)
  if (!unavailable) return undefined
  const texts = {
    disabled: `${qpu.name} is disabled`,
    maintenance: `${qpu.name} is in ${unavailable.reason}`,
    draining: `${qpu.name} is ${unavailable.reason}`,
    calibrating: `${qpu.name} is being calibrated`,
    offline: `${qpu.name} is not connected`,
  }
  const { code } = unavailable
  const reason: WaitReason = { code: CODES[code], text: texts[code] }
  const since = code === 'calibrating' ? undefined : fromTimestamp(qpu.closed_since)
  if (since !== undefined) reason.since = since
  const until = code === 'maintenance' ? fromTimestamp(qpu.maintenance_until) : undefined
  if (until !== undefined) reason.until = until
  return reason
}

/** Describes a booking of another user, who is not named, and when jobs of others run in it. */
export function describeBooking(idleMs: number): string {
  return `Another user has booked this time; runs after ${idleMs / 1_000} s of idleness`
}

/** Why the booking keeps other jobs waiting although the booker runs none, or undefined if it does not. */
export function reasonReserved(
  slot: QueueState['slot'],
  now: number,
  idleMs: number,
): (WaitReason & { until: number }) | undefined {
  if (!slot) return undefined
  const active = Math.max(slot.start, slot.activeAt ?? slot.start)
  const until = Math.min(slot.end, active + idleMs)
  if (now >= until) return undefined
  return { code: 'slot_of_other_user', text: describeBooking(idleMs), until }
}
