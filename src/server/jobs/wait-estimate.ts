import type { CandidateQueue, QueuePositionInput } from '../../db/index.ts'
import { reasonClosed, reasonReserved, SLOT_TEXT, type Waiting, type WaitingCode } from './dispatch/pick.ts'

/** Why a pending job waits and when it may start; times in ms since the epoch. */
export interface Outlook {
  waiting: Waiting
  /** 1 = next; absent while the job is held: it stands in no queue. */
  position?: number
  /** Absent when nobody can tell: its QPU is off, its owner has no balance, it is held. */
  start?: { from: number; to: number }
}

/** From what keeps a job least to what keeps it most: with several QPUs, the mildest reason counts. */
const SEVERITY: readonly WaitingCode[] = [
  'ahead_in_queue',
  'slot_of_other_user',
  'backoff',
  'calibrating',
  'driver_offline',
  'draining',
  'maintenance',
  'qpu_disabled',
]

const NO_QPU: Waiting = { code: 'qpu_disabled', text: 'No QPU that can run this job is switched on' }
const NO_BALANCE: Waiting = { code: 'balance', text: 'Your balance of QPU seconds is used up' }

type InQueue = Outlook & { position: number }

/** Says why a job waits, from the same state that `pickJob` decides on. Pure. */
export function waitingOf({ job, queues }: QueuePositionInput, now: number, idleMs: number): Outlook {
  if (job.held !== undefined) return { waiting: heldBecause(job.held) }
  const outlooks = queues.map((queue) => inQueue(job, queue, now, idleMs))
  const position = 1 + Math.min(...queues.map((queue) => queue.ahead), Number.MAX_SAFE_INTEGER)
  const [best] = outlooks.toSorted(
    (one, other) =>
      SEVERITY.indexOf(one.waiting.code) - SEVERITY.indexOf(other.waiting.code) ||
      one.position - other.position,
  )
  if (!best) return { waiting: NO_QPU, position: 1 }
  return job.hasBalance ? best : { waiting: NO_BALANCE, position }
}

function heldBecause(reason: string): Waiting {
  return { code: 'held', text: `Held by an operator${reason === '' ? '' : `: ${reason}`}` }
}

function inQueue(
  job: QueuePositionInput['job'],
  queue: CandidateQueue,
  now: number,
  idleMs: number,
): InQueue {
  const { state, ahead } = queue
  const position = ahead + 1
  const closed = reasonClosed(state)
  if (closed) return { waiting: closed, position }
  const pause: Waiting | undefined =
    job.notBefore > now
      ? { code: 'backoff', text: 'Tried again after a device error', until: job.notBefore }
      : undefined
  const foreign =
    !job.isNext && state.slot !== undefined && state.slot.user !== job.user ? state.slot : undefined
  const idle = foreign && reasonReserved(foreign, now, idleMs)
  // Jobs of the booker that are ready keep the whole slot; without any, only the idle time is kept.
  const reserved: Waiting | undefined = foreign?.job
    ? { code: 'slot_of_other_user', text: SLOT_TEXT, until: foreign.end }
    : idle
  const waiting = pause ?? reserved ?? { code: 'ahead_in_queue', text: aheadText(queue) }
  const base = Math.max(now, pause?.until ?? now)
  return { waiting, position, start: estimate(queue, { now, from: idle?.until ?? base, base, foreign }) }
}

function aheadText({ ahead, state }: CandidateQueue): string {
  if (ahead > 0) return ahead === 1 ? 'One job goes first' : `${ahead} jobs go first`
  return state.running ? 'Next in the queue, after the job that runs now' : 'Next in the queue'
}

/** Time a job may take where none has run yet, ms. */
const UNKNOWN_MS = { fast: 1_000, slow: 20_000 }

interface Window {
  now: number
  /** Earliest start if nobody is ahead. */
  from: number
  /** The job's own earliest start. */
  base: number
  /** The booking of another user that holds now. */
  foreign: CandidateQueue['state']['slot']
}

/** Earliest: all jobs ahead are as fast as the fastest of late. Latest: as slow as the slowest, after the booking. */
function estimate({ state, ahead, recentMs }: CandidateQueue, window: Window): { from: number; to: number } {
  const fast = recentMs.length > 0 ? Math.min(...recentMs) : UNKNOWN_MS.fast
  const slow = recentMs.length > 0 ? Math.max(...recentMs) : UNKNOWN_MS.slow
  const ranMs = state.running ? Math.max(0, window.now - state.running.since) : 0
  const rest = (whole: number) => (state.running ? Math.max(0, whole - ranMs) : 0)
  const from = Math.max(window.base, window.from) + rest(fast) + ahead * fast
  const to = Math.max(window.base, window.foreign?.end ?? window.base) + rest(slow) + ahead * slow
  return { from, to: Math.max(from, to) }
}
