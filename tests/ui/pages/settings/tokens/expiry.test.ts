import { expect, test } from 'bun:test'
import { EXPIRIES, expiresAt } from '../../../../../ui/pages/settings/tokens/expiry.ts'

const now = Date.UTC(2026, 10, 20, 12)

test('expiresAt() is in the future for every choice, and empty only for never', () => {
  for (const { id } of EXPIRIES) {
    const at = expiresAt(id, '2026-11-20', now)
    if (id === 'never') expect(at).toBe('')
    else expect(Date.parse(at ?? '')).toBeGreaterThan(now)
  }
  expect(expiresAt('7', '', now)).toBe('2026-11-27 12:00:00.000Z')
})

test.each(['', '2026-11-19', 'soon'])('expiresAt() refuses the date %j', (date) => {
  expect(expiresAt('custom', date, now)).toBeUndefined()
})
