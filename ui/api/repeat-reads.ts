import { MINUTE_MS } from '../../src/base/portable/units.ts'

/** Attempts of a read while the server asks for another one, and the time in ms after which none starts. */
const TRIES = 5
const WITHIN_MS = MINUTE_MS

/** Resolves after `ms`; rejects with the reason of the signal when it is aborted before. */
export type Pause = (ms: number, signal: AbortSignal | null | undefined) => Promise<void>

/**
 * Sends a read again while the response is 429 or 503 with `Retry-After`, which the server sends when it was
 * too busy for it; a 503 without one stays until a person changes something. Returns the last response.
 */
export async function repeatRead(
  send: () => Promise<Response>,
  { signal, pause }: { signal?: AbortSignal | null | undefined; pause: Pause },
): Promise<Response> {
  let waitedMs = 0
  for (let attempt = 1; ; attempt += 1) {
    const response = await send()
    const ms = pauseOf(response)
    waitedMs += ms ?? 0
    if (ms === undefined || attempt >= TRIES || waitedMs > WITHIN_MS) return response
    await response.body?.cancel()
    await pause(ms, signal)
  }
}

/** What the server asks for and up to as much again, so that pages do not return all together. */
function pauseOf({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if ((status !== 429 && status !== 503) || !(seconds >= 0)) return undefined
  return seconds * 1_000 * (1 + Math.random())
}

/** Waits for the time of the browser. */
export const pauseFor: Pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
