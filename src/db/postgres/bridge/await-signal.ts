/**
 * Waits until another thread has set the signal to 1, and resets it. False when it has not within `ms` since
 * the latest notification. One that arrives alone is that of an earlier signal, whose value was seen before.
 */
export function awaitSignal(signal: Int32Array, ms: number): boolean {
  while (Atomics.load(signal, 0) === 0) {
    if (Atomics.wait(signal, 0, 0, ms) === 'timed-out') return false
  }
  Atomics.store(signal, 0, 0)
  return true
}
