/** Settles in the next turn of the event loop: timers, requests and messages of the process come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
