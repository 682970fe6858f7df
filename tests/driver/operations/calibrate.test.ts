import { expect, test } from 'bun:test'
import { type CalibrateDevice, CalibrationError, type TunerIo } from '../../../src/devices/index.ts'
import type { FromHost } from '../../../src/driver/messages/host-messages.ts'
import { runCalibrate } from '../../../src/driver/operations/calibrate.ts'
import type { EventPayload, RunCalibration } from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import { runJobOf } from '../support/jobs.ts'
import { operationIo } from './support.ts'

function tuner(changes: Partial<CalibrateDevice> = {}): CalibrateDevice {
  return { start: async () => undefined, calibrate: async () => ({ status: 'success' as const }), ...changes }
}

test('runCalibrate() forwards maintenance to the tuner and nothing else', () => {
  const received: boolean[] = []
  const operation = runCalibrate(tuner({ maintenance: (on) => received.push(on) }), operationIo().io)
  operation.onCommand({ type: 'SetMaintenance', on: true, reason: 'helium' })
  operation.onCommand({ type: 'SetMaintenance', on: false, reason: '' })
  operation.onCommand(runJobOf('x'))
  expect(received).toEqual([true, false])
})

test('runCalibrate() accepts a tuner without a maintenance function', () => {
  const operation = runCalibrate(tuner(), operationIo().io)
  expect(() => operation.onCommand({ type: 'SetMaintenance', on: true, reason: 'x' })).not.toThrow()
})

test('runCalibrate() passes a function to send events and a signal that ends with the driver', async () => {
  const { io, sent, stopping } = operationIo()
  let signal: AbortSignal | undefined
  const operation = runCalibrate(
    tuner({
      async start(tunerIo) {
        signal = tunerIo.signal
        tunerIo.emit('CalibrationProgress', { step: 1 })
      },
    }),
    io,
  )
  await operation.start()
  expect(sent).toMatchObject([{ kind: 'event', type: 'CalibrationProgress' }])
  stopping.abort()
  expect(signal?.aborted).toBe(true)
})

const RUN: RunCalibration = {
  type: 'RunCalibration',
  run_id: 'run000000000001',
  request_id: 'request00000001',
  epoch: 1,
  mode: 'partial',
  target_qubits: ['q0', 'q0_q1'],
  limit_ms: 0,
}
const READY = { type: 'SetMaintenance', on: false, reason: '' } as const
const CHECK = { mode: 'fidelity_check' } as const
const OTHER: RunCalibration = { ...RUN, run_id: 'run000000000002', mode: 'full', target_qubits: [] }
type Report = EventPayload<'CalibrationReport'>

/** A running tuner and its messages: reports by run, progress, and the order of all. */
function open(calibrate: CalibrateDevice['calibrate'], changes: Partial<CalibrateDevice> = {}) {
  const { io, sent, ...rest } = operationIo()
  const operation = runCalibrate(tuner({ calibrate, ...changes }), io)
  const events = () => sent.flatMap((each) => (isEvent(each) ? [JSON.parse(each.body)] : []))
  const reportOf = (run: string): Promise<Report> =>
    until(`report of ${run}`, () => events().find((event) => event.id === run)?.payload)
  return { operation, sent, events, reportOf, kinds: () => sent.map(({ kind }) => kind), ...rest }
}

function isEvent(message: FromHost): message is Extract<FromHost, { kind: 'event' | 'result' }> {
  return message.kind === 'event' || message.kind === 'result'
}

test('an invalid step is dropped and its field logged once, and the calibration continues', async () => {
  const { operation, events, reportOf, lines } = open(async (_, io) => {
    const step = { phase: 'plan', step: 0, total: 33 } as const
    const invalid: unknown[] = [
      undefined,
      'half way',
      { ...step, step: -1 },
      { ...step, phase: 'coffee' },
      { ...step, plan: [{ routine: 't1', depends_on: 'rabi' }] },
      { ...step, plan: [{ routine: 't1', depends_on: 'rabi' }] },
      { ...step, elapsed_s: Number.NaN },
    ]
    for (const each of invalid) io.progress(each as never)
    io.progress({ ...step, plan: [{ routine: 't1', targets: ['q0'], planned: true }] })
    return { status: 'success' }
  })
  operation.onCommand(RUN)
  expect(await reportOf(RUN.run_id)).toMatchObject({ status: 'success', errors: [] })
  const steps = events().filter(({ type }) => type === 'CalibrationProgress')
  expect(steps.map(({ payload }) => payload.plan)).toEqual([
    [{ routine: 't1', targets: ['q0'], planned: true }],
  ])
  const dropped = lines.filter(({ message }) => message === 'progress step is invalid and is dropped')
  expect(dropped.map(({ field }) => field)).toEqual(['', 'step', 'phase', 'plan.0.depends_on', 'elapsed_s'])
})

test('an event of a type that is not registered is sent, and logged once', async () => {
  const { io, sent, lines } = operationIo()
  const type = 'ColdheadState'
  await runCalibrate(
    tuner({
      async start(tunerIo) {
        for (let count = 0; count < 3; count += 1) tunerIo.emit(type, { on: true })
      },
    }),
    io,
  ).start()
  expect(sent).toHaveLength(3)
  expect(lines.map(({ type: each }) => each)).toEqual([type])
})

test('a calibration receives its request, reports its steps and ends with its findings', async () => {
  const { operation, events, reportOf, kinds } = open(async (request, io) => {
    io.progress({ phase: 'routine', step: 7, total: 33, routine: 't1', target: 'q0' })
    return { status: 'partial_failure', notes: [`${request.mode} ${request.targetQubits}`] }
  })
  operation.onCommand(RUN)
  expect(await reportOf(RUN.run_id)).toMatchObject({
    run_id: RUN.run_id,
    request_id: RUN.request_id,
    mode: 'partial',
    status: 'partial_failure',
    notes: ['partial q0,q0_q1'],
    routines: [],
    device_file: null,
  })
  expect(kinds()).toEqual(['started', 'event', 'result'])
  expect(events()[0]).toMatchObject({
    type: 'CalibrationProgress',
    payload: { run_id: RUN.run_id, request_id: RUN.request_id, step: 7, total: 33, routine: 't1' },
  })
})

test('an error of a calibration makes a failed report, with its message only for a CalibrationError', async () => {
  const errors = [
    new CalibrationError('calibration.yml line 3: no such routine\nat x'),
    new TypeError('/etc/x'),
  ]
  const { operation, reportOf } = open(async () => {
    throw errors.shift() ?? new Error('no more')
  })
  operation.onCommand(RUN)
  operation.onCommand(OTHER)
  const first = await reportOf(RUN.run_id)
  expect(first).toMatchObject({ status: 'failed', errors: ['calibration.yml line 3: no such routine'] })
  const second = await reportOf(OTHER.run_id)
  expect(second).toMatchObject({
    status: 'failed',
    mode: 'full',
    errors: ['TypeError: calibration failed, see the driver log'],
  })
})

test.each([
  [{ status: 'fine' }, 'status: '],
  [undefined, ''],
  [{ status: 'success', routines: [{ routine: 't1' }] }, 'routines.0.'],
])('a device that returns %j causes a failed report that names the error', async (found, where) => {
  const { operation, reportOf } = open(async () => found as never)
  operation.onCommand(RUN)
  const { status, errors } = await reportOf(RUN.run_id)
  expect(status).toBe('failed')
  expect(errors[0]).toStartWith(`the device reported invalid findings: ${where}`)
})

test('a report that is too large loses its largest traces, and fails if that is not enough', async () => {
  const long = 'x'.repeat(9 * 1024 * 1024)
  const routine = { routine: 't1', target: 'q0', status: 'success' as const }
  const small = { ...routine, fit: { y: [1, 2, 3] } }
  const found = [
    { status: 'success' as const, routines: [{ ...routine, fit: { y: long } }, routine, small] },
    { status: 'success' as const, routines: [{ ...routine, extra: long }] },
  ]
  const { operation, reportOf } = open(async () => found.shift() ?? { status: 'failed' })
  operation.onCommand(RUN)
  operation.onCommand(OTHER)
  expect(await reportOf(RUN.run_id)).toMatchObject({
    status: 'success',
    routines: [{ ...routine, fit: { dropped: true } }, routine, small],
  })
  expect(await reportOf(OTHER.run_id)).toMatchObject({
    status: 'failed',
    errors: ['the report is larger than 8 MiB even without its traces'],
  })
})

test('a calibration started by the tuner runs alone, and a requested one waits for it', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let started = 0
  let tunerIo: TunerIo | undefined
  const { operation, events, sent, reportOf } = open(
    async () => {
      started += 1
      await gates[started - 1]?.promise
      return { status: 'success' }
    },
    {
      start: async (io) => {
        tunerIo = io
      },
    },
  )
  await operation.start()
  operation.onCommand(READY)
  const own = tunerIo?.calibrateNow(CHECK)
  expect(await tunerIo?.calibrateNow(CHECK)).toBeUndefined()
  operation.onCommand(RUN)
  await until('the run starts', () => sent.some(({ kind }) => kind === 'started'))
  expect(started).toBe(1)
  gates[0]?.resolve()
  gates[1]?.resolve()
  expect(await own).toMatchObject({ status: 'success' })
  await reportOf(RUN.run_id)
  const [check, requested] = events().filter(({ type }) => type === 'CalibrationReport')
  expect(check.payload).toMatchObject({ request_id: null, mode: 'fidelity_check' })
  expect(requested.payload).toMatchObject({ request_id: RUN.request_id })
  expect(sent.map(({ kind }) => kind)).toEqual(['own_run', 'started', 'event', 'result'])
  expect(sent[0]).toEqual({ kind: 'own_run', run: check.id, mode: 'fidelity_check', waits: false })
})

test('a tuner starts no calibration on its own in maintenance, without a server, or while it closes', async () => {
  let tunerIo: TunerIo | undefined
  const { operation, sent, stopping } = open(async () => ({ status: 'success' }), {
    start: async (io) => {
      tunerIo = io
    },
  })
  const attempt = () => tunerIo?.calibrateNow(CHECK)
  await operation.start()
  expect(await attempt()).toBeUndefined()
  operation.onCommand({ type: 'SetMaintenance', on: true, reason: 'helium' })
  expect(await attempt()).toBeUndefined()
  operation.onCommand(READY)
  expect(await attempt()).toMatchObject({ status: 'success' })
  operation.onDetached?.()
  expect(await attempt()).toBeUndefined()
  operation.onCommand(READY)
  stopping.abort()
  expect(await attempt()).toBeUndefined()
  expect(sent.filter(({ kind }) => kind === 'own_run')).toHaveLength(1)
})

test('stop() waits until the run has restored the hardware', async () => {
  const restored = Promise.withResolvers<void>()
  const extended: unknown[] = []
  const { operation, sent, stopping } = open(
    async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await restored.promise
      throw new CalibrationError('stopped, currents restored')
    },
    { stop: async (io) => io.extend(20, 'ramping q0_q1 back') },
  )
  operation.onCommand(RUN)
  await until('the run starts', () => sent.some(({ kind }) => kind === 'started'))
  stopping.abort()
  const stopped = operation.stop({ extend: (...asked) => extended.push(asked) })
  expect(extended).toEqual([
    [20, 'the running calibration ends'],
    [20, 'ramping q0_q1 back'],
  ])
  restored.resolve()
  await stopped
  expect(sent.at(-1)).toMatchObject({ kind: 'result', result: RUN.run_id })
})

test('cancel() stops the named run, also before it has started', async () => {
  const seen: string[] = []
  const { operation, reportOf } = open(async ({ runId }, io) => {
    seen.push(runId)
    return new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)))
  })
  operation.onCommand(RUN)
  operation.onCommand(OTHER)
  await until('the run starts', () => seen.length > 0)
  operation.cancel?.('run000000000009')
  operation.cancel?.(OTHER.run_id)
  operation.cancel?.(RUN.run_id)
  expect(await reportOf(RUN.run_id)).toMatchObject({ status: 'failed', errors: ['calibration stopped'] })
  expect(await reportOf(OTHER.run_id)).toMatchObject({ status: 'failed', errors: ['calibration stopped'] })
  expect(seen).toEqual([RUN.run_id])
})

test.each([
  ['knows it', true, 'aborted'],
  ['does not know it', undefined, 'failed'],
] as const)(
  'a run that is stopped reports what it found, as aborted if the server %s',
  async (_, knows_aborted, status) => {
    const found = { routine: 't1', target: 'q0', status: 'success' as const }
    const { operation, reportOf, sent, stopping } = open(async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { status: 'aborted', routines: [found], errors: [String((signal.reason as Error).message)] }
    })
    operation.onCommand({ ...READY, ...(knows_aborted && { knows_aborted }) })
    operation.onCommand(RUN)
    operation.onCommand(OTHER)
    await until('the run starts', () => sent.some(({ kind }) => kind === 'started'))
    stopping.abort()
    const errors = ['the driver was stopped']
    expect(await reportOf(RUN.run_id)).toMatchObject({ status, routines: [found], errors })
    // It had not begun.
    expect(await reportOf(OTHER.run_id)).toMatchObject({ status, routines: [], errors })
  },
)

test('a request from another version makes a failed report', async () => {
  const { operation, reportOf } = open(async () => ({ status: 'success' }))
  operation.onUnreadable?.(JSON.stringify({ ...RUN, mode: 'quick' }), 'mode: Invalid')
  expect(await reportOf(RUN.run_id)).toMatchObject({
    status: 'failed',
    errors: ['calibration not understood: mode: Invalid'],
  })
})

test('runCalibrate() announces a run of its own, and begins it when the server lets it', async () => {
  const begun: string[] = []
  let tunerIo: TunerIo | undefined
  const { io, sent, stopping } = operationIo()
  const operation = runCalibrate(
    tuner({
      async start(given) {
        tunerIo = given
      },
      async calibrate({ runId }) {
        begun.push(runId)
        return { status: 'success' as const }
      },
    }),
    io,
  )
  await operation.start()
  const announced = () => sent.flatMap((message) => (message.kind === 'own_run' ? [message] : []))
  const begins = { ...READY, begins_runs: true } as const
  operation.onCommand(begins)
  const first = tunerIo?.calibrateNow(CHECK)
  await until('it is announced', () => announced().length === 1)
  expect(announced()).toMatchObject([{ waits: true }])
  operation.onCommand({ type: 'BeginCalibration', run_id: 'run000000000009' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([])
  operation.onCommand({ type: 'BeginCalibration', run_id: announced()[0]?.run ?? '' })
  expect(await first).toMatchObject({ status: 'success' })
  // A server of an earlier release takes over while a run waits.
  const second = tunerIo?.calibrateNow(CHECK)
  operation.onDetached?.()
  operation.onCommand(READY)
  expect(await second).toMatchObject({ status: 'success' })
  const third = tunerIo?.calibrateNow(CHECK)
  expect(await third).toMatchObject({ status: 'success' })
  expect(announced().map(({ waits }) => waits)).toEqual([true, true, false])
  // One that waits when the driver stops ends with a report.
  operation.onCommand(begins)
  const fourth = tunerIo?.calibrateNow(CHECK)
  stopping.abort()
  expect(await fourth).toBeUndefined()
  expect(begun).toHaveLength(3)
})
