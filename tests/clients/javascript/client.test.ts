import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  AuthenticationError,
  ConflictError,
  ConnectionLostError,
  IdempotencyConflictError,
  InvalidRequestError,
  JobCancelledError,
  JobFailedError,
  JobTimeoutError,
  NotFoundError,
  SvcClient,
  TooLargeError,
} from '../../../clients/js/src/index.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { BELL } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
const qpu = await service.createQpu('kelvin')
service.startDriver('kelvin', qpu, 'aer_sim')
await service.untilOnline('kelvin')
const silent = await service.createQpu('silent')
const made = await service.call<{ token: string }>('POST', '/api/tokens', { token: user.token, body: {} })
const options = { baseUrl: service.url, apiToken: made.body.token }
const svc = new SvcClient(options)
const bell = { circuits: [BELL], shots: 200, qpu: 'kelvin', seed: 7 }

describe('jobs', () => {
  test('a job is submitted, awaited and read', async () => {
    const job = await svc.submitJob({ ...bell, name: 'first', tags: ['demo'] })
    expect([job.name, job.tags, String(job)]).toEqual(['first', ['demo'], job.id])
    const result = await job.result({ timeoutMs: 30_000 })
    expect(Object.keys(result.counts()).sort()).toEqual(['00', '11'])
    expect(result.metadata['device']).toBe('aer_sim')
    const done = await svc.job(job.id)
    expect([done.status, done.isDone, done.finished && done.created <= done.finished]).toEqual([
      'completed',
      true,
      true,
    ])
    expect(done.chargedSeconds).toBeGreaterThan(0)
  })

  test('memory, registers and expectation values are those of the shots', async () => {
    const program = `OPENQASM 3.0; include "stdgates.inc"; qubit[10] q; bit[9] a; bit[1] b;
      x q[0]; h q[9]; a = measure q[0:8]; b[0] = measure q[9];`
    const [circuit] = await svc
      .run({ ...bell, circuits: [{ circuit: program, name: 'two' }], memory: true })
      .then((result) => result.circuits)
    expect(circuit?.name).toBe('two')
    expect(circuit?.register('a')).toEqual({ '000000001': 200 })
    expect(Object.values(circuit?.register('b') ?? {}).reduce((sum, count) => sum + count)).toBe(200)
    expect(circuit?.memory?.length).toBe(200)
    const tally: Record<string, number> = {}
    for (const bits of circuit?.memory ?? []) tally[bits] = (tally[bits] ?? 0) + 1
    expect(tally).toEqual({ ...circuit?.counts })
    expect(circuit?.expectation('IIIIIIIIIZ')).toEqual({ value: -1, error: 0 })
    expect(() => circuit?.register('c')).toThrow('The circuit has no register "c"; it has a, b')
    expect(() => circuit?.expectation('X')).toThrow('"X" has other characters than Z and I')
  })

  test('each set of parameters has a result', async () => {
    const program =
      'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; bit c; rx(a) q; c = measure q;'
    const circuits = [{ circuit: program, parameterValues: [[0], [Math.PI]] }]
    const result = await svc.run({ ...bell, circuits })
    expect([...result].map(({ counts }) => ({ ...counts }))).toEqual([{ '0': 200 }, { '1': 200 }])
    expect(() => result.counts(2)).toThrow('The job has 2 results; there is no number 2')
  })

  test('many jobs are awaited together and yielded as they end', async () => {
    const jobs = await Promise.all(Array.from({ length: 12 }, () => svc.submitJob(bell)))
    const ended: string[] = []
    for await (const job of svc.asCompleted(jobs, { timeoutMs: 30_000 })) ended.push(job.id)
    expect(ended.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
    expect((await svc.wait(jobs)).every(({ status }) => status === 'completed')).toBe(true)
  })

  test('jobs are listed page by page, newest first', async () => {
    const listed: number[] = []
    for await (const { created } of svc.jobs({ status: 'completed', limit: 5 }))
      listed.push(created.getTime())
    expect(listed).toHaveLength(5)
    expect(listed).toEqual(listed.toSorted((one, other) => other - one))
    const all: string[] = []
    for await (const job of svc.jobs({ tag: 'demo' })) all.push(job.name)
    expect(all).toEqual(['first'])
  })

  test('the wait survives a server that is killed', async () => {
    let held = 0
    const watched = new SvcClient({
      ...options,
      async fetch(input, init) {
        if (input.endsWith('/api/jobs/changes')) held += 1
        return fetch(input, init)
      },
    })
    const jobs = await Promise.all(
      Array.from({ length: 4 }, () => watched.submitJob({ ...bell, qpu: 'silent' })),
    )
    const waits = watched.wait(jobs, { timeoutMs: 50_000 })
    await until('the request of the wait is sent', () => held > 0)
    await service.stop('SIGKILL')
    await service.start()
    service.startDriver('silent', silent, 'mock')
    expect((await waits).map(({ status }) => status)).toEqual(jobs.map(() => 'completed'))
  })

  test('a job is watched: why it waits, until it is cancelled', async () => {
    const token = await service.admin()
    const body = { id: silent.id, maintenance: true, reason: 'warm' }
    const pause = await service.call('POST', '/api/op/qpu/maintenance', {
      token,
      body: { ...body, maintenance: false },
    })
    expect(pause.status).toBe(200)
    await service.call('POST', '/api/op/qpu/drain', {
      token,
      body: { id: silent.id, drain: true, reason: 'warm' },
    })
    const job = await svc.submitJob({ ...bell, qpu: 'silent' })
    const seen: string[] = []
    for await (const { status, waiting } of job.watch()) {
      seen.push(`${status} ${waiting?.code ?? ''}`)
      if (status === 'pending') await job.cancel()
    }
    expect([seen[0], seen.at(-1)]).toEqual(['pending draining', 'cancelled '])
    await expect(job.result()).rejects.toBeInstanceOf(JobCancelledError)
  })
})

describe('errors', () => {
  test('a timeout holds the job, which goes on', async () => {
    const job = await svc.submitJob({ ...bell, qpu: 'silent' })
    const error: unknown = await job.wait({ timeoutMs: 200 }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(JobTimeoutError)
    expect((error as JobTimeoutError).jobId).toBe(job.id)
    expect((await job.refresh()).status).toBe('pending')
    const stop = new AbortController()
    const wait = job.wait({ signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(wait).rejects.toThrow('enough')
  })

  test('a syntax error names its place', async () => {
    const error: unknown = await svc
      .submitJob({ circuits: ['OPENQASM 3.0;\nqubit q;\nh q'] })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect((error as Error).message).toContain('circuits.0.circuit: ')
    expect((error as Error).message).toMatch(/\n {2}h q\n {2} *\^/)
    const check = await svc.checkJob({ circuits: [BELL, 'h q'] })
    expect([check.accepted, check.problems[0]?.path]).toEqual([false, 'circuits.1.circuit'])
  })

  test('each has the class of its code', async () => {
    const of = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(await of(new SvcClient({ ...options, apiToken: 'no' }).me())).toBeInstanceOf(AuthenticationError)
    expect(await of(svc.job('aaaaaaaaaaaaaaa'))).toBeInstanceOf(NotFoundError)
    const idempotencyKey = crypto.randomUUID()
    const first = await svc.submitJob(bell, { idempotencyKey })
    expect((await svc.submitJob(bell, { idempotencyKey })).id).toBe(first.id)
    const other = svc.submitJob({ ...bell, shots: 3 }, { idempotencyKey })
    expect(await of(other)).toBeInstanceOf(IdempotencyConflictError)
    await first.wait()
    expect(await of(first.cancel())).toBeInstanceOf(ConflictError)
    expect(await of(svc.submitJob({ circuits: Array(301).fill(BELL) }))).toBeInstanceOf(TooLargeError)
  })

  test('a failed job throws with its reason', async () => {
    await service
      .createQpu('faulty')
      .then((faulty) => service.startDriver('faulty', faulty, 'mock', ['fail=error']))
    const outcome: unknown = await svc.run({ ...bell, qpu: 'faulty' }).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(JobFailedError)
    expect((outcome as JobFailedError).message).toMatch(/^Job [0-9a-z]{15} failed: \S/)
  })
})

describe('addresses', () => {
  test('the next one is used when one does not respond', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`
    const both = new SvcClient({ ...options, baseUrl: `${dead}, ${service.url}` })
    expect((await both.me()).role).toBe('user')
    const none = new SvcClient({ ...options, baseUrl: dead, retries: { tries: 2 } })
    const error: unknown = await none.me().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ConnectionLostError)
    expect((error as ConnectionLostError).maybeDone).toBe(false)
  })

  test('an address that is none is refused', () => {
    expect(() => new SvcClient({ baseUrl: 'svc.lab' })).toThrow('The address "svc.lab" is no URL')
    expect(() => new SvcClient({ baseUrl: [] })).toThrow(
      'No address of a server; pass baseUrl, set SVC_ADDR, or run: svc login ADDRESS',
    )
  })
})

describe('everything else', () => {
  test('QPUs, account, schedule, slots and tokens', async () => {
    expect((await svc.qpus()).map(({ name }) => name)).toContain('kelvin')
    expect((await svc.qpu('kelvin')).description?.num_qubits ?? 0).toBeGreaterThan(1)
    const start = new Date(Date.now() + 86_400_000)
    const slot = await svc.book({ start, end: new Date(start.getTime() + 3_600_000), qpu: 'kelvin' })
    const busy = await svc.schedule(start, new Date(start.getTime() + 7_200_000))
    expect(busy.some(({ kind }) => kind === 'slot')).toBe(true)
    expect(slot.id).toMatch(/^[0-9a-z]{15}$/)
    const token = await svc.tokens.create({ name: 'notebook', scope: 'read' })
    expect((await svc.tokens.list()).map(({ name }) => name)).toContain('notebook')
    await svc.tokens.update(token.id, { name: 'desk' })
    await svc.tokens.delete(token.id)
    expect((await svc.tokens.list()).map(({ name }) => name)).not.toContain('desk')
  })

  test('records are listed with filters, and their changes are streamed', async () => {
    const jobs = svc.collection<{ id: string; name: string; status: string }>('quantum_jobs')
    const { items } = await jobs.list({ filter: 'name = "first"', fields: 'id,name' })
    expect(items.map(({ name }) => name)).toEqual(['first'])
    const stop = new AbortController()
    const seen: string[] = []
    for await (const change of jobs.subscribe('*', { fields: 'id,status', signal: stop.signal })) {
      if (!change) await svc.submitJob(bell)
      else seen.push(change.action)
      if (seen.length === 2) break
    }
    stop.abort()
    expect(seen).toEqual(['create', 'update'])
  })

  test('superusers operate', async () => {
    const root = new SvcClient({ ...options, apiToken: () => service.admin() })
    const made = await root.admin.createQpu({ name: 'spare' })
    expect((await root.admin.toggleQpu({ id: made.id, enabled: false })).enabled).toBe(false)
    await root.admin.deleteQpu({ id: made.id })
    expect((await root.admin.setBalance(user.id, 5_000)).qpu_seconds).toBe(5_000)
    const job = await svc.submitJob({ ...bell, qpu: 'silent' })
    expect((await root.admin.hold(job.id, 'wait')).held).toBe(true)
    expect((await root.admin.release(job.id)).held).toBe(false)
  })
})
