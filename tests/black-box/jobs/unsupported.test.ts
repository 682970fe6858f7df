import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Running } from '../../support/executable/background-process.ts'
import { ChipLab } from '../../support/executable/chip-lab.ts'
import { type JobBody, readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
let service: Service
let user: { id: string; token: string }

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path)
  await service.start()
  user = await service.createUser(1_000)
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  folder?.[Symbol.dispose]()
})

const program = (qubits: number, body = '') =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; ${body} c = measure q;`

interface Refused {
  code: string
  data: Record<string, { code: string; message: string; params?: object }>
}

async function refusal(body: JobBody): Promise<Refused> {
  const given = { circuits: [{ circuit: program(1) }], shots: 10, ...body }
  const { status, body: seen } = await service.call<Refused>('POST', '/api/jobs', {
    token: user.token,
    body: given,
  })
  expect(status).toBe(400)
  return seen
}

async function described(name: string): Promise<boolean> {
  const { body } = await service.call<{ described_at: string; status: string }>('GET', `/api/qpus/${name}`)
  return body.described_at !== '' && body.status === 'online'
}

async function end(driver: Running): Promise<void> {
  driver.process.kill('SIGTERM')
  await driver.ended()
}

const CHIP = {
  ...{ qubits: [{ name: 'q0' }, { name: 'q1' }], gates: [{ name: 'cz', on: [] }] },
  ...{ features: ['reset', 'inputs'], limits: { shots: 100, executions: 3 } },
}

test('a job that the description of its target excludes is refused with field, value and limit', async () => {
  const chip = await ChipLab.register(service, 'small')
  chip.describe(CHIP)
  await using driver = chip.start()
  await until('the description', () => described('small'))
  const target = { qpu_target: 'small' }
  expect((await refusal({ ...target, circuits: [program(2), program(3)] })).data).toEqual({
    'circuits.1.circuit': {
      code: 'too_many_qubits',
      message: 'The program declares 3 qubits; small has 2.',
      params: { qubits: 3, max: 2 },
    },
  })
  expect((await refusal({ ...target, shots: 101 })).data).toEqual({
    shots: {
      code: 'too_many_shots',
      message: '101 shots are requested; small runs at most 100 of a circuit.',
      params: { shots: 101, max: 100 },
    },
  })
  const sets = [{ circuit: program(1) }, { circuit: program(1), shots: 500 }]
  expect(Object.keys((await refusal({ ...target, circuits: sets })).data)).toEqual(['circuits.1.shots'])
  const many = { ...target, circuits: Array.from({ length: 4 }, () => program(1)) }
  expect((await refusal(many)).data['circuits']).toMatchObject({ code: 'too_many_executions' })
  const looped = 'c[0] = measure q[0]; if (c[0]) { x q[0]; } for int i in [0:1] { x q[0]; }'
  const feedback = await refusal({ ...target, circuits: [program(1), program(1, looped)] })
  expect(feedback.data['circuits.1.circuit']).toEqual({
    code: 'unsupported_feature',
    message: 'The program needs mid_circuit, which small does not support.',
    params: { feature: 'mid_circuit' },
  })
  expect((await refusal({ ...target, meas_level: 1 })).data['meas_level']).toMatchObject({
    code: 'unsupported_meas_level',
    params: { feature: 'meas_level_1' },
  })
  expect((await refusal({ ...target, dynamical_decoupling: 'XX' })).data['dynamical_decoupling']).toEqual({
    code: 'unsupported_feature',
    message: 'The job needs dynamical_decoupling, which small does not support.',
    params: { feature: 'dynamical_decoupling' },
  })
  expect((await refusal({ ...target, scheduling: 'asap' })).data['scheduling']).toMatchObject({
    code: 'unsupported_feature',
    params: { feature: 'scheduling' },
  })
  expect((await refusal({ ...target, precision: 'single' })).data['precision']).toEqual({
    code: 'unsupported_feature',
    message: 'The job needs single_precision, which small does not support.',
    params: { feature: 'single_precision' },
  })
  expect((await refusal({ ...target, optimization_level: 0 })).data['optimization_level']).toEqual({
    code: 'unsupported_feature',
    message: 'The job needs optimization_level, which small does not support.',
    params: { feature: 'optimization_level' },
  })
  const exact = { ...target, circuits: [program(1)], shots: undefined, exact: true }
  // The default number of shots, which it does not use, is above the limit of this QPU.
  expect((await refusal(exact)).data).toEqual({
    exact: {
      code: 'unsupported_feature',
      message: 'The job needs exact, which small does not support.',
      params: { feature: 'exact' },
    },
  })
  // A dry run lists every problem.
  const dry = await service.call<{ problems: { code: string }[] }>('POST', '/api/jobs?dry_run=true', {
    token: user.token,
    body: { ...target, circuits: [program(3, looped)], shots: 200, meas_level: 0 },
  })
  expect(dry.body.problems.map(({ code }) => code)).toEqual([
    ...['too_many_qubits', 'too_many_shots', 'unsupported_feature', 'unsupported_feature'],
    ...['unsupported_feature', 'unsupported_meas_level'],
  ])
  // Missing couplings and gates are no reason: the device may route.
  const bell = program(2, 'reset q; h q[0]; cx q[0], q[1];')
  const id = await submit(service, user.token, { ...target, circuits: [{ circuit: bell }] })
  expect((await untilJob(service, user.token, id)).status).toBe('completed')
  await end(driver)
})

test('a job for any QPU runs where the descriptions allow it, and is refused if none does', async () => {
  const large = await ChipLab.register(service, 'large')
  large.describe({ qubits: Array.from({ length: 9 }, (_, at) => ({ name: `q${at}` })), features: [] })
  // Registered with 24 qubits and not described: it allows up to those.
  expect((await refusal({ circuits: [program(25)] })).data['circuits.0.circuit']).toMatchObject({
    message: 'The program declares 25 qubits; the largest QPU has 24.',
  })
  await using driver = large.start()
  await until('the description', () => described('large'))
  expect((await refusal({ circuits: [program(10, 'reset q;')] })).code).toBe('invalid')
  const wide = await submit(service, user.token, { circuits: [{ circuit: program(9) }] })
  expect((await untilJob(service, user.token, wide)).status).toBe('completed')
  // `small` is not connected, but it allows the reset; `large` must not run the job.
  const reset = await submit(service, user.token, { circuits: [{ circuit: program(1, 'reset q;') }] })
  const second = await submit(service, user.token, { circuits: [{ circuit: program(1) }] })
  expect((await untilJob(service, user.token, second)).status).toBe('completed')
  expect(await readJob(service, user.token, reset)).toMatchObject({
    status: 'pending',
    waiting: { code: 'driver_offline', text: 'small is not connected' },
  })
  const admin = await service.admin()
  await service.call('POST', '/api/op/qpu/toggle', { token: admin, body: { name: 'small', enabled: false } })
  expect(await readJob(service, user.token, reset)).toMatchObject({
    waiting: { code: 'unsupported_by_qpu', text: expect.stringContaining('large does not support reset') },
  })
  await service.call('POST', `/api/jobs/${reset}/cancel`, { token: user.token })
  await end(driver)
})

test('a job that a later description excludes waits, can be cancelled, and runs when it is allowed again', async () => {
  const chip = await ChipLab.register(service, 'changing')
  const target = { qpu_target: 'changing' }
  const queue = (circuit: string, shots = 10) =>
    submit(service, user.token, { ...target, circuits: [{ circuit }], shots })
  const [kept, cancelled] = [await queue(program(3, 'reset q;'), 500), await queue(program(3))]
  const narrow = await queue(program(1))
  chip.describe(CHIP)
  const first = chip.start()
  // The description arrives before anything is dispatched.
  expect((await untilJob(service, user.token, narrow)).status).toBe('completed')
  const waiting = await readJob(service, user.token, kept)
  expect(waiting).toMatchObject({ status: 'pending', attempt: 0, estimated_start: null })
  expect(waiting.waiting).toEqual({
    code: 'unsupported_by_qpu',
    text: 'changing has 2 of 3 qubits and runs 100 of 500 shots. It runs when a QPU supports it; cancel it if it need not',
  })
  expect(waiting.queue_position).toBeUndefined()
  const ended = await service.call('POST', `/api/jobs/${cancelled}/cancel`, { token: user.token })
  expect(ended.status).toBe(200)
  await end(first)
  chip.describe({ ...CHIP, qubits: [...CHIP.qubits, { name: 'q2' }], limits: {} })
  await using driver = chip.start()
  expect((await untilJob(service, user.token, kept)).status).toBe('completed')
  await end(driver)
})
