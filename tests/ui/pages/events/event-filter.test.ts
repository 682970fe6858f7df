import { expect, test } from 'bun:test'
import { events } from '../../../../src/db/store/readings/index.ts'
import { conditionOf, type EventFilter } from '../../../../ui/pages/events/event-filter.ts'
import { openTestServer } from '../../../support/server/server.ts'

const NOW = Date.UTC(2026, 5, 10, 12)
const ALL: EventFilter = { driver: '', qpu: '', type: 'all', subject: '', from: '', to: '' }

test('conditionOf() always bounds the time that the server searches', () => {
  const condition = (part: Partial<EventFilter>, zone = 'UTC') => conditionOf({ ...ALL, ...part }, NOW, zone)
  expect(condition({})).toBe('ts >= "2026-06-03T12:00:00.000Z"')
  expect(condition({ from: '2026-01-01' })).toBe('ts >= "2026-01-01T00:00:00.000Z"')
  expect(condition({ to: '2026-02-08' })).toBe(
    'ts >= "2026-02-01T00:00:00.000Z" && ts < "2026-02-08T00:00:00.000Z"',
  )
  expect(condition({ from: '2026-99-99', to: 'soon' })).toBe(condition({}))
  expect(condition({ from: '2026-01-01' }, 'Europe/Stockholm')).toBe('ts >= "2025-12-31T23:00:00.000Z"')
})

test('the server finds the events of a driver, a QPU, a type, a subject and a time', async () => {
  await using server = await openTestServer()
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  await server.db.write('events', (tx) => {
    const add = (qpu: typeof north, type: string, ts: string, payload: object) =>
      tx.insert(events, { source: 's', driver: qpu.driver, qpu: qpu.id, type, ts, payload })
    add(north, 'CryostatReading', '2026-06-10T11:00:00.000Z', { readings: { 'plate.temperature': {} } })
    add(south, 'CryostatReading', '2026-06-09T11:00:00.000Z', { readings: { 'trap.pressure': {} } })
    add(south, 'CalibrationProgress', '2026-06-08T11:00:00.000Z', { target: 'say "q3"' })
    add(south, 'CalibrationProgress', '2026-01-08T11:00:00.000Z', { target: 'old' })
  })
  const found = async (filter: Partial<EventFilter>) => {
    const query = new URLSearchParams({ filter: conditionOf({ ...ALL, ...filter }, NOW, 'UTC'), sort: '-ts' })
    const { status, body } = await server.admin.get(`/api/collections/events/records?${query}`)
    expect(status).toBe(200)
    return (body as { items: { ts: string }[] }).items.map(({ ts }) => ts.slice(5, 10))
  }
  expect(await found({})).toEqual(['06-10', '06-09', '06-08'])
  expect(await found({ type: '' })).toEqual(['06-08'])
  expect(await found({ driver: south.driver })).toEqual(['06-09', '06-08'])
  expect(await found({ qpu: north.id })).toEqual(['06-10'])
  expect(await found({ type: 'CalibrationProgress', from: '2026-01-01' })).toEqual(['06-08', '01-08'])
  expect(await found({ subject: 'Trap.' })).toEqual(['06-09'])
  expect(await found({ subject: '"q3' })).toEqual(['06-08'])
  expect(await found({ from: '2026-06-09', to: '2026-06-10' })).toEqual(['06-09'])
})
