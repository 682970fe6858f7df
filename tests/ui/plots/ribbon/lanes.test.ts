import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { laneOf } from '../../../../ui/plots/ribbon/lanes.ts'

const FROM = Date.UTC(2026, 10, 20, 6)
const HOUR_MS = 3_600_000
const window = { from: FROM, to: FROM + 24 * HOUR_MS, date: '2026-11-20' }
const now = FROM + 8 * HOUR_MS
const at = (hours: number) => new Date(FROM + hours * HOUR_MS).toISOString().replace('T', ' ')

const slot = (qpu: string, start: number, end: number, mine = false) => ({
  ...{ qpu, kind: 'slot' as const, start: at(start), end: at(end), mine },
})

test('a lane has the slots of its QPU and those of every QPU, cut at the window', () => {
  const busy = [slot('a', -2, 6), slot('', 12, 18, true), slot('b', 1, 2), slot('a', 30, 31)]
  const { bars } = laneOf({ busy, ticks: [], failures: [], notes: [] }, 'a', window, now)
  expect(bars.map(({ kind, left, width }) => [kind, left, width])).toEqual([
    ['booked', 0, 0.25],
    ['mine', 0.5, 0.25],
  ])
})

test('a session is drawn like a slot', () => {
  const busy = [
    { ...slot('a', 0, 6), kind: 'batch_session' as const },
    { ...slot('a', 6, 12, true), kind: 'session' as const },
  ]
  const { bars } = laneOf({ busy, ticks: [], failures: [], notes: [] }, 'a', window, now)
  expect(bars.map(({ kind, isSession }) => [kind, isSession])).toEqual([
    ['booked', true],
    ['mine', true],
  ])
})

test('an open end reaches the end of the window, that of a calibration now; queued calibrations are counted', () => {
  const open = { qpu: 'a', end: '', mine: false }
  const busy = [
    { ...open, kind: 'calibration' as const, start: at(2) },
    { ...open, kind: 'maintenance' as const, start: '' },
    { ...open, kind: 'queued_calibration' as const, start: '' },
  ]
  const { bars, queuedCalibrations } = laneOf({ busy, ticks: [], failures: [], notes: [] }, 'a', window, now)
  expect(bars.map(({ kind, left, width }) => [kind, left, width])).toEqual([
    ['calibration', 2 / 24, 6 / 24],
    ['maintenance', 0, 1],
  ])
  expect(queuedCalibrations).toBe(1)
})

test('the tick of a running job ends now', () => {
  const ticks = [
    { qpu: 'a', start: at(6), end: '' },
    { qpu: 'b', start: at(1), end: at(2) },
  ]
  expect(laneOf({ busy: [], ticks, failures: [], notes: [] }, 'a', window, now).ticks).toEqual([
    { left: 0.25, width: 8 / 24 - 0.25 },
  ])
})

test('a lane has the failures of its QPU within the window', () => {
  const failures = [
    { qpu: 'a', at: at(6) },
    { qpu: 'a', at: at(25) },
    { qpu: 'b', at: at(6) },
  ]
  expect(laneOf({ busy: [], ticks: [], failures, notes: [] }, 'a', window, now).failures).toEqual([0.25])
})

test('no part leaves the window', () => {
  const hours = fc.integer({ min: -48, max: 72 })
  fc.assert(
    fc.property(fc.array(fc.tuple(hours, hours)), (times) => {
      const busy = times.map(([one, other]) => slot('a', Math.min(one, other), Math.max(one, other)))
      for (const { left, width } of laneOf({ busy, ticks: [], failures: [], notes: [] }, 'a', window, now)
        .bars) {
        expect(left >= 0 && width >= 0 && left + width <= 1 + 1e-12).toBe(true)
      }
    }),
  )
})

test('a lane has the notes of its QPU and of every QPU that the window shows', () => {
  const note = (id: string, qpu: string, hours: number) => ({ id, qpu, at: at(hours), text: 'Refilled' })
  const notes = [note('own', 'a', 6), note('all', '', 12), note('other', 'b', 6), note('later', 'a', 30)]
  const lane = laneOf({ busy: [], ticks: [], failures: [], notes }, 'a', window, now)
  expect(lane.notes.map(({ id, left }) => [id, left])).toEqual([
    ['own', 0.25],
    ['all', 0.5],
  ])
})
