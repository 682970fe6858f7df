import { describe, expect, test } from 'bun:test'
import { request as open } from 'node:http'
import { cancelJob, quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { COUNTS } from '../../../../src/server/admission/limits.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer, type TestClient, type TestServer } from '../../../support/server/server.ts'
import { rawGet } from '../../../support/sockets/raw-get.ts'
import { until } from '../../../support/until.ts'

async function withJob(test: TestServer) {
  await test.createQpu()
  const user = await test.createUser({ qpuSeconds: 100 })
  const client = test.as(user)
  const submit = async () => (await client.post('/api/jobs', { circuit: BELL })).text('id')
  return { user, client, submit, id: await submit() }
}

const cancel = (client: TestClient, id: string) => client.post(`/api/jobs/${id}/cancel`)

async function waiting(test: TestServer): Promise<number> {
  const { body } = await test.guest.get('/metrics')
  return Number(/^svc_waiting_requests (\d+)$/m.exec(String(body))?.[1])
}

const untilWaiting = (test: TestServer, count: number) =>
  until(`${count} waiting requests`, async () => (await waiting(test)) === count)

describe('GET /api/jobs/:id?wait=', () => {
  test('responds when the job has ended, with the whole view', async () => {
    await using test = await openTestServer()
    const { client, id } = await withJob(test)
    const response = client.get(`/api/jobs/${id}?wait=60`)
    await untilWaiting(test, 1)
    await cancel(client, id)
    const { status, body } = await response
    expect([status, body]).toEqual([200, expect.objectContaining({ id, status: 'cancelled' })])
    expect(body).toHaveProperty('timeline')
    expect(await waiting(test)).toBe(0)
  })

  test('responds at once when the status is already the awaited one, or with wait=0', async () => {
    await using test = await openTestServer()
    const { client, id } = await withJob(test)
    expect((await client.get(`/api/jobs/${id}?wait=0`)).text('status')).toBe('pending')
    expect((await client.get(`/api/jobs/${id}?wait=60&status=running`)).text('status')).toBe('pending')
    await cancel(client, id)
    expect((await client.get(`/api/jobs/${id}?wait=60`)).text('status')).toBe('cancelled')
    expect((await client.get(`/api/jobs/${id}?wait=60&status=pending`)).text('status')).toBe('cancelled')
  })

  test('responds with the present state when the time is over', async () => {
    const clock = new FakeClock()
    await using test = await openTestServer({ clock })
    const { client, id } = await withJob(test)
    const response = client.get(`/api/jobs/${id}?wait=1&fields=status`)
    await untilWaiting(test, 1)
    await clock.advance(999)
    expect(await waiting(test)).toBe(1)
    await clock.advance(251)
    expect((await response).body).toEqual({ status: 'pending' })
  })

  test('refuses more than 60 s, other numbers and unknown statuses', async () => {
    await using test = await openTestServer()
    const { client, id } = await withJob(test)
    for (const query of ['wait=61', 'wait=-1', 'wait=1.5', 'wait=x', 'wait=1&status=done']) {
      expect([query, (await client.get(`/api/jobs/${id}?${query}`)).status]).toEqual([query, 400])
    }
  })

  test('refuses the 501st request of a user, whichever credentials it has, with Retry-After', async () => {
    await using test = await openTestServer()
    const { user, client, id } = await withJob(test)
    const token = (await client.post('/api/tokens', { name: 'program' })).text('token')
    const others = Array.from({ length: COUNTS.waitingRequests.bounds.account }, () =>
      rawGet(test.url, `/api/jobs/${id}?wait=60`, user.token),
    )
    await untilWaiting(test, COUNTS.waitingRequests.bounds.account)
    const refused = await test.as({ token }).get(`/api/jobs/${id}?wait=1`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(refused.body).toMatchObject({ code: 'too_many_waiting_requests' })
    expect((await client.get(`/api/jobs/${id}`)).status).toBe(200)
    await test.db.write('cancel', (tx) => cancelJob(tx, id))
    const statuses = (await Promise.all(others)).map(({ body }) => JSON.parse(body).status)
    expect(new Set(statuses)).toEqual(new Set(['cancelled']))
  })

  test('jobs of others are not found; a job that is removed while waiting neither', async () => {
    await using test = await openTestServer()
    const { client, id } = await withJob(test)
    const other = await test.createUser()
    expect((await test.as(other).get(`/api/jobs/${id}?wait=60`)).status).toBe(404)
    const response = client.get(`/api/jobs/${id}?wait=60`)
    await untilWaiting(test, 1)
    await test.db.write('remove', (tx) => tx.remove(quantumJobs, id))
    expect((await response).status).toBe(404)
  })

  test('credentials that become invalid while waiting see nothing', async () => {
    await using test = await openTestServer()
    const { user, client, id } = await withJob(test)
    const response = client.get(`/api/jobs/${id}?wait=60`)
    await untilWaiting(test, 1)
    await test.admin.patch(`/api/collections/users/records/${user.id}`, { disabled: true })
    await test.db.write('cancel', (tx) => cancelJob(tx, id))
    expect((await response).status).toBe(401)
  })

  test('a connection that ends gives its place back', async () => {
    await using test = await openTestServer()
    const { user, id } = await withJob(test)
    const request = open(`${test.url}/api/jobs/${id}?wait=60`, { headers: { authorization: user.token } })
    request.on('error', () => undefined).end()
    await untilWaiting(test, 1)
    request.destroy()
    await untilWaiting(test, 0)
  })

  test('the stop of the server answers with the present state', async () => {
    await using test = await openTestServer()
    const { client, id } = await withJob(test)
    const responses = Array.from({ length: 100 }, () => client.get(`/api/jobs/${id}?wait=60`))
    await untilWaiting(test, 100)
    await test.close()
    const seen = (await Promise.all(responses)).map((each) => `${each.status} ${each.text('status')}`)
    expect(new Set(seen)).toEqual(new Set(['200 pending']))
  })
})
