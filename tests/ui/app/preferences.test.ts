import { afterEach, beforeEach, expect, test } from 'bun:test'
import { CHOICES, effectiveZone, readPreferences } from '../../../ui/app/preferences.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  Object.assign(globalThis, { localStorage: { getItem: (key: string) => stored.get(key) ?? null } })
})
afterEach(() => {
  stored.clear()
  Reflect.deleteProperty(globalThis, 'localStorage')
})

test.each([
  ['nothing', undefined],
  ['text that is not JSON', '{'],
  ['another type', '[1]'],
  ['unknown choices', '{"dates":"roman","density":7}'],
])('readPreferences() returns the defaults for %s', (_name, text) => {
  if (text) stored.set('svc.preferences', text)
  expect(readPreferences()).toEqual({
    zone: '',
    dates: CHOICES.dates[0],
    density: 'comfortable',
    motion: 'system',
    views: [],
    hiddenColumns: {},
  })
})

test('readPreferences() keeps what was chosen', () => {
  stored.set('svc.preferences', '{"zone":"Asia/Tokyo","dates":"iso"}')
  expect(readPreferences()).toMatchObject({ zone: 'Asia/Tokyo', dates: 'iso' })
})

test('readPreferences() keeps saved views that are addresses of lists', () => {
  const failed = { name: 'failed', address: '/jobs?status=failed' }
  const views = [
    failed,
    { name: 'away', address: '//example.org?a' },
    { name: 'out', address: 'https://x?' },
    7,
    null,
  ]
  stored.set('svc.preferences', JSON.stringify({ views }))
  expect(readPreferences().views).toEqual([failed])
})

test('readPreferences() keeps the columns that lists do not show', () => {
  stored.set('svc.preferences', '{"hiddenColumns":{"jobs":["QPU"],"users":7}}')
  expect(readPreferences().hiddenColumns).toEqual({ jobs: ['QPU'] })
  stored.set('svc.preferences', '{"hiddenColumns":"all"}')
  expect(readPreferences().hiddenColumns).toEqual({})
})

test('effectiveZone() falls back to the zone of the browser', () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(effectiveZone('')).toBe(own)
  expect(effectiveZone('Mars/Olympus')).toBe(own)
  expect(effectiveZone('Asia/Tokyo')).toBe('Asia/Tokyo')
})
