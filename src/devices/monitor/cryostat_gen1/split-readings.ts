import type { Reading } from './read-reply.ts'

/** The limit of an event is 64 KiB including its envelope. */
const MAX_READINGS_BYTES = 60_000

/** Divides readings into as few parts as fit into one event each, in order. */
export function splitReadings(readings: readonly (readonly [string, Reading])[]): Record<string, Reading>[] {
  const parts: (readonly [string, Reading])[][] = []
  let bytesLeft = 0
  for (const each of readings) {
    const bytes = Buffer.byteLength(JSON.stringify(each))
    let part = parts.at(-1)
    if (!part || bytes > bytesLeft) {
      part = []
      parts.push(part)
      bytesLeft = MAX_READINGS_BYTES
    }
    part.push(each)
    bytesLeft -= bytes
  }
  return parts.map((part) => Object.fromEntries(part))
}
