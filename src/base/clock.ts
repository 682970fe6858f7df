/** The only source of time in the product, so that tests can move it. */
export interface Clock {
  /** Wall clock in milliseconds since the Unix epoch: for bookings, display and stored times. */
  now(): number
  /** Milliseconds that only grow, unaffected by clock jumps: for durations and deadlines. */
  monotonic(): number
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest delay that a timer of the runtime accepts; a longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    ms > MAX_TIMER_MS
      ? timer(MAX_TIMER_MS, signal).then(() => systemClock.sleep(ms - MAX_TIMER_MS, signal))
      : timer(ms, signal),
}

/** A time that has passed is now: the runtime warns of negative delays. */
function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(pending)
      reject(signal?.reason)
    }
    const pending = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.max(0, ms),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Each observation takes 0.1 ms of processor time with all that it wakes in the runtime. */
const WATCH_INTERVAL_MS = 500

/**
 * Calls `observe` about every `intervalMs` with the time in ms by which the event loop was late, which is
 * the delay of everything else that waited for it. Returns how to stop. It reads the real time, because no
 * injected clock can tell how long the loop was blocked; it does not keep the process alive.
 */
export function watchEventLoop(
  observe: (delayMs: number) => void,
  intervalMs = WATCH_INTERVAL_MS,
): () => void {
  let due = performance.now() + intervalMs
  const timer = setInterval(() => {
    const now = performance.now()
    observe(Math.max(0, now - due))
    due = now + intervalMs
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
