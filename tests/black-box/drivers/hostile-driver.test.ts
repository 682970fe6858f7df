import { Database } from 'bun:sqlite'
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import {
  type Connection,
  type ConnectResponse,
  connect,
  DEFAULT_LIMITS,
} from '../../../src/protocol/index.ts'
import { GATED } from '../../support/devices/gated.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { balanceOf, readJob, submit, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { until } from '../../support/until.ts'

// A registered driver whose machine was broken into: it has a valid token, and no manners.
setDefaultTimeout(180_000)

const MIB = 1024 * 1024
const { service, user } = await openFileService()
const evil = await service.createQpu('evil')
const ca = await (await fetch(`${service.url}/api/pub/root-ca.pem`)).text()
const opened: Connection[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

interface Command {
  type: string
  job: string
  attempt: number
  epoch: number
  event: string
  applied: boolean
}

/** Attaches as the evil driver. */
async function attach() {
  const path = '/api/op/drivers/connect'
  const { status, body } = await service.call<ConnectResponse>('POST', path, { body: { token: evil.token } })
  expect(status).toBe(200)
  const commands: Command[] = []
  const endings: string[] = []
  const own = {
    host: '127.0.0.1',
    ca,
    user: body.id,
    password: body.auth_token,
    clock: systemClock,
    log: silentLog,
    reconnect: false as const,
    // It is free to send anything.
    limits: { ...DEFAULT_LIMITS, toServerBytes: 200 * MIB, queuedBytes: 400 * MIB, queuedMessages: 100_000 },
    onClose: (reason: string) => void endings.push(reason),
  }
  const result = connect({ ...own, role: 'push', port: body.result_port })
  opened.push(result)
  await until('the result socket', async () => result.ready)
  const onMessage = (text: Uint8Array) => void commands.push(JSON.parse(Buffer.from(text).toString()))
  const command = connect({ ...own, role: 'pull', port: body.command_port, onMessage })
  opened.push(command)
  await until('the command socket', async () => command.ready)
  let count = 0
  return {
    commands,
    endings,
    send: (text: string) => result.send(text),
    event(type: string, payload: unknown, id = `e${++count}`) {
      return result.send(JSON.stringify({ type, id, ts: new Date().toISOString(), payload }))
    },
    /** Waits for a job to be dispatched to it. */
    job: () => until('a job', async () => commands.find((each) => each.type === 'RunJob')),
    ack: (event: string) =>
      until(`the response to ${event}`, async () => commands.find((each) => each.event === event)),
  }
}

/** The end of an attempt; `outcome` are changes of its only result. */
function completed(
  { job, attempt, epoch }: Pick<Command, 'job' | 'attempt' | 'epoch'>,
  more: object = {},
  outcome: object = {},
) {
  const header = {
    ...{ name: 'circuit_0', n_qubits: 2, memory_slots: 2, metadata: {} },
    ...{ creg_sizes: [], qreg_sizes: [] },
  }
  const one = { shots: 100, counts: { '00': 100 }, metadata: {}, header, ...outcome }
  const { shots, counts } = one
  const results = { success: true, backend: 'evil', shots, counts, circuit_results: [one], metadata: {} }
  return { status: 'completed', job, attempt, epoch, execution_ms: 1, results, ...more }
}

/** The server responds to others. */
async function isWell(): Promise<void> {
  expect((await service.call('GET', '/api/health')).status).toBe(200)
}

/** Seconds since this was called: the most that a server can have charged, logged or stored by rate. */
function stopwatch(): () => number {
  const started = performance.now()
  return () => (performance.now() - started) / 1_000
}

/** Resident memory of the server in MiB. */
function memory(): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

test('nonsense of every kind is dropped, and the connection lives on', async () => {
  const driver = await attach()
  const id = await submit(service, user.token, { qpu_target: 'evil' })
  const job = await driver.job()
  for (const text of [
    '',
    'hello',
    '[]',
    'null',
    '{"type":7}',
    '\u0000',
    '{"type":"JobResult"',
    '{"__proto__":{"a":1}}',
  ]) {
    await driver.send(text)
  }
  await driver.event('Gossip', { about: 'everybody' })
  await driver.event('__proto__', {})
  await driver.event('constructor', {})
  await driver.event('CryostatReading', {
    readings: { x: { value: 1, unit: 'K', status: 'ok', note: 'n'.repeat(70_000) } },
  })
  await driver.event('JobStarted', { job: { $ne: '' }, attempt: 1 })
  await driver.event('JobHeartbeat', { job: "' OR 1=1 --", attempt: 1 })
  // The server acknowledges it, so that the driver does not send it for ever.
  await driver.event('JobResult', { ...completed(job), execution_ms: -1 }, 'bad')
  expect((await driver.ack('bad')).applied).toBe(false)
  expect(driver.endings).toEqual([])
  await driver.event('JobResult', completed(job), 'good')
  expect((await driver.ack('good')).applied).toBe(true)
  expect((await readJob(service, user.token, id)).status).toBe('completed')
  await isWell()
})

test('a result counts once, is charged no more than the time it can have taken, and cannot be changed', async () => {
  const driver = await attach()
  const before = await balanceOf(service, user)
  const seconds = stopwatch()
  const id = await submit(service, user.token, { qpu_target: 'evil' })
  const job = await driver.job()
  await driver.event('JobResult', completed(job, { execution_ms: 900_000_000 }), 'first')
  expect((await driver.ack('first')).applied).toBe(true)
  await driver.event('JobResult', completed(job, { execution_ms: 900_000_000 }), 'again')
  await driver.event('JobResult', completed({ ...job, attempt: 2 }), 'next attempt')
  await driver.event(
    'JobResult',
    { ...completed(job), status: 'failed', error: { class: 'user', message: 'no' } },
    'undo',
  )
  for (const event of ['again', 'next attempt', 'undo']) expect((await driver.ack(event)).applied).toBe(false)
  const seen = await readJob(service, user.token, id)
  expect([seen.status, seen.results?.counts]).toEqual(['completed', { '00': 100 }])
  expect(before - (await balanceOf(service, user))).toBeLessThanOrEqual(seconds())
})

test('a result that contradicts its job, or cannot be read, fails it at once, free of charge', async () => {
  const driver = await attach()
  const before = await balanceOf(service, user)
  const many = Array.from({ length: 30_000 }, (_, shot) => (shot % 2 === 0 ? '0x0' : '0x3'))
  const large = { shots: 30_000, memory: true }
  const CASES: [body: object, changes: object, message: string][] = [
    [{}, { counts: { '00': 105 } }, 'circuit_results.0.counts add up to 105 of 100 shots'],
    [{}, { counts: { '00': 99 } }, 'circuit_results.0.counts add up to 99 of 100 shots'],
    [{}, { counts: { '0': 100 } }, 'circuit_results.0.counts has an outcome of 1 bit, the program has 2'],
    [{ memory: true }, {}, 'circuit_results.0.memory is missing, which the job asks for'],
    // These are parsed in a thread.
    [
      large,
      { counts: { '00': 30_000 }, memory: many.slice(1) },
      'circuit_results.0.memory has 29999 entries for 30000 shots',
    ],
    [
      large,
      { counts: { '00': 29_999 }, memory: many },
      'circuit_results.0.counts add up to 29999 of 30000 shots',
    ],
    [{}, { counts: { '00': 'many' } }, 'The result of the driver cannot be read: '],
  ]
  for (const [body, changes, message] of CASES) {
    const id = await submit(service, user.token, { qpu_target: 'evil', ...body })
    const job = await until('the job', async () => driver.commands.find((each) => each.job === id))
    const shots = 'shots' in body ? body.shots : 100
    await driver.event('JobResult', completed(job, {}, { shots, ...changes }), `${id}.1`)
    await driver.ack(`${id}.1`)
    const seen = await readJob(service, user.token, id)
    expect([seen.status, seen.attempt, seen.error?.code, seen.charged_seconds]).toEqual([
      ...['failed', 1, 'invalid_results', null],
    ])
    expect(seen.error?.message).toContain(message)
    if (!message.startsWith('The')) expect(seen.error?.message).toContain('device evil of driver evil')
  }
  const [id, discarded] = [await submit(service, user.token, { qpu_target: 'evil' }), 7]
  const job = await until('the job', async () => driver.commands.find((each) => each.job === id))
  await driver.event(
    'JobResult',
    completed(job, {}, { counts: { '00': 93 }, discarded_shots: discarded }),
    `${id}.1`,
  )
  const stated = await untilJob(service, user.token, id)
  expect(stated.results?.circuit_results[0]).toMatchObject({ counts: { '00': 93 }, discarded_shots: 7 })
  expect(before - (await balanceOf(service, user))).toBeLessThanOrEqual(0.0011)
})

test('the job of another driver is out of reach: the attempt ends the connection', async () => {
  const honest = await service.createQpu('honest')
  const gate = join(service.folder, 'gate')
  const args = service.driverArgs('honest', honest.fingerprint, GATED, [`gate=${gate}`])
  await using other = startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: honest.token } })
  await service.untilOnline('honest')
  const driver = await attach()
  const id = await submit(service, user.token, { qpu_target: 'honest' })
  const { attempt } = await untilJob(service, user.token, id, ['running'])
  await driver.event('JobStarted', { job: id, attempt })
  await driver.event('JobRefused', { job: id, attempt, reason: 'busy' })
  expect((await readJob(service, user.token, id)).status).toBe('running')
  await driver.event('JobResult', completed({ job: id, attempt, epoch: 1 }))
  await until('the end of the connection', async () => driver.endings.length > 0)
  writeFileSync(gate, '')
  const job = await untilJob(service, user.token, id)
  expect([job.status, job.attempt, job.results?.counts !== undefined]).toEqual(['completed', 1, true])
  expect(Reflect.get(job.results ?? {}, 'backend')).toBe('gated')
  expect(other.process.exitCode).toBe(null)
})

test('a flood of events is cut to the rate, logged, and disturbs no other driver', async () => {
  const calm = await service.createQpu('calm')
  const args = service.driverArgs('calm', calm.fingerprint, 'mock')
  await using neighbor = startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: calm.token } })
  await service.untilOnline('calm')
  const driver = await attach()
  const reading = { readings: { 'mixing.temperature': { value: 0.01, unit: 'K', status: 'ok' } } }
  const seconds = stopwatch()
  const flood = Array.from({ length: 20_000 }, () => driver.event('CryostatReading', reading))
  await isWell()
  const calmJobs = await Promise.all(
    Array.from({ length: 10 }, () => submit(service, user.token, { qpu_target: 'calm' })),
  )
  await Promise.all(flood)
  await until('the log', async () => service.log.includes('rate limit exceeded, dropping event'))
  const lines = service.log.split('rate limit exceeded, dropping event').length - 1
  // One per second.
  expect(lines).toBeLessThanOrEqual(seconds() + 1)
  // The jobs of another driver run meanwhile, and none of its events is lost.
  for (const each of calmJobs) {
    const job = await untilJob(service, user.token, each)
    expect([job.status, job.attempt, timesOf(job, 'started')]).toEqual(['completed', 1, 1])
  }
  expect(neighbor.log).not.toContain('not connected')
  using db = new Database(join(service.folder, 'svc_data', 'svc.db'), { readonly: true })
  const kept = () => db.query<{ n: number }, []>('SELECT count(*) AS n FROM events').get()?.n ?? 0
  await until('a second of events to be kept', async () => kept() >= 100)
  // The results of this driver are not dropped with the rest.
  const id = await submit(service, user.token, { qpu_target: 'evil' })
  await driver.event('JobResult', completed(await driver.job()), 'after the flood')
  expect((await untilJob(service, user.token, id, ['completed', 'failed'], 120_000)).status).toBe('completed')
  // A hundred per second, and other events of this file.
  expect(kept()).toBeLessThanOrEqual(100 * (seconds() + 2))
  closeRow('F23 flood of events', { sent: flood.length, kept: kept(), log_lines: lines, neighbor_jobs: 10 })
})

test('messages that are too large, or too deep, end nothing but themselves', async () => {
  const driver = await attach()
  const id = await submit(service, user.token, { qpu_target: 'evil' })
  const job = await driver.job()
  const before = memory()
  await driver.event('JobResult', completed(job, { padding: 'x'.repeat(40 * MIB) }), 'large')
  expect((await driver.ack('large')).applied).toBe(false)
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  for (const depth of [5_000_000, 100_000, 1_000]) {
    const text = JSON.stringify({
      type: 'JobResult',
      id: `deep${depth}`,
      ts: new Date().toISOString(),
      payload: completed(job),
    })
    await driver.send(text.replace('"metadata":{}', `"metadata":{"x":${deep(depth)}}`))
    await isWell()
  }
  const wide = `{"x":[${'{},'.repeat(8 * MIB)}{}]}`
  await driver.send(`{"type":"JobStarted","id":"wide","ts":"2026-01-31T09:05:00.000Z","payload":${wide}}`)
  await isWell()
  expect(memory() - before).toBeLessThan(2_000)
  // A message beyond the limit of the socket ends the connection, not the server.
  await driver.send('x'.repeat(70 * MIB)).catch(() => undefined)
  await until('the end of the connection', async () => driver.endings.length > 0)
  await isWell()
  expect(['completed', 'running', 'pending', 'failed']).toContain(
    (await readJob(service, user.token, id)).status,
  )
})
