import { describe, expect, test } from 'bun:test'
import { WAIT_LIMITS } from '../../../../src/server/waiting/waits.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

const PATH = '/api/jobs/changes'

async function withJobs(server: TestServer, count: number) {
  await server.createQpu()
  const client = server.as(await server.createUser({ qpuSeconds: 100 }))
  const ids: string[] = []
  for (let each = 0; each < count; each += 1)
    ids.push((await client.post('/api/jobs', { circuit: BELL })).text('id'))
  const pending = ids.map((id) => ({ id, status: 'pending' }))
  return { client, ids, pending, cancel: (id = '') => client.post(`/api/jobs/${id}/cancel`) }
}

const untilWaiting = (server: TestServer, count: number) =>
  until(`${count} waiting requests`, async () => {
    const { body } = await server.guest.get('/metrics')
    return Number(/^svc_waiting_requests (\d+)$/m.exec(String(body))?.[1]) === count
  })

const idsOf = (response: { get(name: string): unknown }) =>
  (response.get('jobs') as { id: string }[]).map(({ id }) => id)

describe('POST /api/jobs/changes', () => {
  test('returns what the caller does not know: jobs with another status, without their programs', async () => {
    await using server = await openTestServer({ clock: new FakeClock() })
    const { client, ids, pending, cancel } = await withJobs(server, 3)
    await cancel(ids[1])
    const changed = await client.post(PATH, { known: pending })
    expect(idsOf(changed)).toEqual([ids[1] ?? ''])
    const [job] = changed.get('jobs') as Record<string, unknown>[]
    expect(job).toMatchObject({ status: 'cancelled', charged_seconds: null, timeline: expect.any(Array) })
    expect(job).not.toHaveProperty('payload')
    const unread = await client.post(PATH, { known: ids.map((id) => ({ id })) })
    expect(idsOf(unread).toSorted()).toEqual(ids.toSorted())
    expect((await client.post(PATH, { known: pending.slice(2) })).body).toEqual({ jobs: [], unknown: [] })
  })

  test('names jobs that do not exist, belong to others, or are no ids', async () => {
    await using server = await openTestServer()
    const { pending } = await withJobs(server, 1)
    const other = server.as(await server.createUser())
    const known = [...pending, { id: 'aaaaaaaaaaaaaaa' }, { id: '../tokens' }]
    const unknown = known.map(({ id }) => id)
    expect((await other.post(PATH, { known, wait: 60 })).body).toEqual({ jobs: [], unknown })
  })

  test('responds when the first job changes, and with nothing when the time is over', async () => {
    const clock = new FakeClock()
    await using server = await openTestServer({ clock })
    const { client, ids, pending, cancel } = await withJobs(server, 3)
    const first = client.post(PATH, { known: pending, wait: 60 })
    await untilWaiting(server, 1)
    await cancel(ids[2])
    expect(idsOf(await first)).toEqual([ids[2] ?? ''])
    const second = client.post(PATH, { known: pending.slice(0, 2), wait: 0.5 })
    await untilWaiting(server, 1)
    await clock.advance(751)
    expect((await second).body).toEqual({ jobs: [], unknown: [] })
    await untilWaiting(server, 0)
  })

  test('returns at most 50 jobs at a time: the others with the next request', async () => {
    await using server = await openTestServer({ clock: new FakeClock(), settings: { submitRate: '0' } })
    const { client, ids } = await withJobs(server, 60)
    const known = ids.map((id) => ({ id, status: '' }))
    const first = idsOf(await client.post(PATH, { known }))
    const rest = known.map((job) => (first.includes(job.id) ? { ...job, status: 'pending' } : job))
    const second = idsOf(await client.post(PATH, { known: rest }))
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([50, 10, 60])
  })

  test('refuses more than 500 jobs, other fields and times, and guests', async () => {
    await using server = await openTestServer()
    const { client, pending } = await withJobs(server, 1)
    const many = Array.from({ length: WAIT_LIMITS.jobsOfRequest + 1 }, (_, at) => ({ id: `job${at}` }))
    for (const body of [
      { known: many },
      { known: [] },
      { known: pending, wait: 61 },
      { known: pending, x: 1 },
    ])
      expect((await client.post(PATH, body)).status).toBe(400)
    expect((await client.post(PATH, { known: many.slice(1) })).status).toBe(200)
    expect((await server.guest.post(PATH, { known: pending })).status).toBe(401)
  })
})
