import { DAY_MS } from '../../../src/base/portable/units.ts'

/** The share of the days that jobs took; of a day that goes on, the time until `now` (ms) counts. */
export function meanShare(days: readonly { day: string; qpu_seconds: number }[], now: number): number {
  let [busy, elapsed] = [0, 0]
  for (const { day, qpu_seconds } of days) {
    busy += qpu_seconds * 1_000
    elapsed += Math.min(Math.max(now - Date.parse(day), 1), DAY_MS)
  }
  return elapsed === 0 ? 0 : busy / elapsed
}
