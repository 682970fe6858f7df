import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

test('an interval is recalled and withdrawn: mark, refund, notice, ledger and audit', async () => {
  await using server = await openTestServer()
  const { db, admin } = server
  const owner = await server.createUser({ qpuSeconds: 10 })
  const qpu = await server.createQpu()
  const ended = toTimestamp(Date.now() - 60_000)
  const { id } = await db.write('job', (tx) => {
    const row = {
      user_id: owner.id,
      qpu: qpu.id,
      status: 'completed',
      started_at: ended,
      finished_at: ended,
    } as const
    const job = tx.insert(quantumJobs, { ...row, attempt: 1, name: 'mine', results: { counts: { '0': 1 } } })
    tx.run('UPDATE quantum_jobs SET claimed_at = finished_at WHERE id = $id', { id: job.id })
    tx.run(
      `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at) VALUES ($user, 'charge', $id, -2500, $at)`,
      { id: job.id, user: owner.id, at: ended },
    )
    tx.run('UPDATE users SET qpu_ms = qpu_ms - 2500 WHERE id = $id', { id: owner.id })
    return job
  })
  const client = server.as(owner)
  const balance = async () => JSON.stringify((await client.get('/api/me')).get('balance'))
  expect((await client.get(`/api/jobs/${id}`)).get('recalled')).toBeNull()
  // Pages read a job again when it is published.
  await using stream = await listenAs(client, 'quantum_jobs/*')
  const published = (times: number) =>
    until(`${times} updates`, () => stream.of('quantum_jobs/*').length === times)
  const body = { qpu: qpu.name, from: toTimestamp(Date.now() - 3_600_000), to: ended, reason: 'warm' }
  const made = await admin.post('/api/op/recalls', body)
  expect([made.status, made.get('qpu'), made.get('undone_at')]).toEqual([201, qpu.id, ''])
  expect((await client.get(`/api/jobs/${id}`)).get('recalled')).toMatchObject({
    recall: made.get('id'),
    reason: 'warm',
  })
  const listed = async () => (await client.get('/api/jobs?fields=id,recalled')).body
  expect(await listed()).toEqual([{ id, recalled: expect.objectContaining({ reason: 'warm' }) }])
  const found = async () => {
    const paths = ['true', 'false'].map((recalled) => `/api/jobs/count?recalled=${recalled}`)
    return Promise.all(paths.map(async (path) => (await client.get(path)).get('count')))
  }
  expect(await found()).toEqual([1, 0])
  expect((await client.get('/api/jobs?recalled=true&fields=id')).body).toEqual([{ id }])
  await until('the refund', async () => (await balance()).includes('"qpu_seconds":10,'))
  await published(1)
  const ledger = (await client.get('/api/ledger?limit=1')).body
  expect(ledger).toMatchObject({ entries: [{ kind: 'refund', source: id, name: 'mine', seconds: 2.5 }] })
  const notices = (await client.get('/api/collections/notifications/records')).body
  expect(notices).toMatchObject({ items: [{ title: 'Results were recalled' }] })
  expect((await client.get(`/api/recalls?qpu=${qpu.name}`)).body).toMatchObject([
    { reason: 'warm', to: ended },
  ])

  const path = `/api/op/recalls/${made.get('id')}/undo`
  expect((await admin.post(path, { reason: 'the sensor was wrong' })).status).toBe(200)
  expect((await client.get(`/api/jobs/${id}`)).get('recalled')).toBeNull()
  expect(await listed()).toEqual([{ id, recalled: null }])
  expect(await found()).toEqual([0, 1])
  await until('the deduction', async () => (await balance()).includes('"qpu_seconds":7.5,'))
  await published(2)
  expect((await admin.post(path, { reason: 'again' })).get('code')).toBe('already_undone')
  const audit = (await admin.get('/api/op/audit?action=recall.undo')).body
  expect(audit).toMatchObject({
    entries: [{ subject: made.get('id'), detail: { reason: 'the sensor was wrong' } }],
  })
})

test('what cannot be recalled is refused with the reason', async () => {
  await using server = await openTestServer()
  const { db, admin } = server
  const qpu = await server.createQpu()
  const declare = async (body: object) => {
    const answer = await admin.post('/api/op/recalls', { reason: 'bad', ...body })
    return [answer.status, answer.get('code')]
  }
  const [from, to] = ['2026-01-01', '2026-01-02']
  expect((await declare({ report: 'none' }))[0]).toBe(404)
  expect((await declare({ qpu: qpu.name, from }))[0]).toBe(400)
  expect((await declare({ qpu: qpu.name, from, to, report: 'x' }))[0]).toBe(400)
  expect((await declare({ qpu: 'nowhere', from, to }))[0]).toBe(400)
  expect((await declare({ qpu: qpu.name, from: to, to: from }))[0]).toBe(400)
  expect((await declare({ qpu: qpu.name, from, to: '2999-01-01' }))[0]).toBe(400)
  expect((await declare({ qpu: qpu.name, from, to, reason: ' ' }))[0]).toBe(400)
  const at = toTimestamp(Date.now())
  const row = { qpu: qpu.id, driver: '', mode: 'full', started_at: at, finished_at: at } as const
  const [failed, good] = await db.write('reports', (tx) => [
    tx.insert(calibrationResults, { ...row, status: 'failed', run_id: 'r1' }),
    tx.insert(calibrationResults, { ...row, status: 'success', run_id: 'r2' }),
  ])
  expect(await declare({ report: failed?.id })).toEqual([409, 'report_not_in_force'])
  expect((await declare({ report: good?.id }))[0]).toBe(201)
  expect(await declare({ report: good?.id })).toEqual([409, 'already_recalled'])
})
