import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromControl, toControl } from '../../../../ui/admin/drawer/dates.ts'

test('a stored time is shown in the zone and read back, in winter and in summer', () => {
  expect(toControl('2026-01-31 09:05:00.000Z', 'Europe/Stockholm')).toBe('2026-01-31 10:05')
  expect(toControl('2026-07-31 09:05:00.000Z', 'Europe/Stockholm')).toBe('2026-07-31 11:05')
  expect(fromControl('2026-07-31T11:05', 'Europe/Stockholm')).toBe('2026-07-31 09:05:00.000Z')
  expect(fromControl('', 'UTC')).toBe('')
  expect(fromControl('tomorrow', 'UTC')).toBeUndefined()
  expect(fromControl('2026-13-01 00:00', 'UTC')).toBeUndefined()
  expect(fromControl('2026-01-31', 'UTC')).toBe('2026-01-31 00:00:00.000Z')
  expect(toControl('', 'UTC')).toBe('')
})

test('what is shown is read back as a time that is shown alike', () => {
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Stockholm',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Pacific/Apia',
  )
  fc.assert(
    fc.property(
      zone,
      fc.date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      (timeZone, date) => {
        const stored = date.toISOString().replace('T', ' ')
        const shown = toControl(stored, timeZone)
        // In the hour that a change of the clocks repeats, the other time is meant.
        expect(toControl(fromControl(shown, timeZone) ?? '', timeZone)).toBe(shown)
      },
    ),
  )
})
