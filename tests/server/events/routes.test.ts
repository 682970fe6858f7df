import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { drivers } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

interface Series {
  driver: string
  from: string
  to: string
  step_ms: number
  series: {
    channel: string
    unit: string
    last: string
    value: number | null
    at: number[]
    min: number[]
    mean: number[]
    max: number[]
    count: number[]
  }[]
}

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 5, 10, 12)

/**
 * A server on 10 June 2026, at noon, with a monitor that has read two channels once a minute for two hours.
 */
async function openLab() {
  const clock = new FakeClock(NOW)
  const server = await openTestServer({ clock })
  const qpu = await server.createQpu('north')
  const driver = await addMonitor(server, qpu.id, 'fridge')
  await server.db.write('readings', (tx) => {
    for (let minute = -120; minute < 0; minute += 1) {
      const ts = toTimestamp(NOW + minute * 60_000).replace(' ', 'T')
      const readings = {
        't.mixing': { value: minute, unit: 'K', status: 'ok' },
        ...(minute >= -60 ? {} : { 'p.still': { value: 1, unit: 'mbar', status: 'ok' } }),
      }
      tx.insert(events, { source: 'fridge', driver, type: 'CryostatReading', ts, payload: { readings } })
    }
  })
  const user = server.as(await server.createUser())
  const get = async (query: Record<string, string>) => {
    const response = await user.get(`/api/events/series?${new URLSearchParams(query)}`)
    expect([response.status, response.body]).toEqual([200, expect.anything()])
    return response.body as Series
  }
  await until(
    'the roll-up',
    async () => {
      const { series } = await get({ driver })
      return series[1]?.last === toTimestamp(NOW - 60_000)
    },
    { clock },
  )
  return {
    ...server,
    clock,
    qpu,
    driver,
    user,
    get,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function addMonitor(server: TestServer, qpu: string, name: string): Promise<string> {
  return server.db.write('monitor', (tx) => {
    const token = `${name} ${tx.list(drivers).length}`
    return tx.insert(drivers, { name, operation: 'monitor', qpu, token }).id
  })
}

test('a chart receives minimum, mean and maximum of each bucket, of all channels or of some', async () => {
  await using lab = await openLab()
  const range = { from: '2026-06-09T12:00', to: '2026-06-10T12:00', points: '24' }
  const day = await lab.get({ driver: lab.driver, ...range })
  expect(day).toEqual({
    driver: lab.driver,
    from: '2026-06-09 12:00:00.000Z',
    to: '2026-06-10 12:00:00.000Z',
    step_ms: HOUR_MS,
    series: [
      {
        channel: 'p.still',
        unit: 'mbar',
        last: '2026-06-10 10:59:00.000Z',
        value: 1,
        at: [NOW - 2 * HOUR_MS],
        min: [1],
        mean: [1],
        max: [1],
        count: [60],
      },
      {
        channel: 't.mixing',
        unit: 'K',
        last: '2026-06-10 11:59:00.000Z',
        value: -1,
        at: [NOW - 2 * HOUR_MS, NOW - HOUR_MS],
        min: [-120, -60],
        mean: [-90.5, -30.5],
        max: [-61, -1],
        count: [60, 60],
      },
    ],
  })
  expect((await lab.get({ driver: 'fridge', ...range, channel: 't.mixing, none' })).series).toEqual(
    day.series.slice(1),
  )
  const fine = await lab.get({
    driver: 'fridge',
    from: '2026-06-10 11:00',
    to: '2026-06-10T13:05:00+01:00',
    points: '2000',
  })
  expect([fine.from, fine.to, fine.step_ms]).toEqual([
    '2026-06-10 11:00:00.000Z',
    '2026-06-10 12:05:00.000Z',
    2_000,
  ])
  expect(fine.series.map(({ at }) => at.length)).toEqual([0, 60])
})

test('a range without readings has channels with empty lists, a driver without readings has no channel', async () => {
  await using lab = await openLab()
  const empty = await lab.get({ driver: 'fridge', from: '2020-01-01', to: '2020-01-02' })
  expect(empty.series.map(({ channel, at, count }) => [channel, at, count])).toEqual([
    ['p.still', [], []],
    ['t.mixing', [], []],
  ])
  expect((await lab.get({ driver: lab.qpu.driver })).series).toEqual([])
  expect(
    (await lab.get({ driver: 'fridge', from: '0001-01-01', to: '9999-12-31', points: '1' })).series.length,
  ).toBe(2)
})

test('a new reading appears in the series at once, even for the same range', async () => {
  await using lab = await openLab()
  const { db, driver } = lab
  await db.write('a reading in another unit', (tx) =>
    tx.insert(events, {
      source: 'fridge',
      driver,
      type: 'CryostatReading',
      ts: '2026-06-10T11:59:30.000Z',
      payload: { readings: { 't.mixing': { value: 5, unit: 'mK', status: 'ok' } } },
    }),
  )
  const { series } = await lab.get({ driver: 'fridge', channel: 't.mixing', points: '24' })
  expect(series.map(({ unit, mean }) => [unit, mean])).toEqual([
    ['K', [-90.5, -30.5]],
    ['mK', [5]],
  ])
})

test('invalid queries are refused by field', async () => {
  await using lab = await openLab()
  await addMonitor(lab, lab.qpu.id, 'twin')
  await addMonitor(lab, lab.qpu.id, 'twin')
  for (const [query, field, message] of [
    ['', 'driver', 'Cannot be blank.'],
    ['driver=twin', 'driver', '2 drivers have the name twin; use an id.'],
    ['driver=fridge&points=0', 'points', 'Expected at least 1 (got 0).'],
    ['driver=fridge&points=2001', 'points', 'Expected at most 2000 (got 2001).'],
    ['driver=fridge&points=many', 'points', 'Expected a whole number from 1 to 2000 (got "many").'],
    ['driver=fridge&from=today', 'from', undefined],
    [
      'driver=fridge&from=2026-06-10&to=2026-06-10',
      'to',
      'Must be after from, which is 2026-06-10 00:00:00.000Z.',
    ],
  ] as const) {
    const response = await lab.user.get(`/api/events/series?${query}`)
    expect([query, response.status]).toEqual([query, 400])
    expect(response.get('data')).toMatchObject({ [field]: message ? { message } : {} })
  }
  const unknown = await lab.user.get('/api/events/series?driver=nobody')
  expect([unknown.status, unknown.get('message')]).toEqual([404, 'There is no driver nobody.'])
  expect((await lab.guest.get('/api/events/series?driver=fridge')).status).toBe(401)
})

test('the channels of a large driver share the buckets of a response', async () => {
  await using lab = await openLab()
  const { db, driver } = lab
  const readings = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`c${at}`, { value: 1, unit: 'K', status: 'ok' }]),
  )
  await db.write('a large reading', (tx) =>
    tx.insert(events, {
      source: 'fridge',
      driver,
      type: 'CryostatReading',
      ts: '2026-06-10T11:59:30.000Z',
      payload: { readings },
    }),
  )
  const hour = { driver, from: '2026-06-10T11:00Z', points: '2000' }
  const isWhole = async () => (await lab.get(hour)).series.length >= 500
  await until('all parts of the reading', isWhole, { clock: lab.clock })
  expect((await lab.get(hour)).step_ms).toBe(300_000)
  expect((await lab.get({ ...hour, channel: 'c1' })).step_ms).toBe(2_000)
})
