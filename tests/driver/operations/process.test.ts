import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { type Job, JobError, type JobIo, type ProcessDevice } from '../../../src/devices/index.ts'
import { runProcess } from '../../../src/driver/operations/process.ts'
import { EVENTS, eventEnvelope, expectedResultsOf, type JobResults } from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import { resultsOf } from '../support/devices.ts'
import { runJobOf } from '../support/jobs.ts'
import { operationIo } from './support.ts'

function open(run: ProcessDevice['run'], rest: Partial<ProcessDevice> = {}) {
  const at = operationIo()
  const operation = runProcess({ run, ...rest }, at.io)
  /** Payloads of the results, checked as by the server. */
  const results = () =>
    at.sent.flatMap((message) => {
      if (message.kind !== 'result') return []
      const event = v.parse(eventEnvelope, JSON.parse(message.body))
      const declared = EVENTS.find((each) => each.type === event.type)
      if (!declared) throw new Error(`unknown event ${event.type}`)
      return [v.parse(declared.payload, event.payload)]
    })
  return { operation, results, ...at }
}

test('runProcess() passes the job and its deadline to the device and measures its time', async () => {
  const jobs: Job[] = []
  const { operation, results, clock, sent } = open(async (job, io) => {
    jobs.push(job)
    expect(io.deadline).toBe(clock.monotonic() + 10_000)
    await clock.advance(1_234)
    return resultsOf('done')
  })
  const command = runJobOf('x', { attempt: 2, epoch: 8 })
  operation.onCommand(command)
  await until('the result is sent', () => results().length === 1)
  expect(jobs).toEqual([{ id: command.job, attempt: 2, payload: command.payload }])
  expect(sent[0]).toEqual({ kind: 'started', result: 'job000000000001.2' })
  expect(results()).toEqual([
    {
      status: 'completed',
      job: command.job,
      attempt: 2,
      epoch: 8,
      execution_ms: 1_234,
      results: resultsOf('done'),
      provenance: { device: { name: 'coin' }, driver: { version: '1.2.3' } },
    },
  ])
})

test.each([
  ['exact', { exact: true }],
  ['dynamical_decoupling', { dynamical_decoupling: 'XX' }],
  ['single_precision', { precision: 'single' }],
  ['scheduling', { scheduling: 'asap' }],
] as const)(
  'runProcess() runs no job that needs %s on a device that does not list it',
  async (feature, option) => {
    const run = async () => {
      throw new Error('it runs')
    }
    const command = runJobOf('x')
    const job = { ...command, payload: { ...command.payload, ...option } }
    for (const device of [{}, { describe: () => ({ schema: 1 as const, features: ['loops'] }) }]) {
      const { operation, results } = open(run, device)
      operation.onCommand(job)
      await until('the result is sent', () => results().length === 1)
      expect(results()).toMatchObject([
        {
          status: 'failed',
          execution_ms: 0,
          error: { error_code: 'unsupported_feature', message: expect.stringContaining(feature) },
        },
      ])
    }
  },
)

test("runProcess() uses the server's limit for the deadline when it is shorter", async () => {
  const limits: number[] = []
  const { operation, results, clock } = open(async (_, io) => {
    limits.push(io.deadline - clock.monotonic())
    return resultsOf('')
  })
  for (const limit_ms of [3_000, 60_000, 0]) operation.onCommand(runJobOf('x', { limit_ms }))
  await until('the results are sent', () => results().length === 3)
  expect(limits).toEqual([3_000, 10_000, 10_000])
})

test('runProcess() runs one job at a time, in order', async () => {
  const ends: (() => void)[] = []
  const { operation, sent, results } = open(async (job) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return resultsOf(job.id)
  })
  for (const job of ['job00000000000a', 'job00000000000b']) operation.onCommand(runJobOf('x', { job }))
  await until('the job runs', () => ends.length === 1)
  ends[0]?.()
  await until('the job runs', () => ends.length === 2)
  ends[1]?.()
  await until('the results are sent', () => results().length === 2)
  expect(sent.map((message) => message.kind)).toEqual(['started', 'result', 'started', 'result'])
})

const FILE = { sha256: 'c'.repeat(64), modified_at: '2026-01-31T09:00:00.000Z' }

test.each([
  ['completed', async () => resultsOf('done')],
  ['failed', () => Promise.reject(new JobError('too warm', { class: 'device', executed: true }))],
] as const)('runProcess() reports what a job that is %s ran with', async (status, end) => {
  const noise_file = { before: FILE, after: FILE }
  const { operation, results, io } = open(async (_, { ranWith }) => {
    ranWith?.({ noise_file, compiler: { options: { optimization_level: 2 } } })
    return end()
  })
  io.deviceVersion = '4.5'
  operation.onCommand(runJobOf('x'))
  await until('the result is sent', () => results().length === 1)
  expect(results()).toMatchObject([
    {
      status,
      provenance: {
        device: { name: 'coin', version: '4.5' },
        driver: { version: '1.2.3' },
        noise_file,
        compiler: { version: '4.5', options: { optimization_level: 2 } },
      },
    },
  ])
})

test('runProcess() leaves out a provenance that the server would refuse, and sends the results', async () => {
  const { operation, results, messages } = open(async (_, { ranWith }) => {
    ranWith?.({ noise_file: { before: { ...FILE, sha256: 'x' }, after: FILE } })
    return resultsOf('done')
  })
  operation.onCommand(runJobOf('x'))
  await until('the result is sent', () => results().length === 1)
  expect(results()).toMatchObject([{ status: 'completed', provenance: { device: { name: 'coin' } } }])
  expect(messages()).toContain('the device reports no valid provenance')
})

const user = { class: 'user' }
const FAILURES: [string, () => Promise<JobResults>, object, number][] = [
  [
    'a JobError verbatim, without time when nothing was executed',
    async () => {
      throw new JobError('circuit 0, line 3, column 7: gate foo is not known', {
        errorCode: 'unknown_gate',
        circuitIndex: 0,
      })
    },
    {
      ...user,
      message: 'circuit 0, line 3, column 7: gate foo is not known',
      error_code: 'unknown_gate',
      circuit_index: 0,
    },
    0,
  ],
  [
    'a JobError after execution with its time',
    async () => {
      throw new JobError('the readout line is dead', { class: 'device', executed: true })
    },
    { class: 'device', message: 'the readout line is dead' },
    70,
  ],
  [
    'any other error without its text',
    async () => {
      throw new RangeError('cannot read /etc/secret')
    },
    {
      ...user,
      message: 'RangeError: job execution failed, see the driver log',
      error_code: 'device_error',
    },
    0,
  ],
  [
    'a thrown value that is not an error',
    () => Promise.reject('/etc/secret'),
    { ...user, message: 'Error: job execution failed, see the driver log', error_code: 'device_error' },
    0,
  ],
  [
    'numbers that JSON cannot represent',
    async () => ({ ...resultsOf(''), metadata: { value: Number.NaN } }),
    { ...user, error_code: 'invalid_results' },
    0,
  ],
  [
    'results that contradict the job',
    async () => ({ ...resultsOf(''), success: false }),
    {
      ...user,
      message: 'The results of device coin contradict the job: success is false',
      error_code: 'invalid_results',
    },
    0,
  ],
  [
    'results larger than 8 MiB',
    async () => ({ ...resultsOf(''), metadata: { text: 'x'.repeat(9 * 1024 * 1024) } }),
    { ...user, error_code: 'results_too_large' },
    70,
  ],
]

test.each(FAILURES)('runProcess() reports %s', async (_, run, error, execution_ms) => {
  const { operation, results, clock } = open(async () => {
    await clock.advance(70)
    return run()
  })
  operation.onCommand(runJobOf('x'))
  await until('the result is sent', () => results().length === 1)
  expect(results()).toMatchObject([{ status: 'failed', job: 'job000000000001', execution_ms, error }])
})

test('runProcess() sends the detail of a failure to a server that knows it, and to no other', async () => {
  const { operation, results } = open(() => Promise.reject(new RangeError('first\nthe last line')))
  const expected = expectedResultsOf(runJobOf('x').payload, [1])
  operation.onCommand(runJobOf('x'))
  operation.onCommand(runJobOf('x', { job: 'job000000000002', expected }))
  await until('the results are sent', () => results().length === 2)
  const details = results().map((each) => ('error' in each ? Reflect.get(each.error, 'detail') : ''))
  expect(details).toEqual([undefined, 'RangeError: the last line'])
})

test('runProcess() names what to reduce when results are too large', async () => {
  const { operation, results } = open(async () => ({
    ...resultsOf(''),
    metadata: { text: 'x'.repeat(9 * 1024 * 1024) },
  }))
  operation.onCommand(runJobOf('x'))
  await until('the result is sent', () => results().length === 1)
  const message = JSON.stringify(results()[0])
  for (const word of ['shots', 'meas_level', 'memory', '8 MiB']) expect(message).toContain(word)
})

test('runProcess() writes the full error to the log of the driver', async () => {
  const { operation, results, lines } = open(() => Promise.reject(new RangeError('cannot read /etc/secret')))
  operation.onCommand(runJobOf('x'))
  await until('the result is sent', () => results().length === 1)
  expect(String(lines[0]?.['error'])).toContain('cannot read /etc/secret')
})

test('runProcess() handles a device that throws instead of returning a promise', async () => {
  const { operation, results } = open(() => {
    throw new JobError('no')
  })
  operation.onCommand(runJobOf('x'))
  operation.onCommand(runJobOf('x', { attempt: 2 }))
  await until('the results are sent', () => results().length === 2)
  expect(results()).toMatchObject([{ error: { message: 'no' } }, { error: { message: 'no' } }])
})

test('runProcess().cancel() aborts the named job only; phases are cut to 100 characters', async () => {
  const ios: JobIo[] = []
  const { operation, results, sent, clock } = open((_, io) => {
    ios.push(io)
    io.phase('p'.repeat(200))
    return new Promise((_resolve, reject) => {
      io.signal.addEventListener('abort', () => reject(io.signal.reason))
    })
  })
  operation.onCommand(runJobOf('x'))
  await until('the job runs', () => ios.length === 1)
  operation.cancel?.('job000000000001.7')
  expect(ios[0]?.signal.aborted).toBe(false)
  await clock.advance(20)
  operation.cancel?.('job000000000001.1')
  await until('the result is sent', () => results().length === 1)
  expect(sent[1]).toEqual({ kind: 'phase', result: 'job000000000001.1', phase: 'p'.repeat(100) })
})

test('runProcess() sends the last of the phases that begin within 20 ms, and none of a job that has ended', async () => {
  const job = Promise.withResolvers<never>()
  let io: JobIo | undefined
  const { operation, results, sent, clock } = open((_, each) => {
    io = each
    return job.promise
  })
  operation.onCommand(runJobOf('x'))
  await until('the job runs', () => io !== undefined)
  for (let circuit = 0; circuit < 300; circuit++) io?.phase(`circuit ${circuit}`)
  await clock.advance(20)
  io?.phase('encoding')
  job.reject(new JobError('no'))
  await until('the result is sent', () => results().length === 1)
  await clock.advance(1_000)
  const phases = sent.filter(({ kind }) => kind === 'phase')
  expect(phases).toEqual([{ kind: 'phase', result: 'job000000000001.1', phase: 'circuit 299' }])
})

test('runProcess() aborts the running job when the driver stops', async () => {
  const ios: JobIo[] = []
  const { operation, stopping } = open((_, io) => {
    ios.push(io)
    return new Promise(() => undefined)
  })
  operation.onCommand(runJobOf('x'))
  await until('the job runs', () => ios.length === 1)
  stopping.abort()
  expect(ios[0]?.signal.aborted).toBe(true)
})

test('runProcess() fails a job of an unknown form and continues', async () => {
  const { operation, results, sent, lines } = open(async () => resultsOf(''))
  const text = JSON.stringify({ ...runJobOf('x'), payload: { from: 'the future' } })
  operation.onUnreadable?.(text, 'payload.circuits: Invalid key')
  expect(sent.map((message) => message.kind)).toEqual(['started', 'result'])
  expect(results()).toMatchObject([
    {
      status: 'failed',
      execution_ms: 0,
      error: {
        ...user,
        message: 'job not understood: payload.circuits: Invalid key',
        error_code: 'invalid_payload',
      },
    },
  ])
  operation.onUnreadable?.('{"type":"Other"}', 'type: Invalid')
  expect(lines).toMatchObject([{ message: 'invalid command', problem: 'type: Invalid' }])
  operation.onCommand(runJobOf('x'))
  await until('the results are sent', () => results().length === 2)
})

test('runProcess() starts and stops the device', async () => {
  const calls: string[] = []
  const { operation } = open(async () => resultsOf(''), {
    start: async () => void calls.push('start'),
    stop: async () => void calls.push('stop'),
  })
  await operation.start()
  await operation.stop({ extend: () => undefined })
  expect(calls).toEqual(['start', 'stop'])
})

test.each([
  ['not_calibrated', ['event', 'result']],
  ['instrument_busy', ['result', 'event']],
])(
  'runProcess() sends what changed before the result of a job that ends with %s in the order %p',
  async (errorCode, order) => {
    let qubits = [{ name: 'q0' }]
    const { operation, sent } = open(
      async () => {
        qubits = [{ name: 'q1' }]
        throw new JobError('not now', { class: 'device', errorCode })
      },
      { describe: () => ({ schema: 1, qubits }) },
    )
    await operation.start?.()
    // The driver states its own limit.
    expect(JSON.stringify(sent)).toContain('job_timeout_s')
    sent.length = 0
    operation.onCommand(runJobOf('x'))
    await until('both are sent', () => sent.length === 3)
    expect(sent.slice(1).map(({ kind }) => String(kind))).toEqual(order)
  },
)
