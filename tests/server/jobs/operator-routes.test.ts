import { expect, test } from 'bun:test'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { attachLease, qpus } from '../../../src/db/store/qpus/index.ts'
import { hashToken } from '../../../src/server/access-token.ts'
import { claimNow } from '../../support/server/job-lab.ts'
import { openTestServer, type TestQpu, type TestServer } from '../../support/server/server.ts'
import { takeLease } from '../../support/take-lease.ts'

async function submitted(server: TestServer, qpu: TestQpu, count: number) {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const { id } = await server.db.write('job', (tx) =>
      tx.insert(quantumJobs, { user_id: user.id, qpu_target: qpu.id, payload: { circuits: [] } }),
    )
    ids.push(id)
  }
  return { ids, view: async (id = '') => (await server.as(user).get(`/api/jobs/${id}`)).body }
}

/** Claims a job as the dispatcher does, for a driver without sockets. */
async function claim(server: TestServer, qpu: TestQpu, job = ''): Promise<void> {
  const driver = { id: qpu.driver, token: hashToken(qpu.token), qpu: qpu.id }
  const target = await takeLease(server.db, driver)
  await attachLease(server.db, target)
  await server.db.write('claim', (tx) => claimNow(tx, job, target))
}

const act = (server: TestServer, job: string | undefined, name: string, body?: object) =>
  server.admin.post(`/api/op/jobs/${job}/${name}`, body)

test('the owner of a held job sees the hold with its reason; queue positions skip the job', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const { ids, view } = await submitted(server, qpu, 2)
  const held = await act(server, ids[0], 'hold', { reason: ' check the qubits ' })
  expect([held.status, held.get('held'), held.get('hold_reason')]).toEqual([200, true, undefined])
  expect(await view(ids[0])).toMatchObject({
    status: 'pending',
    waiting: { code: 'held', text: 'Held by an operator: check the qubits' },
    estimated_start: null,
  })
  expect(await view(ids[0])).not.toHaveProperty('queue_position')
  expect(await view(ids[1])).toMatchObject({ queue_position: 1 })
  const again = await act(server, ids[0], 'hold')
  expect([again.status, again.get('code')]).toEqual([409, 'already_held'])
  expect((await act(server, ids[0], 'release')).get('held')).toBe(false)
  expect(await view(ids[1])).toMatchObject({ queue_position: 2 })
  expect((await act(server, ids[1], 'run-next')).status).toBe(200)
  expect(await view(ids[1])).toMatchObject({ queue_position: 1 })
  expect((await act(server, ids[1], 'cancel', { reason: 'wrong QPU' })).get('status')).toBe('cancelled')
  expect(await view(ids[1])).toMatchObject({
    timeline: expect.arrayContaining([expect.objectContaining({ event: 'cancelled', detail: 'wrong QPU' })]),
  })
  const late = await act(server, ids[1], 'cancel')
  expect([late.status, late.get('code')]).toEqual([409, 'not_pending'])
})

test('requeue returns a running job to the queue, held on request; an ended job stays ended', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const { ids, view } = await submitted(server, qpu, 1)
  const early = await act(server, ids[0], 'requeue')
  expect([early.status, early.get('code')]).toEqual([409, 'not_running'])
  await claim(server, qpu, ids[0])
  const back = await act(server, ids[0], 'requeue', { hold: true, reason: 'wrong device file' })
  expect(back.body).toMatchObject({ status: 'pending', held: true, attempt: 1, driver: '' })
  expect(await view(ids[0])).toMatchObject({
    timeline: [
      { event: 'claimed' },
      { event: 'requeued', attempt: 1, detail: 'wrong device file' },
      { event: 'held', attempt: 1, detail: 'wrong device file' },
    ],
  })
  await server.admin.post(`/api/jobs/${ids[0]}/cancel`)
  const ended = await act(server, ids[0], 'requeue')
  expect([ended.status, ended.text('message')]).toEqual([
    409,
    'Only running jobs can be requeued; this one is cancelled, and what has ended never changes: submit it again as a new job.',
  ])
})

test('move changes the QPU of a pending job; its timeline says from where to where', async () => {
  await using server = await openTestServer()
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  const { ids, view } = await submitted(server, north, 2)
  const moved = await act(server, ids[0], 'move', { qpu: 'south', reason: 'warm-up' })
  expect([moved.status, moved.get('qpu_target')]).toEqual([200, south.id])
  expect(await view(ids[0])).toMatchObject({
    queue_position: 1,
    timeline: [{ event: 'moved', detail: 'from north to south: warm-up' }],
  })
  expect(await view(ids[1])).toMatchObject({ queue_position: 1 })
  const audit = await server.admin.get('/api/op/audit?action=job.move')
  expect(audit.get('entries')).toMatchObject([
    { subject: ids[0], detail: { reason: 'from north to south: warm-up' } },
  ])
  const again = await act(server, ids[0], 'move', { qpu: south.id })
  expect([again.status, again.get('code')]).toEqual([409, 'same_qpu'])
  await act(server, ids[1], 'hold')
  expect((await act(server, ids[1], 'move', { qpu: 'south' })).body).toMatchObject({ held: true })
  await claim(server, south, ids[0])
  const late = await act(server, ids[0], 'move', { qpu: 'north' })
  expect([late.status, late.get('code')]).toEqual([409, 'not_pending'])
})

test('move refuses a QPU that is unknown, closed or too small, and a simulator in place of hardware', async () => {
  await using server = await openTestServer()
  const [north, small] = [await server.createQpu('north'), await server.createQpu('small')]
  const { ids } = await submitted(server, north, 1)
  const move = async (body: object) => {
    const { status, body: answer } = await act(server, ids[0], 'move', body)
    return [status, Object(answer)['code'], Object(answer)['message']]
  }
  expect(await move({ qpu: 'west' })).toMatchObject([400, 'invalid', expect.any(String)])
  expect(await move({})).toMatchObject([400, 'invalid', expect.any(String)])
  await server.admin.post('/api/op/qpu/maintenance', { id: small.id, maintenance: true })
  expect((await move({ qpu: 'small' })).slice(0, 2)).toEqual([503, 'maintenance'])
  await server.admin.post('/api/op/qpu/maintenance', { id: small.id, maintenance: false })
  await server.db.write('needs', (tx) => {
    tx.run('UPDATE quantum_jobs SET qubits = 9')
    tx.update(qpus, small.id, { num_qubits: 5 })
  })
  expect(await move({ qpu: 'small' })).toEqual([409, 'unsupported_by_qpu', 'QPU small has 5 of 9 qubits.'])
  await server.db.write('simulator', (tx) => {
    tx.update(qpus, small.id, { num_qubits: 20 })
    tx.run('INSERT INTO qpu_descriptions (qpu, described) VALUES ($id, \'{"simulator":true}\')', {
      id: small.id,
    })
  })
  expect((await move({ qpu: 'small' })).slice(0, 2)).toEqual([409, 'is_simulator'])
  expect((await move({ qpu: 'small', to_simulator: true }))[0]).toBe(200)
})

test('actions refuse unknown jobs, and invalid bodies by field', async () => {
  await using server = await openTestServer()
  const { ids } = await submitted(server, await server.createQpu('north'), 1)
  expect((await act(server, 'aaaaaaaaaaaaaaa', 'hold')).status).toBe(404)
  for (const body of [{ reason: 5 }, { reason: 'x'.repeat(1_001) }]) {
    const response = await act(server, ids[0], 'hold', body)
    expect([response.status, Object.keys(Object(response.get('data')))]).toEqual([400, ['reason']])
  }
  expect((await act(server, ids[0], 'requeue', { hold: 'yes' })).status).toBe(400)
})
