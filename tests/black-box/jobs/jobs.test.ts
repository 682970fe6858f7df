import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATED } from '../../support/devices/gated.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import {
  balanceOf,
  type JobSeen,
  readJob,
  submit,
  timesOf,
  untilJob,
} from '../../support/executable/job-calls.ts'
import { BELL } from '../../support/executable/service.ts'
import { until } from '../../support/until.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
const qpu = await service.createQpu('kelvin')
let running: Bun.Subprocess | undefined

const bell = { circuits: [{ circuit: BELL }], shots: 100 }

function post(body: unknown, headers: Record<string, string> = {}, token = user.token) {
  return service.call<JobSeen & { code: string; message: string }>('POST', '/api/jobs', {
    token,
    body,
    headers,
  })
}

async function countJobs(): Promise<number> {
  return (await service.call<JobSeen[]>('GET', '/api/jobs?limit=1000', { token: user.token })).body.length
}

function cancel(id: string, token = user.token) {
  return service.call<JobSeen & { code: string }>('POST', `/api/jobs/${id}/cancel`, { token })
}

/** Starts the driver of the QPU and waits until it is online; the one before has to have stopped. */
async function startDriver(options: string[] = [], device = 'mock'): Promise<void> {
  running = service.startDriver('kelvin', qpu, device, options)
  await service.untilOnline('kelvin')
}

async function stopDriver(): Promise<void> {
  running?.kill('SIGTERM')
  await running?.exited
}

describe('without a driver', () => {
  test('jobs wait, with reason and place in the queue', async () => {
    const first = await submit(service, user.token)
    const second = await submit(service, user.token)
    const [one, two] = [await readJob(service, user.token, first), await readJob(service, user.token, second)]
    expect([one.status, one.waiting?.code, one.queue_position]).toEqual(['pending', 'driver_offline', 1])
    expect([two.status, two.waiting?.code, two.queue_position]).toEqual(['pending', 'driver_offline', 2])
    await cancel(first)
    expect((await readJob(service, user.token, second)).queue_position).toBe(1)
    await cancel(second)
  })

  test('an idempotency key makes one job of one body, and 422 of another', async () => {
    const key = { 'idempotency-key': 'night-run-17' }
    const before = await countJobs()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(bell, key)))
    expect(new Set(answers.map((each) => each.status))).toEqual(new Set([201]))
    const ids = new Set(answers.map((each) => each.body.id))
    expect(ids.size).toBe(1)
    expect(await countJobs()).toBe(before + 1)
    // The same job written another way is the same job; any other is not.
    const [id = ''] = ids
    expect((await post({ circuits: [BELL], shots: 100 }, key)).body.id).toBe(id)
    const other = await post({ ...bell, shots: 101 }, key)
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    const stranger = await service.createUser(10, 'stranger@example.org')
    expect((await post(bell, key, stranger.token)).body.id).not.toBe(id)
    expect((await post(bell, { 'idempotency-key': 'with a blank' })).status).toBe(400)
    await cancel(id)
    expect((await post(bell, key)).body.status).toBe('cancelled')
  })

  test('a dry run reports what would happen and stores nothing', async () => {
    const before = await countJobs()
    const dry = (body: unknown) =>
      service.call('POST', '/api/jobs?dry_run=true', { token: user.token, body }).then(({ body }) => body)
    expect(await dry({ ...bell, extensions: { color: 'red' } })).toMatchObject({
      dry_run: true,
      accepted: true,
      executions: 1,
      qubits: 2,
      qpu_target: qpu.id,
      problems: [],
      ignored: ['extensions'],
    })
    expect(await dry({ ...bell, color: 'red' })).toMatchObject({
      accepted: false,
      problems: [{ path: 'color', code: 'unknown_field' }],
    })
    const bad = await dry({ circuits: ['OPENQASM 3.0;\nqubit q;\nfoo q;'], qpu_target: 'nowhere' })
    expect(bad['accepted']).toBe(false)
    const problems = JSON.stringify(bad['problems'])
    expect(problems).toContain('"line":3')
    expect(problems).toContain('nowhere')
    expect(await countJobs()).toBe(before)
  })

  test('cancelling takes pending jobs only, and only from their owner', async () => {
    const id = await submit(service, user.token)
    const thief = await service.createUser(10, 'thief@example.org')
    expect((await cancel(id, thief.token)).status).toBe(404)
    expect((await service.call('GET', `/api/jobs/${id}`, { token: thief.token })).status).toBe(404)
    expect((await cancel(id, '')).status).toBe(401)
    const cancelled = await cancel(id)
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
    const again = await cancel(id)
    expect([again.status, again.body.code]).toEqual([409, 'not_pending'])
  })

  test('a QPU that is switched off or in maintenance refuses jobs with the reason, and keeps its queue', async () => {
    const token = await service.admin()
    const waiting = await submit(service, user.token)
    const toggle = (enabled: boolean) =>
      service.call('POST', '/api/op/qpu/toggle', { token, body: { name: 'kelvin', enabled } })
    const maintain = (maintenance: boolean, reason = '') =>
      service.call('POST', '/api/op/qpu/maintenance', { token, body: { id: qpu.id, maintenance, reason } })

    await toggle(false)
    const off = await post({ ...bell, qpu_target: 'kelvin' })
    expect([off.status, off.body.code]).toEqual([503, 'qpu_disabled'])
    expect(off.body.message).toContain('kelvin')
    expect((await readJob(service, user.token, waiting)).waiting?.code).toBe('qpu_disabled')
    await toggle(true)

    await maintain(true, 'new compressor until Monday')
    const shut = await post({ ...bell, qpu_target: qpu.id })
    expect([shut.status, shut.body.code]).toEqual([503, 'maintenance'])
    expect(shut.body.message).toContain('new compressor until Monday')
    expect((await readJob(service, user.token, waiting)).waiting?.code).toBe('maintenance')
    const listed = await service.call<{ name: string; reason: string }[]>('GET', '/api/op/qpus/availability')
    expect(listed.body).toEqual([
      expect.objectContaining({ name: 'kelvin', reason: 'maintenance: new compressor until Monday' }),
    ])
    await maintain(false)
    expect((await readJob(service, user.token, waiting)).waiting?.code).toBe('driver_offline')
    await cancel(waiting)
  })

  test.each([
    ['no circuits', { shots: 10 }, 400],
    ['an empty list', { circuits: [] }, 400],
    ['too many shots', { ...bell, shots: 1_000_001 }, 400],
    ['no shots at all', { ...bell, shots: 0 }, 400],
    ['a QPU that does not exist', { ...bell, qpu_target: 'nowhere' }, 400],
    ['more qubits than the QPU has', { circuits: ['OPENQASM 3.0; qubit[25] q;'] }, 400],
    ['a result made at home', { ...bell, status: 'completed', results: { counts: { '00': 1 } } }, 400],
    ['another owner', { ...bell, user_id: 'somebody0000000' }, 400],
    ['301 executions', { circuits: Array.from({ length: 301 }, () => BELL) }, 400],
    ['a program of another language', { circuits: ['print("hello")'] }, 400],
    ['an array', [bell], 400],
    ['nothing', undefined, 400],
  ])('%s is refused', async (_, body, status) => {
    const before = await countJobs()
    const response = await post(body)
    expect(response.status).toBe(status)
    expect(response.body.message).not.toBe('')
    expect(await countJobs()).toBe(before)
  })

  test('guests are not served', async () => {
    expect((await post(bell, {}, '')).status).toBe(401)
    expect((await post(bell, {}, 'svc_nobody')).status).toBe(401)
  })

  test('a body of 17 MB is refused with 413, before it is looked at', async () => {
    const response = await post({ circuits: [{ circuit: 'x'.repeat(17_000_000) }] })
    expect([response.status, response.body.code]).toEqual([413, 'too_large'])
  })
})

describe('with a driver', () => {
  if (RUNS_WHOLE)
    test('a program of 9 MB runs, and its results come back', async () => {
      await startDriver()
      const gates = 'x q[0];x q[0];// twice is never\n'.repeat(100_000)
      const comment = `// ${'the rest is silence '.repeat(290_000)}\n`
      const circuit = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;\n${comment}${gates}x q[1]; c = measure q;`
      expect(circuit.length).toBeGreaterThan(9_000_000)
      const id = await submit(service, user.token, { circuits: [{ circuit }], shots: 10 })
      const job = await untilJob(service, user.token, id)
      expect(job.results?.counts).toEqual({ '10': 10 })
      const record = await service.call<{ payload: { circuits: { circuit: string }[] } }>(
        'GET',
        `/api/jobs/${id}`,
        { token: user.token },
      )
      expect(record.body.payload.circuits[0]?.circuit).toBe(circuit)
      await stopDriver()
    })

  test('200,000 shots with memory come back complete; results beyond 8 MiB are refused with advice', async () => {
    await startDriver()
    const circuit = 'OPENQASM 3.0; include "stdgates.inc"; qubit[16] q; bit[16] c; h q; c = measure q;'
    const many = { circuits: [{ circuit }], shots: 200_000, memory: true }
    const job = await untilJob(service, user.token, await submit(service, user.token, many))
    const [result] = job.results?.circuit_results ?? []
    const sum = Object.values(result?.counts ?? {}).reduce((total, each) => total + each, 0)
    expect([job.status, sum]).toEqual(['completed', 200_000])
    const memory: string[] = Reflect.get(result ?? {}, 'memory')
    const counted = memory.reduce<Record<string, number>>((counts, shot) => {
      const key = Number(shot).toString(2).padStart(16, '0')
      counts[key] = (counts[key] ?? 0) + 1
      return counts
    }, {})
    expect(counted).toEqual(result?.counts ?? {})
    const body = { circuits: [{ circuit }], shots: 1_000_000, meas_level: 1 }
    const refused = await service.call<unknown>('POST', '/api/jobs', { token: user.token, body })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ data: { meas_return: { code: 'results_too_large' } } })
    expect(JSON.stringify(refused.body)).toContain('fewer shots')
    expect((await untilJob(service, user.token, await submit(service, user.token))).status).toBe('completed')
    await stopDriver()
  })

  test('running jobs cannot be cancelled, nor finished ones; each is charged once what it took', async () => {
    const before = await balanceOf(service, user)
    const gate = join(service.folder, 'gate')
    await startDriver([`gate=${gate}`], GATED)
    const submitted = performance.now()
    const id = await submit(service, user.token)
    await untilJob(service, user.token, id, ['running'])
    expect((await cancel(id)).status).toBe(409)
    writeFileSync(gate, '')
    const job = await untilJob(service, user.token, id)
    expect((await cancel(id)).status).toBe(409)
    expect([job.status, timesOf(job, 'claimed')]).toEqual(['completed', 1])
    const charged = job.charged_seconds ?? 0
    expect(charged).toBeGreaterThan(0)
    expect(charged).toBeLessThanOrEqual((performance.now() - submitted) / 1_000)
    expect(await balanceOf(service, user)).toBeCloseTo(before - charged, 3)
    await stopDriver()
  })

  test('without balance nothing is accepted; when it runs out, the queue waits, and goes on after a gift', async () => {
    const poor = await service.createUser(0, 'poor@example.org')
    const refused = await post(bell, {}, poor.token)
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_qpu_seconds'])
    const admin = await service.admin()
    const give = (qpu_seconds: number) =>
      service.call('PATCH', `/api/admin/users/${poor.id}`, { token: admin, body: { qpu_seconds } })
    await give(0.1)
    const first = await submit(service, poor.token)
    const second = await submit(service, poor.token)
    await startDriver(['latency=0.3'])
    expect((await untilJob(service, poor.token, first)).status).toBe('completed')
    expect(await balanceOf(service, poor)).toBeLessThan(0)
    expect((await readJob(service, poor.token, second)).waiting?.code).toBe('balance')
    expect((await post(bell, {}, poor.token)).status).toBe(403)
    // Others are not held up by a job that cannot be paid.
    expect((await untilJob(service, user.token, await submit(service, user.token))).status).toBe('completed')
    expect((await readJob(service, poor.token, second)).status).toBe('pending')
    await give(10)
    expect((await untilJob(service, poor.token, second)).status).toBe('completed')
    await stopDriver()
  })

  test('a superuser submits as a proxy user without limits', async () => {
    await startDriver()
    const admin = await service.admin()
    const job = await untilJob(service, admin, await submit(service, admin))
    expect(job.status).toBe('completed')
    const again = await readJob(service, admin, await submit(service, admin))
    const owner = (each: JobSeen) => Reflect.get(each, 'user_id')
    expect(owner(again)).toBe(owner(job))
    const mine = await service.call<JobSeen[]>('GET', '/api/jobs', { token: admin })
    expect(mine.body.map((each) => each.id)).toEqual([again.id, job.id])
    await stopDriver()
  })

  test('an API token submits and reads jobs until it is deleted or expired, and is shown only once', async () => {
    await startDriver()
    const make = (body: object) =>
      service.call<{ id: string; token: string }>('POST', '/api/tokens', { token: user.token, body })
    const { body: made } = await make({ name: 'laptop' })
    for (const token of [made.token, `Bearer ${made.token}`]) {
      expect((await untilJob(service, token, await submit(service, token))).status).toBe('completed')
    }
    const listed = await service.call('GET', '/api/tokens', { token: user.token })
    expect(JSON.stringify(listed.body)).not.toContain(made.token)
    expect((await service.call('POST', '/api/op/qpus/create', { token: made.token, body: {} })).status).toBe(
      403,
    )
    await service.call('DELETE', `/api/tokens/${made.id}`, { token: user.token })
    expect((await post(bell, {}, made.token)).status).toBe(401)
    const over = await make({ name: 'old', expires_at: '2020-01-01 00:00:00.000Z' })
    expect(over.status).toBe(400)
    const expires_at = new Date(Date.now() + 2_000).toISOString()
    const { body: short } = await make({ name: 'short', expires_at })
    await until('the token to expire', async () => (await post(bell, {}, short.token)).status === 401)
    await stopDriver()
  })
})
