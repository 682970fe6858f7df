import type { Clock } from '../clock.ts'

interface TimeoutOptions<Late> {
  clock: Clock
  ms: number
  /** Ends the wait when it aborts: the result rejects with its reason. */
  signal?: AbortSignal
  /** Called when the time is up: the result settles with what it returns or throws. */
  onTimeout: () => Late
}

/**
 * Settles as `work` does, but waits for it `ms` at most. A function receives a signal that aborts as soon as
 * the wait is over for whatever reason, so that it can stop. No timer is left behind.
 */
export async function withTimeout<T, Late>(
  work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
  { clock, ms, signal, onTimeout }: TimeoutOptions<Late>,
): Promise<T | Late> {
  const over = new AbortController()
  const abort = () => over.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { signal: over.signal })
  const timedOut = clock.sleep(ms, over.signal).then(onTimeout)
  // It also rejects when the wait is over, after which nothing awaits it.
  timedOut.catch(() => undefined)
  try {
    return await Promise.race([typeof work === 'function' ? work(over.signal) : work, timedOut])
  } finally {
    over.abort()
  }
}
