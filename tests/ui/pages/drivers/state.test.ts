import { expect, test } from 'bun:test'
import type { Activity, Driver } from '../../../../ui/api/model/equipment/drivers.ts'
import { driverState, eventRate, holderOf, orderDrivers } from '../../../../ui/pages/drivers/state.ts'

const NOW = Date.parse('2026-11-20T14:22:00Z')
const driver = (more: Partial<Driver> = {}): Driver => ({
  ...{ id: 'd1', name: 'one', qpu: 'q1', operation: 'process', device: 'aer_sim', status: 'offline' },
  ...{ enabled: true, command_port: 0, result_port: 0, host: '', version: '', created: '' },
  last_seen: '2026-11-20 09:40:00.000Z',
  ...more,
})
const activity = (more: Partial<Activity> = {}): Activity => ({
  ...{
    id: 'd1',
    name: 'one',
    qpu: 'q1',
    connected_at: '',
    last_event: '',
    events: [],
    dropped: [],
    refused: null,
  },
  ...more,
})
const refused = (code: string, secondsAgo: number) => ({
  refused: { code, message: 'Because', at: new Date(NOW - secondsAgo * 1_000).toISOString() },
})

test.each([
  ['Connected', { status: 'online' }, {}],
  ['Drops events', { status: 'online' }, { dropped: [0, 3] }],
  ['Disabled', { enabled: false }, {}],
  ['Offline', {}, {}],
  ['Offline', {}, refused('already_connected', 60)],
  ['Standby', {}, refused('already_connected', 2)],
  ['Refused', {}, refused('forbidden', 2)],
  ['Cannot attach', {}, refused('not_attached', 2)],
  ['Never connected', { last_seen: '' }, {}],
] as const)('driverState() is %p for %p with %p', (word, more, sent) => {
  const state = driverState(driver(more as Partial<Driver>), activity(sent as Partial<Activity>), NOW)
  expect([state.word, state.isStandby]).toEqual([word, word === 'Standby'])
})

test('eventRate() is that of the last whole minutes since the driver is connected', () => {
  const events = [600, 600, 600, 60, 60, 120, 1]
  expect(eventRate(events, 4 * 60_000)).toBeCloseTo(80 / 60, 6)
  expect(eventRate(events, 3_600_000)).toBeCloseTo((600 + 600 + 60 + 60 + 120) / 300, 6)
  expect(eventRate([0, 0, 0, 0, 0, 0, 30], 15_000)).toBe(2)
  expect(eventRate([0, 0, 0, 0, 0, 30, 30], 60_000)).toBe(1)
  expect(eventRate([0, 0, 0, 0, 0, 0, 0], 0)).toBe(0)
})

test('orderDrivers() lines up operations and puts the holder before those that stand by', () => {
  const list = [
    driver({ id: 'm', operation: 'monitor' }),
    driver({ id: 'b', name: 'b' }),
    driver({ id: 'a', name: 'z', status: 'online' }),
    driver({ id: 'c', operation: 'calibrate' }),
  ]
  expect(orderDrivers(list).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'm'])
})

test('holderOf() is the connected driver of the same role', () => {
  const holder = driver({ id: 'h', status: 'online' })
  const others = [driver({ id: 'x', status: 'online', operation: 'monitor' }), driver(), holder]
  expect(holderOf(others, driver())).toBe(holder)
  expect(holderOf(others, driver({ qpu: 'q2' }))).toBeUndefined()
})
