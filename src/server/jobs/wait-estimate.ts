import {
  ASSUMED_MS,
  type CandidateQueue,
  type QueuedJob,
  type QueueHead,
  type QueuePositionInput,
} from '../../db/store/jobs/index.ts'
import { describeExcess } from '../qpus/describe-excess.ts'
import {
  describeBooking,
  reasonClosed,
  reasonInSession,
  reasonReserved,
  type WaitCode,
  type WaitReason,
} from './dispatch/pick.ts'

/** Why a pending job waits and when it may start; times in ms since the epoch. */
interface WaitEstimate {
  waiting: WaitReason
  /**
   * 1 = next; absent while the job is in no queue, because it is held or no QPU supports it.
   */
  position?: number
  /**
   * Absent if it cannot be estimated: the QPU is off or does not support the job, the owner has no balance,
   * or the job is held.
   */
  start?: { from: number; to: number }
  /** The wait that the queue lets expect, ms; absent without a start. */
  expectedMs?: number
  /** Id of the QPU whose queue it is about; absent without a start. */
  qpu?: string
}

/** From the least to the most severe reason: with several QPUs, the least severe one counts. */
const SEVERITY: readonly WaitCode[] = [
  'ahead_in_queue',
  'slot_of_other_user',
  'in_session',
  'backoff',
  'calibrating',
  'driver_offline',
  'draining',
  'maintenance',
  'qpu_disabled',
]

const NO_QPU: WaitReason = { code: 'qpu_disabled', text: 'No QPU that can run this job is enabled' }
const NO_BALANCE: WaitReason = { code: 'balance', text: 'Your balance of QPU seconds is used up' }

type QueueEstimate = WaitEstimate & { ahead: number }

/** Why a job waits and when it may start, from the same state that `pickJob` decides on. Pure. */
export function estimateWait(
  { job, queues, excluded }: QueuePositionInput,
  now: number,
  idleMs: number,
): WaitEstimate {
  if (job.held !== undefined) return { waiting: heldBecause(job.held) }
  const estimates = queues.map((queue) => estimateInQueue(job, queue, now, idleMs))
  const [best] = estimates.toSorted(
    (one, other) =>
      SEVERITY.indexOf(one.waiting.code) - SEVERITY.indexOf(other.waiting.code) || one.ahead - other.ahead,
  )
  const [shortest] = queues.toSorted((one, other) => one.ahead - other.ahead)
  if ((!best || !shortest) && excluded.length > 0) return { waiting: excludedBecause(excluded) }
  if (!best || !shortest) return { waiting: NO_QPU, position: 1 }
  if (!job.hasBalance) return { waiting: NO_BALANCE, position: shortest.ahead + 1 }
  const { ahead: _, ...estimate } = best
  return estimate
}

/** When a job with so many jobs ahead may start; undefined if that cannot be estimated. Pure. */
export function estimateQueued(
  { user, notBefore, hasBalance, isNext }: QueuedJob,
  ahead: number,
  { queue }: QueueHead,
  { now, idleMs }: { now: number; idleMs: number },
): WaitEstimate['start'] {
  if (!hasBalance) return undefined
  const job = { user, notBefore, hasBalance, isNext, held: undefined }
  return estimateInQueue(job, { ...queue, ahead }, now, idleMs).start
}

/** Number of QPUs that the text names. */
const MAX_EXCLUDED_SHOWN = 5

/**
 * No QPU of the target can run the job now: their descriptions have changed, or none meets its condition. A
 * QPU that only has to be calibrated counts more than one that cannot run it.
 */
function excludedBecause(excluded: QueuePositionInput['excluded']): WaitReason {
  const below = excluded.filter(({ excess, unfit }) => excess.length === 0 && unfit?.code === 'below_quality')
  if (below.length > 0) {
    return {
      code: 'below_quality',
      text: `${listed(below)}. It runs when a calibration meets its condition, and jobs after it go first; cancel it if it need not`,
    }
  }
  return {
    code: 'unsupported_by_qpu',
    text: `${listed(excluded)}. It runs when a QPU supports it; cancel it if it need not`,
  }
}

function listed(excluded: QueuePositionInput['excluded']): string {
  const shown = excluded
    .slice(0, MAX_EXCLUDED_SHOWN)
    .map(({ qpu, excess, unfit }) =>
      unfit && excess.length === 0 ? unfit.reason : describeExcess(qpu, excess),
    )
  return `${shown.join('; ')}${excluded.length > MAX_EXCLUDED_SHOWN ? '; …' : ''}`
}

function heldBecause(reason: string): WaitReason {
  return { code: 'held', text: `Held by an operator${reason === '' ? '' : `: ${reason}`}` }
}

function estimateInQueue(
  job: QueuePositionInput['job'],
  queue: CandidateQueue,
  now: number,
  idleMs: number,
): QueueEstimate {
  const { state, ahead } = queue
  const position = { ahead, position: ahead + 1 }
  const closed = reasonClosed(state)
  if (closed) return { waiting: closed, ...position }
  const pause: WaitReason | undefined =
    job.notBefore > now
      ? { code: 'backoff', text: 'Waits before a retry after a device error', until: job.notBefore }
      : undefined
  const foreign =
    !job.isNext && state.slot !== undefined && state.slot.user !== job.user ? state.slot : undefined
  const idle = foreign && reasonReserved(foreign, now, idleMs)
  const isBookerBusy = foreign !== undefined && (foreign.job !== '' || queue.isBookerRunning)
  // The idle time begins after the jobs of the booker; the end of the booking is the latest.
  const busy: WaitReason | undefined = isBookerBusy
    ? { code: 'slot_of_other_user', text: describeBooking(idleMs), until: foreign.end }
    : undefined
  const held = holdOfOthers(job, state)
  const inSession = held && reasonInSession(held.lineUntil)
  const waiting = pause ?? inSession ?? busy ?? idle ?? { code: 'ahead_in_queue', text: aheadText(queue) }
  const booked = isBookerBusy ? { busyUntil: foreign.end, idleMs } : { idleUntil: idle?.until ?? now }
  const booking = held ? { busyUntil: held.until, idleMs: held.idleMs } : booked
  const { start, expectedMs } = estimateStart(queue, { now, base: job.notBefore, booking })
  // Whoever holds the QPU submits more jobs than those that wait.
  const latest = { from: start.from, to: Math.max(start.to, held?.lineUntil ?? 0) }
  return { waiting, ...position, start: latest, expectedMs, qpu: state.qpu.id }
}

/** The exclusive session of another user. */
function holdOfOthers(
  { user }: QueuePositionInput['job'],
  { session }: CandidateQueue['state'],
): CandidateQueue['state']['session'] {
  return session?.isExclusive && session.user !== user ? session : undefined
}

function aheadText({ ahead, state }: CandidateQueue): string {
  if (ahead > 0) return ahead === 1 ? 'One job is ahead' : `${ahead} jobs are ahead`
  return state.running ? 'Next in the queue, after the running job' : 'Next in the queue'
}

interface StartBounds {
  now: number
  /** The job's own earliest start. */
  base: number
  /** Until when a booking of another user keeps it waiting: at most so long, or until a known time. */
  booking: { busyUntil: number; idleMs: number } | { idleUntil: number }
}

/**
 * The queue lets expect that every job ahead takes as long as the recent ones in the mean, and that no
 * further jobs are submitted. The range around that is measured on earlier jobs of the QPU: it contains four
 * of five. Until there are enough, every job ahead takes as long as the fastest recent one, or the slowest.
 */
function estimateStart(
  { forecast, ...queue }: CandidateQueue,
  bounds: StartBounds,
): Required<Pick<WaitEstimate, 'start' | 'expectedMs'>> {
  const { recentMs, waits } = forecast
  const { now, base } = bounds
  const { fast, slow, typical } = ASSUMED_MS
  const meanMs = recentMs.length > 0 ? recentMs.reduce((sum, ms) => sum + ms, 0) / recentMs.length : typical
  const expectedMs = startAfter(meanMs, queue, bounds) - now
  const measured = waits.of(expectedMs)
  const start = measured
    ? { from: Math.max(base, now + measured.from), to: Math.max(base, now + measured.to) }
    : {
        from: startAfter(recentMs.length > 0 ? Math.min(...recentMs) : fast, queue, bounds),
        to: startAfter(recentMs.length > 0 ? Math.max(...recentMs) : slow, queue, bounds),
      }
  return { start, expectedMs }
}

/** The start if every job takes `runMs`. */
function startAfter(
  runMs: number,
  { state, ahead }: Pick<CandidateQueue, 'state' | 'ahead'>,
  { now, base, booking }: StartBounds,
): number {
  const freeAt = state.running ? Math.max(now, state.running.since + runMs) : now
  const queuedMs = ahead * runMs
  if ('idleUntil' in booking) return Math.max(base, Math.max(booking.idleUntil, freeAt) + queuedMs)
  // The booker's jobs are among those ahead.
  const afterIdle = freeAt + queuedMs + booking.idleMs
  return Math.max(base, Math.min(afterIdle, Math.max(booking.busyUntil, freeAt) + queuedMs))
}
