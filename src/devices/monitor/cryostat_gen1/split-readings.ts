import type { Reading } from './read-reply.ts'

/** An event may have 64 KiB with its envelope. */
const READINGS_BYTES_MAX = 60_000

/** Divides readings into as few parts as fit into one event each, in order. */
export function splitReadings(readings: readonly (readonly [string, Reading])[]): Record<string, Reading>[] {
  const parts: (readonly [string, Reading])[][] = []
  let room = 0
  for (const each of readings) {
    const bytes = Buffer.byteLength(JSON.stringify(each))
    let part = parts.at(-1)
    if (!part || bytes > room) {
      part = []
      parts.push(part)
      room = READINGS_BYTES_MAX
    }
    part.push(each)
    room -= bytes
  }
  return parts.map((part) => Object.fromEntries(part))
}
