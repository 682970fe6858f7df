import { type BackoffLimits, backoffMs, HOUR_MS, SECOND_MS } from '../../../base/index.ts'

/** Pause of a delivery after each of its failed attempts. */
const DELIVERY_BACKOFF: BackoffLimits = { initialMs: 5 * SECOND_MS, maxMs: 6 * HOUR_MS }
/** Pause of a receiver after each failed attempt in a row, whichever its delivery. */
const RECEIVER_BACKOFF: BackoffLimits = { initialMs: 5 * SECOND_MS, maxMs: 600 * SECOND_MS }
/** A delivery is given up, and a receiver that only fails is disabled, after this time. */
export const GIVE_UP_MS = 168 * HOUR_MS
/** Attempts that a receiver must have failed as well: the server itself may have been off for a week. */
const MIN_FAILURES = 10
/** Slower receivers are served apart from the others. */
export const SLOW_MS = SECOND_MS
/** The receiver wants no more deliveries. */
const GONE = 410

interface Failure {
  /** HTTP status; 0 without a response. */
  status: number
  /** Failed attempts of this delivery, this one included. */
  attempts: number
  /** Time since the event, in ms. */
  ageMs: number
  /** Failed attempts of the receiver in a row, this one included. */
  failures: number
  /** Time since the first of them, in ms. */
  failingMs: number
}

/** What follows a failed attempt; pauses in ms. */
type Decision =
  | { kind: 'disable'; reason: string }
  | { kind: 'give_up'; pauseMs: number }
  | { kind: 'retry'; retryMs: number; pauseMs: number }

/** Decides what follows a failed attempt. */
export function afterFailure({ status, attempts, ageMs, failures, failingMs }: Failure): Decision {
  if (status === GONE) return { kind: 'disable', reason: 'the receiver responded with 410 Gone' }
  if (failingMs >= GIVE_UP_MS && failures >= MIN_FAILURES) {
    return { kind: 'disable', reason: 'every delivery failed for a week' }
  }
  const pauseMs = backoffMs(failures, RECEIVER_BACKOFF)
  if (ageMs >= GIVE_UP_MS) return { kind: 'give_up', pauseMs }
  return { kind: 'retry', retryMs: backoffMs(attempts, DELIVERY_BACKOFF), pauseMs }
}
