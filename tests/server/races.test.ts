import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { toTimestamp } from '../../src/base/index.ts'
import { checkInvariants } from '../../src/db/index.ts'
import { notifications, qpuTimeRequests } from '../../src/db/store/accounts/index.ts'
import { closeRow, faultRuns } from '../support/faults/fault-runs.ts'
import { BELL } from '../support/server/job-lab.ts'
import {
  openTestServer,
  startDriverProcess,
  type TestAccount,
  type TestQpu,
  type TestResponse,
  type TestServer,
} from '../support/server/server.ts'
import { until } from '../support/until.ts'

// Row H25 of docs/reference/faults.md: two callers request the same thing at the same moment, and one
// succeeds.
const PAIRS = faultRuns(60)
setDefaultTimeout(60_000 + PAIRS * 100)

/** Pairs in progress at a time, so that they also meet the other pairs. */
const CONCURRENT_PAIRS = 10
const HOUR = 3_600_000
const JOBS = '/api/jobs'
const SLOTS = '/api/collections/time_slots/records'
const REQUESTS = '/api/collections/qpu_time_requests/records'

let server: TestServer
let ada: TestAccount
let bob: TestAccount

beforeAll(async () => {
  server = await openTestServer({
    settings: { maxSlotAhead: '500000h', maxOpenTimeRequests: '1000', maxPendingJobs: '1000000' },
  })
  ada = await server.createUser({ qpuSeconds: 1_000_000 })
  bob = await server.createUser({ qpuSeconds: 1_000_000 })
})

afterAll(async () => {
  expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  await server[Symbol.asyncDispose]()
})

/** Runs `race` for each pair, several at a time; returns how often each outcome occurred. */
async function raceAll(row: string, race: (index: number) => Promise<string>): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>()
  for (let from = 0; from < PAIRS; from += CONCURRENT_PAIRS) {
    const indexes = Array.from({ length: Math.min(CONCURRENT_PAIRS, PAIRS - from) }, (_, at) => from + at)
    for (const outcome of await Promise.all(indexes.map(race))) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  closeRow(`H25 ${row}`, { pairs: PAIRS, ...Object.fromEntries(outcomes) })
  return outcomes
}

/** Statuses and reasons of both responses, the successful one first. */
const outcomeOf = (responses: readonly TestResponse[]): string =>
  responses
    .map(({ status, body }) => (status < 300 ? `${status}` : `${status} ${Object(body).code}`))
    .sort()
    .join(' / ')

test('of two decisions on a time request one is applied', async () => {
  const balance = async () =>
    Number((await server.as(ada).get(`/api/collections/users/records/${ada.id}`)).get('qpu_seconds'))
  const before = await balance()
  let granted = 0
  const outcomes = await raceAll('approve', async (index) => {
    const { id } = await server.db.write('t', (tx) =>
      tx.insert(qpuTimeRequests, { user: ada.id, seconds: 3, status: 'pending' }),
    )
    const other = index % 2 === 0 ? 'approved' : 'rejected'
    const responses = await Promise.all(
      ['approved', other].map((status) => server.admin.patch(`${REQUESTS}/${id}`, { status })),
    )
    if (responses.find(({ status }) => status === 200)?.get('status') === 'approved') granted += 1
    return outcomeOf(responses)
  })
  expect(outcomes).toEqual(new Map([['200 / 400 already_processed', PAIRS]]))
  expect(await balance()).toBe(before + 3 * granted)
})

test('of two bookings of the same hours one is created', async () => {
  const start = Date.now() + HOUR
  const outcomes = await raceAll('book', async (index) => {
    const at = (hours: number) => toTimestamp(start + (2 * index + hours) * HOUR)
    const responses = await Promise.all([
      server.as(ada).post(SLOTS, { start_time: at(0), end_time: at(1) }),
      server.as(bob).post(SLOTS, { start_time: at(0.5), end_time: at(1.5) }),
    ])
    return outcomeOf(responses)
  })
  expect(outcomes).toEqual(new Map([['200 / 400 slot_overlap', PAIRS]]))
})

test('of two drivers of the same QPU one connects', async () => {
  const toggle = (id: string, enabled: boolean) =>
    server.admin.post('/api/op/drivers/toggle', { id, enabled })
  const rivals = await Promise.all(
    // Each needs two of the twenty ports.
    Array.from({ length: 8 }, async () => {
      const qpu = await server.createQpu()
      const standby = await server.admin.post('/api/op/drivers/create', {
        name: `standby_${qpu.name}`,
        qpu: qpu.id,
        operation: 'process',
      })
      return [
        { id: qpu.driver, token: qpu.token },
        { id: standby.text('id'), token: standby.text('token') },
      ]
    }),
  )
  const free = rivals.slice()
  const outcomes = await raceAll('connect', async () => {
    const pair = await until('a free QPU', () => free.shift())
    const responses = await Promise.all(
      pair.map(({ token }) => server.guest.post('/api/op/drivers/connect', { token })),
    )
    for (const { id } of pair) {
      await toggle(id, false)
      await toggle(id, true)
    }
    free.push(pair)
    return outcomeOf(responses)
  })
  expect(outcomes).toEqual(new Map([['200 / 409 already_connected', PAIRS]]))
})

test('a dismissal is stored once per user', async () => {
  const outcomes = await raceAll('dismiss', async () => {
    const { id } = await server.db.write('t', (tx) => tx.insert(notifications, { title: 'Tea' }))
    const responses = await Promise.all(
      [ada, ada, bob].map((user) => server.as(user).post(`/api/notifications/${id}/dismiss`)),
    )
    const stored = await server.db.read((tx) => tx.find(notifications, id))
    expect(stored?.dismissed_by.toSorted()).toEqual([ada.id, bob.id].toSorted())
    return outcomeOf(responses)
  })
  expect(outcomes).toEqual(new Map([['200 / 200 / 200', PAIRS]]))
})

/** A submission for `qpu`, with an idempotency key if given. */
function submit(qpu: TestQpu, key?: string): Promise<TestResponse> {
  const body = { circuits: [{ circuit: BELL }], shots: 1, qpu_target: qpu.name }
  return server.as(ada).call('POST', JOBS, body, key === undefined ? {} : { 'idempotency-key': key })
}

test('of two submissions under one key one creates a job, and both return its id', async () => {
  const qpu = await server.createQpu()
  const outcomes = await raceAll('submit', async (index) => {
    const responses = await Promise.all([submit(qpu, `key-${index}`), submit(qpu, `key-${index}`)])
    expect(new Set(responses.map((response) => response.text('id'))).size).toBe(1)
    return outcomeOf(responses)
  })
  expect(outcomes).toEqual(new Map([['201 / 201', PAIRS]]))
  const { body } = await server.as(ada).get(`${JOBS}?limit=1000`)
  const jobs = Array.isArray(body) ? body.filter((job) => job.qpu_target === qpu.id) : []
  expect(jobs).toHaveLength(Math.min(PAIRS, 1000))
})

test('a job that is cancelled while it is dispatched is either cancelled or run', async () => {
  const qpu = await server.createQpu()
  await using _driver = await startDriverProcess(server, { token: qpu.token, options: ['latency=0'] })
  const me = server.as(ada)
  const outcomes = await raceAll('cancel', async (index) => {
    const id = (await submit(qpu)).text('id')
    // The claim comes within a few milliseconds of the submission, or of the end of the previous job.
    await Bun.sleep((index * 7) % 40)
    const responses = await Promise.all([1, 2].map(() => me.post(`${JOBS}/${id}/cancel`)))
    const cancelled = responses.filter(({ status }) => status === 200).length
    const job = await until('its end', async () => {
      const seen = await me.get(`${JOBS}/${id}`)
      return ['completed', 'cancelled'].includes(seen.text('status')) && seen
    })
    const timeline = job.get('timeline')
    const events = Array.isArray(timeline) ? timeline.map(({ event }) => event) : []
    return `${job.text('status')}, ${cancelled} accepted, ran ${events.includes('claimed')}`
  })
  for (const outcome of outcomes.keys()) {
    expect(['cancelled, 1 accepted, ran false', 'completed, 0 accepted, ran true']).toContain(outcome)
  }
})
