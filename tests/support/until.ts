import type { FakeClock } from './fake-clock.ts'

const FIRST_PAUSE_MS = 2
const MAX_PAUSE_MS = 20

interface UntilOptions {
  /** Real time after which the wait fails; 45 s unless given. */
  timeoutMs?: number
  /** Pause between two checks; unless given it grows from 2 to 20 ms. */
  intervalMs?: number
  /** A clock that stands still otherwise: it is moved by 50 ms before each further check. */
  clock?: FakeClock
}

/**
 * Repeats `check` until it returns a value other than `undefined` and `false`, and returns that value. The
 * only polling wait of the tests: everything that happens in another process, on a socket or in a loop is
 * awaited with it. A check that throws is repeated too.
 * @throws after the timeout, naming `what` and with the last error of `check` as its cause
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 45_000, intervalMs, clock }: UntilOptions = {},
): Promise<T> {
  const end = performance.now() + timeoutMs
  let cause: unknown
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const value = await check()
      if (value !== undefined && value !== false) return value
      cause = undefined
    } catch (error) {
      cause = error
    }
    if (performance.now() > end) {
      throw new Error(`did not happen within ${timeoutMs} ms: ${what}`, { cause })
    }
    if (clock) await clock.advance(50)
    await Bun.sleep(intervalMs ?? pauseMs)
  }
}
