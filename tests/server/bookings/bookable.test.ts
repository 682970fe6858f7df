import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { assertBookable } from '../../../src/server/bookings/bookable.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 0, 31, 9)
const LIMITS = { maxSlotLength: 24 * HOUR_MS, maxSlotAhead: 48 * HOUR_MS }

const CASES: [string, string | undefined, { start: number; length: number }][] = [
  ['begins now', undefined, { start: 0, length: 1 }],
  ['began 1 ms ago', 'slot_in_past', { start: -1, length: HOUR_MS }],
  ['has the maximum length', undefined, { start: 0, length: 24 * HOUR_MS }],
  ['is 1 ms longer', 'slot_too_long', { start: 0, length: 24 * HOUR_MS + 1 }],
  ['begins as late as allowed', undefined, { start: 48 * HOUR_MS, length: HOUR_MS }],
  ['begins 1 ms later', 'slot_too_far_ahead', { start: 48 * HOUR_MS + 1, length: HOUR_MS }],
]

test.each(CASES)('assertBookable() for a slot that %s', (_, reason, { start, length }) => {
  const slot = { start_time: toTimestamp(NOW + start), end_time: toTimestamp(NOW + start + length) }
  const check = () => assertBookable(slot, { now: NOW, at: toTimestamp(NOW) }, LIMITS)
  if (reason === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining({ reason }))
})
