import { expect, test } from 'bun:test'
import { shiftDate } from '../../../../../ui/lib/zone.ts'
import {
  formatDay,
  formatLongDay,
  formatShortDate,
  formatWeek,
  mondayOf,
  mondayOfWeek,
  shownMonday,
  weekOf,
} from '../../../../../ui/pages/bookings/logic/week.ts'

test('every date of 20 years is in the week that leads back to its Monday', () => {
  let before = ''
  for (let date = '2020-01-01'; date < '2040-01-01'; date = shiftDate(date, 1)) {
    const week = weekOf(date)
    expect(mondayOfWeek(week)).toBe(mondayOf(date))
    expect(week >= before).toBe(true)
    before = week
  }
})

test('weeks belong to the year of their Thursday', () => {
  expect(['2026-11-20', '2027-01-01', '2024-12-30', '2026-12-31'].map(weekOf)).toEqual([
    ...['2026-W47', '2026-W53', '2025-W01', '2026-W53'],
  ])
  expect(['2025-W53', '2026-W00', '2026-47', ''].map(mondayOfWeek)).toEqual(Array(4).fill(undefined))
  expect(shownMonday('nonsense', Date.UTC(2026, 10, 20), 'UTC')).toBe('2026-11-16')
})

test('weeks and days are written like in a calendar', () => {
  expect(['2026-11-16', '2026-11-30', '2026-12-28'].map(formatWeek)).toEqual([
    '16–22 November 2026',
    '30 November–6 December 2026',
    '28 December 2026–3 January 2027',
  ])
  expect([formatDay('2026-11-20'), formatShortDate('2026-11-20')]).toEqual(['Fri 20', 'Fri 20 Nov'])
  expect(formatLongDay('2026-11-21')).toBe('Saturday 21 November')
})
