import { describe, expect, test } from 'bun:test'
import type { Slot } from '../../../../../ui/api/model/bookings.ts'
import type { Schedule } from '../../../../../ui/api/model/schedule.ts'
import { bookedWithin, entriesOf, leadOf, titleOf } from '../../../../../ui/pages/bookings/logic/entries.ts'

const at = (hour: number) => `2026-11-20 ${String(hour).padStart(2, '0')}:00:00.000Z`
const ms = (hour: number) => Date.UTC(2026, 10, 20, hour)
const busy = (from: number, to: number, more: object = {}) => ({
  ...{ qpu: 'north', kind: 'slot' as const, start: at(from), end: at(to), mine: false },
  ...more,
})
const slot = (from: number, to: number, more: Partial<Slot> = {}): Slot => ({
  ...{ id: 's', start_time: at(from), end_time: at(to), booked_by: 'u', qpu: 'north', series: '' },
  ...more,
})
const schedule = (...all: ReturnType<typeof busy>[]) => ({ busy: all, ticks: [] }) as unknown as Schedule
const hour = (at: number) => `${new Date(at).getUTCHours()}:00`

describe('entriesOf()', () => {
  test('has what occupies one QPU, with names where the records are known', () => {
    const entries = entriesOf(
      schedule(
        busy(12, 15),
        busy(8, 10, { mine: true }),
        busy(16, 17, { qpu: 'south' }),
        busy(18, 19, { qpu: '' }),
        busy(9, 10, { kind: 'queued_calibration', start: '', end: '' }),
      ),
      [slot(12, 15, { expand: { booked_by: { username: 'ferreira', email: 'f@lab.example' } } })],
      'north',
      ms(9),
    )
    expect(entries.map(titleOf)).toEqual(['Your slot', 'ferreira', 'Booked'])
    expect(entries.map(({ everyQpu }) => everyQpu)).toEqual([false, false, true])
    expect(bookedWithin({ start: ms(9), end: ms(13) }, entries) / 3_600_000).toBe(2)
  })

  test('shows what has no end until the end of the current hour', () => {
    const [entry] = entriesOf(schedule(busy(9, 9, { kind: 'calibration', end: '' })), [], 'north', ms(11) + 5)
    expect(entry).toMatchObject({ kind: 'calibration', start: ms(9), end: ms(12) })
  })
})

describe('leadOf()', () => {
  const lead = (now: number, ...all: ReturnType<typeof busy>[]) =>
    leadOf('kelvin', entriesOf(schedule(...all), [], 'north', ms(now)), ms(now), hour)

  test('says who has the QPU and when it is free', () => {
    expect(lead(9)).toBe('kelvin is free; nobody has booked it.')
    expect(lead(9, busy(12, 15))).toBe('kelvin is free until 12:00.')
    expect(lead(13, busy(12, 15, { mine: true }))).toBe('kelvin is yours until 15:00.')
    expect(lead(13, busy(12, 15, { kind: 'batch_session' }))).toBe('kelvin is held by a session until 15:00.')
    expect(lead(13, busy(12, 15), busy(15, 20))).toBe('kelvin is booked until 15:00. Next free time: 20:00.')
  })
})
