/** Asks for a turn of other work in the middle of an analysis. */
export interface Pause {
  readonly kind: 'pause'
}

export const PAUSE: Pause = { kind: 'pause' }

/**
 * An analysis as a coroutine: it pauses every few milliseconds, so that messages, timers and a stop of the
 * process are heard meanwhile, and returns its result. Each `yield*` it; a pause needs no reply.
 */
export type Steps<Result> = Generator<Pause, Result, unknown>

/**
 * Number of samples after which a loop over a curve pauses: about 1 ms of work, 10 ms of code that is
 * not compiled yet.
 */
export const PAUSE_SAMPLES = 5_000
