import type { QueueState } from '../../../db/index.ts'
import { reasonUnavailable } from '../../qpus/availability.ts'

/** Why a pending job does not run yet; a stable word for clients. */
export type WaitCode =
  | 'ahead_in_queue'
  | 'slot_of_other_user'
  | 'qpu_disabled'
  | 'maintenance'
  | 'calibrating'
  | 'driver_offline'
  | 'draining'
  | 'balance'
  | 'held'
  | 'backoff'

/** Why a job waits, for people, and until when (ms since the epoch) if that is known. */
export interface WaitReason {
  code: WaitCode
  text: string
  until?: number
}

/** The choice for a QPU. `waiting` is absent when nothing is there to run, or when something runs. */
export type JobPick = { job: string } | { job: undefined; waiting?: WaitReason }

/**
 * Chooses the next job of a QPU. What an operator has put to the front goes before all. Then the holder of the current booking goes first. When the booker has nothing to
 * run, the others follow in order of submission once the booker has been idle for `idleMs`, counted from the
 * latest of: start of the slot, the booker's last submission, the end of the booker's last job here.
 * Pure; `now` in ms since the epoch.
 */
export function pickJob(state: QueueState, now: number, idleMs: number): JobPick {
  const closed = reasonClosed(state)
  if (closed) return { job: undefined, waiting: closed }
  if (state.running) return { job: undefined }
  if (state.next !== '') return { job: state.next }
  if (state.slot?.job) return { job: state.slot.job }
  if (state.job === '') return { job: undefined }
  const reserved = reasonReserved(state.slot, now, idleMs)
  return reserved ? { job: undefined, waiting: reserved } : { job: state.job }
}

const CODES = {
  disabled: 'qpu_disabled',
  maintenance: 'maintenance',
  draining: 'draining',
  calibrating: 'calibrating',
  offline: 'driver_offline',
} as const

/** Why the QPU takes no jobs of anybody, or undefined. */
export function reasonClosed({ qpu, isCalibrating }: QueueState): WaitReason | undefined {
  const unavailable = reasonUnavailable(qpu, isCalibrating)
  if (!unavailable) return undefined
  const texts = {
    disabled: `${qpu.name} is switched off`,
    maintenance: `${qpu.name} is in ${unavailable.reason}`,
    draining: `${qpu.name} is ${unavailable.reason}`,
    calibrating: `${qpu.name} is being calibrated`,
    offline: `${qpu.name} is not connected`,
  }
  return { code: CODES[unavailable.code], text: texts[unavailable.code] }
}

/** Said of a booking of somebody else, who stays unnamed. */
export const SLOT_TEXT = 'Another user has booked this time'

/** Why the booking keeps others from running although its holder runs nothing, or undefined. */
export function reasonReserved(
  slot: QueueState['slot'],
  now: number,
  idleMs: number,
): (WaitReason & { until: number }) | undefined {
  if (!slot) return undefined
  const active = Math.max(slot.start, slot.activeAt ?? slot.start)
  const until = Math.min(slot.end, active + idleMs)
  if (now >= until) return undefined
  return { code: 'slot_of_other_user', text: SLOT_TEXT, until }
}
