import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Alarms } from '../../../src/base/index.ts'
import { Supervisor } from '../../../src/driver/device-process/supervisor.ts'
import { StartupError } from '../../../src/driver/index.ts'
import { jobTask } from '../../../src/driver/tasks/job-task.ts'
import type { EventEnvelope, EventPayload, RunJob } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { DEVICES, HOST_ARGV } from '../support/host.ts'
import { runJobOf } from '../support/jobs.ts'
import { recordedLog } from '../support/logs.ts'

const open: Supervisor[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((supervisor) => supervisor.stop()))
})

interface Setup {
  device?: string
  operation?: 'process' | 'monitor' | 'calibrate'
  optionPairs?: string[]
  argv?: string[]
}

function create(setup: Setup = {}) {
  const clock = new FakeClock()
  const recorded = recordedLog()
  const events: EventEnvelope[] = []
  const supervisor = new Supervisor({
    command: { argv: setup.argv ?? HOST_ARGV, env: { ...process.env, SVC_ACCESS_TOKEN: 'svc_dt_1' } },
    choice: {
      operation: setup.operation ?? 'process',
      device: `${DEVICES}#${setup.device ?? 'wild'}`,
      optionPairs: setup.optionPairs ?? ['greeting=hi'],
      cwd: '/tmp',
      home: '/home/nobody',
      dataDir: '/tmp/svc-driver-test',
      python: { given: '', beside: '' },
      version: '1.2.3',
    },
    clock,
    alarms: new Alarms(clock),
    log: recorded.log,
    onEvent: (event) => events.push(JSON.parse(event.body)),
    onOwnRun: () => undefined,
    onHostEnded: () => undefined,
  })
  open.push(supervisor)
  const seen: string[] = []
  const limits = { jobTimeoutMs: 10_000 }
  const run = async (circuit: string, changes: Partial<RunJob> = {}) => {
    const job = runJobOf(circuit, changes)
    const body = await supervisor.run(jobTask(job, JSON.stringify(job), { clock, ...limits }), {
      onStarted: () => seen.push('started'),
      onPhase: (phase) => seen.push(phase),
    })
    if (body === undefined) return undefined
    const event: { payload: EventPayload<'JobResult'> } = JSON.parse(body)
    return event.payload
  }
  return { supervisor, clock, events, run, seen, limits, ...recorded }
}

async function start(setup: Setup = {}) {
  const created = create(setup)
  created.limits.jobTimeoutMs = (await created.supervisor.prepare()).jobTimeoutMs
  await created.supervisor.open()
  return created
}

/** Runs a job that reports its process id. */
async function pidOf(
  run: (circuit: string, changes?: Partial<RunJob>) => Promise<unknown>,
): Promise<unknown> {
  return ((await run('pid')) as { results: { metadata: { note: string } } }).results.metadata.note
}

test('Supervisor.run() returns the result of the device', async () => {
  const { run, seen } = await start()
  expect(await run('ok hello', { attempt: 3, epoch: 9 })).toMatchObject({
    status: 'completed',
    job: 'job000000000001',
    attempt: 3,
    epoch: 9,
    results: { metadata: { note: 'hello' } },
  })
  expect(seen).toEqual(['started'])
})

test('Supervisor withholds the access token from the device', async () => {
  const { run } = await start()
  const result = await run('env')
  const names = result?.status === 'completed' ? String(result.results.metadata['note']) : ''
  expect(names).toContain('PATH')
  expect(names).not.toContain('SVC_ACCESS_TOKEN')
})

test('Supervisor.prepare() opens nothing and reports name, folder and time limit', async () => {
  const { supervisor } = create({
    optionPairs: ['greeting=hi', 'job_timeout=2.5', 'data_dir=/tmp/elsewhere'],
  })
  expect(await supervisor.prepare()).toEqual({
    kind: 'prepared',
    device: 'wild',
    dataDir: '/tmp/elsewhere',
    jobTimeoutMs: 2_500,
  })
})

test('Supervisor.prepare() throws every reason of the options', async () => {
  const { supervisor } = create({ optionPairs: ['job_timeout=soon', 'data_dir=/usr/x'] })
  const error = await supervisor.prepare().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StartupError)
  expect(error instanceof StartupError && error.reasons).toEqual([
    'missing required option greeting (for example -o greeting=hello)',
    'bad value for -o job_timeout: "soon"; expected a number of seconds from 0.001 to 86400',
    'bad value for -o data_dir: /usr/x is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
  ])
})

test('Supervisor.open() throws the reason of a device that refuses to start', async () => {
  const { supervisor } = create({ optionPairs: ['greeting=hi', 'refuse_check=true'] })
  await supervisor.prepare()
  await expect(supervisor.open()).rejects.toThrow('startup error: the fridge is warm')
})

test('Supervisor.open() throws when the process crashes during the start', async () => {
  const { supervisor } = create({ device: 'crasher' })
  await supervisor.prepare()
  await expect(supervisor.open()).rejects.toThrow('startup error: device process exited (SIGABRT)')
})

test('Supervisor.prepare() throws when the program cannot be started', async () => {
  const { supervisor } = create({ argv: ['/nonexistent/program'] })
  await expect(supervisor.prepare()).rejects.toThrow('startup error: device process cannot be started: ')
})

test('Supervisor.prepare() waits 120 s for a process without response', async () => {
  const { supervisor, clock } = create({ argv: [process.execPath, '-e', 'setInterval(() => {}, 1000)'] })
  const prepared = supervisor.prepare()
  prepared.catch(() => undefined)
  await clock.advance(119_999)
  await clock.advance(1)
  await expect(prepared).rejects.toThrow('startup error: device did not start within 120 s')
})

test.each([
  ['abort', 'SIGABRT'],
  ['exit', 'code 7'],
  ['stray', 'code 1'],
])(
  'Supervisor.run() of a job that ends its process by %s blames the device and continues',
  async (action, how) => {
    const { run, clock, lines } = await start()
    const before = await pidOf(run)
    expect(await run(action)).toMatchObject({
      status: 'failed',
      error: {
        class: 'device',
        message: `worker exited (${how}) while running the job`,
        error_code: 'worker_exited',
      },
    })
    const next = pidOf(run)
    await until('the pause begins', () => lines.some((line) => line['pauseMs'] === 500))
    await clock.advance(500)
    expect(await next).not.toBe(before)
  },
)

test('Supervisor restarts a device that crashes on jobs after 0.5 s each time', async () => {
  const { run, clock, lines } = await start()
  const pauses = () => lines.flatMap((line) => ('pauseMs' in line ? [line['pauseMs']] : []))
  for (const [count, pauseMs] of [500, 500, 500].entries()) {
    await run('abort')
    await until('the next pause begins', () => pauses().length === count + 1)
    await clock.advance(pauseMs)
    expect(await run('ok')).toMatchObject({ status: 'completed' })
  }
  expect(pauses()).toEqual([500, 500, 500])
})

test('Supervisor.run() cancels after the time limit and reports when the device has stopped', async () => {
  const { run, clock, seen } = await start()
  const before = await pidOf(run)
  const result = run('patient')
  await until('the job runs', () => seen.length === 2)
  await clock.advance(10_000)
  expect(await result).toMatchObject({
    status: 'failed',
    execution_ms: 10_000,
    error: {
      class: 'user',
      message: 'job timed out after 10 s (job_timeout of the driver)',
      error_code: 'timed_out',
    },
  })
  expect(await pidOf(run)).toBe(before)
})

test.each(['stubborn', 'loop'])('Supervisor.run() kills a %s job 2 s after its time', async (action) => {
  const { run, clock, seen } = await start({ optionPairs: ['greeting=hi', 'job_timeout=0.5'] })
  const before = await pidOf(run)
  const result = run(action)
  await until('the job runs', () => seen.length === 2)
  await clock.advance(2_500)
  expect(await result).toMatchObject({
    error: { message: 'job timed out after 0.5 s (job_timeout of the driver)' },
    execution_ms: 2_500,
  })
  // Without a pause, because the job caused the exit.
  expect(await pidOf(run)).not.toBe(before)
})

test('Supervisor.run() names the part that ran at the time limit', async () => {
  const { run, clock, seen } = await start()
  const result = run('phase compiling')
  await until('the phase arrives', () => seen.includes('compiling'))
  await clock.advance(12_000)
  expect(await result).toMatchObject({
    error: { message: 'job timed out after 10 s during compiling (job_timeout of the driver)' },
  })
})

test("Supervisor.run() uses the server's limit when that is shorter", async () => {
  const { run, clock, seen } = await start()
  const result = run('patient', { limit_ms: 3_000 })
  await until('the job runs', () => seen.length === 1)
  await clock.advance(3_000)
  expect(await result).toMatchObject({ error: { message: 'job timed out after 3 s' } })
})

test.each([
  ['patient', 0],
  ['stubborn', 2_000],
])('Supervisor.stopTask() ends a %s job within %i ms, without a result', async (action, ms) => {
  const { supervisor, run, clock, seen } = await start()
  const before = await pidOf(run)
  const result = run(action, { attempt: 3 })
  await until('the job runs', () => seen.length === 2)
  supervisor.stopTask('job000000000001.2')
  supervisor.stopTask('job000000000001.3')
  supervisor.stopTask('job000000000001.3')
  await clock.advance(ms)
  expect(await result).toBeUndefined()
  expect((await pidOf(run)) === before).toBe(ms === 0)
})

test('Supervisor.stopTask() ends a job that waits for its device, and does not affect the next one', async () => {
  const { supervisor, run, clock, lines } = await start()
  await run('abort')
  await until('the pause begins', () => lines.some((line) => line['pauseMs'] === 500))
  const stopped = run('ok', { job: 'job000000000002' })
  supervisor.stopTask('job000000000002.1')
  expect(await stopped).toBeUndefined()
  const next = run('ok', { job: 'job000000000003' })
  supervisor.stopTask('job000000000002.1')
  await clock.advance(500)
  expect(await next).toMatchObject({ status: 'completed' })
})

test('Supervisor.run() kills a process that does not start the job within 10 s', async () => {
  const { run, clock } = await start()
  const pid = Number(await pidOf(run))
  process.kill(pid, 'SIGSTOP')
  const result = run('ok')
  await clock.advance(10_000)
  expect(await result).toMatchObject({
    execution_ms: 0,
    error: { class: 'device', message: 'worker exited (SIGKILL) while running the job' },
  })
})

test('Supervisor.run() accepts the result of a process that was suspended', async () => {
  using folder = temporaryFolder()
  const end = join(folder.path, 'end')
  const { run, seen, clock } = await start()
  const pid = Number(await pidOf(run))
  const result = run(`held ${end}`)
  await until('the job runs', () => seen.length === 2)
  process.kill(pid, 'SIGSTOP')
  writeFileSync(end, '')
  await clock.advance(9_800)
  process.kill(pid, 'SIGCONT')
  expect(await result).toMatchObject({ status: 'completed' })
})

test('Supervisor fails jobs with the reason while the device cannot be restarted', async () => {
  using folder = temporaryFolder()
  const once = join(folder.path, 'once')
  const { run, clock, messages } = await start({ optionPairs: ['greeting=hi', `once=${once}`] })
  await run('abort')
  const result = run('ok')
  await clock.advance(0)
  await until('the device process has ended', () =>
    messages().includes('device process ended and is restarted'),
  )
  await clock.advance(500)
  expect(await result).toMatchObject({
    status: 'failed',
    execution_ms: 0,
    error: { class: 'device', error_code: 'device_unavailable' },
  })
  const again = await run('ok')
  expect(again?.status === 'failed' && again.error.message).toBe(
    `device failed to start: ${once}: there is something of this name`,
  )
  await Bun.file(once).delete()
  await until(
    'the device process has ended',
    () => messages().filter((message) => message === 'device process ended and is restarted').length === 2,
  )
  await clock.advance(1_000)
  await until('the device is restarted', () => messages().includes('device restarted'))
  expect(await run('ok')).toMatchObject({ status: 'completed' })
})

test('Supervisor forwards phases and events', async () => {
  const job = await start()
  void job.run('phase compiling')
  await until('the phase arrives', () => job.seen.includes('compiling'))
  const monitor = await start({ device: 'gauge', operation: 'monitor', optionPairs: [] })
  await until('two events arrive', () => monitor.events.length >= 2)
  expect(monitor.events[0]).toMatchObject({
    type: 'CryostatReading',
    payload: { readings: { stage: { value: 1, unit: 'K', status: 'ok' } } },
  })
})

test('Supervisor.forwardCommand() repeats the latest maintenance command to a restarted device', async () => {
  const tuner = await start({ device: 'tuner', operation: 'calibrate', optionPairs: ['crash=true'] })
  tuner.supervisor.forwardCommand('{"type":"SetMaintenance","on":true,"reason":"x"}', true)
  await until('the tuner process has ended', () => tuner.lines.some((line) => line['how'] === 'SIGABRT'))
  tuner.supervisor.forwardCommand('{"type":"SetMaintenance","on":false,"reason":"x"}', true)
  await tuner.clock.advance(500)
  await until('the tuner receives the command', () => tuner.lines.some((line) => line['on'] === false))
})

test('Supervisor.stop() gives a device the time that it asks for, 30 s at most, and logs why', async () => {
  const { supervisor, clock, lines } = await start({ device: 'slowToClose' })
  const stopped = supervisor.stop()
  const asked = () => lines.find(({ message }) => message === 'device needs longer to close')
  await until('the request', asked)
  expect(asked()).toMatchObject({ reason: 'ramping a current back', limitMs: 30_000 })
  await clock.advance(29_000)
  let isOver = false
  void stopped.then(() => {
    isOver = true
  })
  await clock.advance(500)
  expect(isOver).toBe(false)
  await clock.advance(500)
  await stopped
  expect(lines.map(({ message }) => message)).toContain('device did not close in time and is killed')
})

test('Supervisor.stop() abandons a running job and leaves no process', async () => {
  const { supervisor, run, clock, seen } = await start()
  const pid = Number(await pidOf(run))
  const result = run('loop')
  await until('the job runs', () => seen.length === 2)
  const stopped = supervisor.stop()
  expect(await result).toBeUndefined()
  await clock.advance(2_000)
  await stopped
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(await run('ok')).toBeUndefined()
})
