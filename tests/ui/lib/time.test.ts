import { expect, test } from 'bun:test'
import { describeZone, formatDate, formatMoment, formatSpan, parseTime } from '../../../ui/lib/time.ts'

const noon = Date.UTC(2026, 10, 20, 12, 0, 0)

test('parseTime() reads both forms of timestamp, and returns nothing for an empty text', () => {
  expect(parseTime('2026-11-20 12:00:00.000Z')).toBe(noon)
  expect(parseTime('2026-11-20T12:00:00Z')).toBe(noon)
  for (const text of ['', undefined, null, 'soon']) expect(parseTime(text)).toBeUndefined()
})

test('formatMoment() omits the parts that equal those of the current time', () => {
  const zone = 'Europe/Stockholm'
  expect(formatMoment(Date.UTC(2026, 10, 20, 8, 5, 9), noon, zone)).toBe('09:05:09')
  expect(formatMoment(Date.UTC(2026, 10, 19, 8, 5, 9), noon, zone)).toBe('19 Nov, 09:05')
  expect(formatMoment(Date.UTC(2025, 10, 19, 8, 5, 9), noon, zone)).toBe('19 Nov 2025, 09:05')
})

test('formatMoment() uses the time zone of the reader for the day', () => {
  const lateEvening = Date.UTC(2026, 10, 19, 23, 30)
  expect(formatMoment(lateEvening, noon, 'Europe/Stockholm')).toBe('00:30:00')
  expect(formatMoment(lateEvening, noon, 'UTC')).toBe('19 Nov, 23:30')
})

test('describeZone() names the offset of the season', () => {
  expect(describeZone(noon, 'Europe/Stockholm')).toBe('Europe/Stockholm, UTC+01:00')
  expect(describeZone(Date.UTC(2026, 6, 1), 'Europe/Stockholm')).toBe('Europe/Stockholm, UTC+02:00')
  expect(describeZone(noon, 'UTC')).toBe('UTC')
})

test('formatDate() writes a date in each style, in the zone', () => {
  const at = Date.UTC(2026, 10, 20, 23, 30)
  const styles = ['written', 'iso', 'us'] as const
  expect(styles.map((dates) => formatDate(at, { timeZone: 'UTC', dates }))).toEqual([
    '20 Nov 2026',
    '2026-11-20',
    'Nov 20, 2026',
  ])
  expect(formatDate(at, { timeZone: 'Asia/Tokyo', year: false })).toBe('21 Nov')
})

test.each([
  [20_000, '20 s'],
  [360_000, '6 min'],
  [4_080_000, '1 h 08 min'],
  [7_200_000, '2 h'],
  [100 * 3_600_000, '4 d 4 h'],
])('formatSpan(%p) is %p', (ms, text) => {
  expect(formatSpan(ms)).toBe(text)
})
