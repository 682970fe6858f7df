import { expect, test } from 'bun:test'
import { formatCursor, timeLabels } from '../../../../ui/plots/time-series/time-axis.ts'

const HOUR_MS = 3_600_000
const at = (text: string) => Date.parse(text)

test('timeLabels() shows times of the zone, and the date at its midnight', () => {
  const ticks = [at('2026-11-19T21:00Z'), at('2026-11-19T23:00Z'), at('2026-11-20T01:00Z')]
  expect(timeLabels(ticks, 2 * HOUR_MS, 'Europe/Stockholm')).toEqual(['22:00', '20 Nov', '02:00'])
})

test('timeLabels() shows seconds, days or months for short and long steps', () => {
  const tick = at('2026-11-20T03:58:20Z')
  expect(timeLabels([tick], 10_000, 'UTC')).toEqual(['03:58:20'])
  expect(timeLabels([tick], 48 * HOUR_MS, 'UTC')).toEqual(['20 Nov'])
  expect(timeLabels([tick], 30 * 24 * HOUR_MS, 'UTC')).toEqual(['Nov 2026'])
})

test('formatCursor() names the day, and seconds below a minute per bucket', () => {
  const moment = at('2026-11-20T03:58:20Z')
  expect(formatCursor(moment, 60_000, 'UTC')).toBe('Fri 20 Nov, 03:58')
  expect(formatCursor(moment, 15_000, 'UTC')).toBe('Fri 20 Nov, 03:58:20')
})
