import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { timeOfDay, wallTime } from '../../../../ui/lib/zone.ts'
import {
  axisMarks,
  describeLength,
  shareOf,
  windowAround,
  windowOfDate,
} from '../../../../ui/plots/ribbon/time-window.ts'

const HOUR_MS = 3_600_000
const ZONES = ['Europe/Stockholm', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']

test('the window around now contains now in its first half and starts at a multiple of three hours', () => {
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 1) })
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), (now, zone) => {
      const window = windowAround(now, zone)
      expect(window.from).toBeLessThan(now)
      expect((now - window.from) / HOUR_MS).toBeGreaterThanOrEqual(7)
      expect((now - window.from) / HOUR_MS).toBeLessThanOrEqual(12)
      expect((window.to - window.from) / HOUR_MS).toBeGreaterThanOrEqual(23)
      expect((window.to - window.from) / HOUR_MS).toBeLessThanOrEqual(25)
      const { minute, second } = wallTime(window.from, zone)
      expect([minute % 30, second]).toEqual([0, 0])
    }),
    { numRuns: 300 },
  )
})

test('a day has as many marks as hours, and every third has a label', () => {
  const marksOn = (date: string) => {
    const window = windowOfDate(date, 'Europe/Stockholm')
    if (!window) throw new Error('no window')
    return { marks: axisMarks(window, 'Europe/Stockholm'), length: describeLength(window) }
  }
  const ordinary = marksOn('2026-11-20')
  expect(ordinary.marks).toHaveLength(25)
  expect(ordinary.marks.filter(({ label }) => label).map(({ label }) => label)).toEqual([
    ...['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00'],
  ])
  expect(ordinary.length).toBe('')
  expect(marksOn('2026-03-29').marks).toHaveLength(24)
  expect(marksOn('2026-03-29').length).toBe('23 h: the clocks change')
  expect(marksOn('2026-10-25').marks).toHaveLength(26)
  expect(marksOn('2026-10-25').length).toBe('25 h: the clocks change')
})

test('marks are in order from 0 to 1 and name the time at their place', () => {
  for (const zone of ZONES) {
    for (const date of ['2026-03-29', '2026-04-05', '2026-09-06', '2026-10-25', '2026-06-01']) {
      const window = windowOfDate(date, zone)
      if (!window) throw new Error('no window')
      const marks = axisMarks(window, zone)
      const places = marks.map(({ at }) => at)
      expect(places).toEqual(places.toSorted((one, other) => one - other))
      for (const { at, label } of marks) {
        expect(at >= 0 && at <= 1).toBe(true)
        if (label)
          expect(timeOfDay(Math.round(window.from + at * (window.to - window.from)), zone)).toBe(label)
      }
    }
  }
})

test('what is no date has no window, and shares may lie outside', () => {
  expect(windowOfDate('2026-02-30', 'UTC')).toBeUndefined()
  const window = { from: 100, to: 200, date: '' }
  expect([50, 100, 150, 200, 250].map((at) => shareOf(window, at))).toEqual([-0.5, 0, 0.5, 1, 1.5])
})
