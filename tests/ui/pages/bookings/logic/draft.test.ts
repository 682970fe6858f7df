import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { timeOfDay } from '../../../../../ui/lib/zone.ts'
import {
  afterKey,
  clockTime,
  draftFrom,
  drawn,
  FINE_STEP_MS,
  firstDraft,
  formatLength,
  formatTimes,
  resized,
  STEP_MS,
} from '../../../../../ui/pages/bookings/logic/draft.ts'

const MINUTE = 60_000
const at = (text: string) => Date.parse(`${text}Z`)
const ZONE = 'Europe/Stockholm'
const KEYS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']

describe('a draft', () => {
  const draft = { start: at('2026-11-21T10:15'), end: at('2026-11-21T12:30') }

  test('is drawn in either direction, snapped to its step', () => {
    expect(drawn(draft.start + 4 * MINUTE, draft.end + 2 * MINUTE, STEP_MS)).toEqual(draft)
    expect(drawn(draft.end, draft.start, STEP_MS)).toEqual(draft)
    expect(drawn(draft.start, draft.start + 2 * MINUTE, FINE_STEP_MS).end).toBe(draft.start + FINE_STEP_MS)
  })

  test('follows the keys: arrows move, Shift changes the end, Alt is finer', () => {
    const key = (name: string, shift = false, fine = false) => {
      const next = afterKey(draft, { key: name, shift, fine }, ZONE)
      return next && formatTimes(next, ZONE)
    }
    expect(key('ArrowDown')).toBe('11:30–13:45')
    expect(key('ArrowUp', false, true)).toBe('11:10–13:25')
    expect(key('ArrowDown', true)).toBe('11:15–13:45')
    expect(key('ArrowLeft', true)).toBe('11:15–12:30')
    expect(key('ArrowRight')).toBe('11:15–13:30')
    expect(key('Enter')).toBeUndefined()
  })

  test('moves by days at the same time of day over a change of the clocks', () => {
    const saturday = { start: at('2026-10-24T08:00'), end: at('2026-10-24T09:00') }
    const sunday = afterKey(saturday, { key: 'ArrowRight', shift: false, fine: false }, ZONE)
    expect(timeOfDay(sunday?.start ?? 0, ZONE)).toBe('10:00')
    expect((sunday?.start ?? 0) - saturday.start).toBe(25 * 60 * MINUTE)
  })

  test('never becomes shorter than one step', () => {
    const keys = fc.record({ key: fc.constantFrom(...KEYS), shift: fc.boolean(), fine: fc.boolean() })
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 30 }), (presses) => {
        let now: typeof draft = draft
        for (const press of presses) now = afterKey(now, press, ZONE) ?? now
        expect(now.end - now.start).toBeGreaterThanOrEqual(FINE_STEP_MS)
      }),
    )
    expect(resized(draft, 'start', draft.end + STEP_MS, STEP_MS).start).toBe(draft.end - STEP_MS)
  })

  test('begins at the next quarter of an hour', () => {
    const first = firstDraft(at('2026-11-21T10:01'), at('2026-11-16T00:00'))
    expect([formatTimes(first, 'UTC'), formatLength(first)]).toEqual(['10:15–11:15', '1 h'])
  })

  test('begins in the morning of a week to come', () => {
    const first = firstDraft(at('2026-11-21T10:01'), at('2026-11-23T00:00'))
    expect(formatTimes(first, 'UTC')).toBe('08:00–09:00')
  })

  test.each([
    ['9', '09:00'],
    ['930', '09:30'],
    ['9:30', '09:30'],
    ['1630', '16:30'],
    ['24:00', '00:00'],
    ['24:30', undefined],
    ['9:60', undefined],
    ['4 pm', undefined],
  ])('reads %p as the time %p', (typed, time) => {
    expect(clockTime(typed)).toBe(time)
  })

  test('is written with its last day if that is another one', () => {
    const night = { start: at('2026-11-20T22:00'), end: at('2026-11-21T01:30') }
    expect(formatTimes(night, 'UTC')).toBe('22:00–Sat 21 01:30')
    expect(formatTimes({ ...night, end: at('2026-11-21T00:00') }, 'UTC')).toBe('22:00–24:00')
    expect(formatLength(night)).toBe('3 h 30 min')
  })
})

test('a field that is not edited keeps its time in the hour that the clock repeats', () => {
  // 02:30 in winter time, and 02:45 before it in summer time.
  const draft = { start: at('2026-10-25T01:30'), end: at('2026-10-25T01:45') }
  const fields = { date: '2026-10-25', start: '02:30' }
  expect(draftFrom(draft, { ...fields, end: '03:30' }, ZONE)).toEqual({
    ...{ start: draft.start, end: at('2026-10-25T02:30') },
  })
  expect(draftFrom(draft, { date: '2026-10-25', start: '02:15', end: '02:45' }, ZONE)?.end).toBe(draft.end)
  expect(draftFrom(draft, { ...fields, end: '01:00' }, ZONE)?.end).toBe(at('2026-10-26T00:00'))
})
