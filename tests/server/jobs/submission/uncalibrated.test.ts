import { describe, expect, test } from 'bun:test'
import type { DeviceDescription } from '../../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { viewJob } from '../../../../src/server/jobs/view.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { dryRunBody, submitBody } from './submit-body.ts'

const BITS = { use: 'bits', reason: 'acq_rotation and acq_threshold are 0' } as const
const GATES = { use: 'gates', reason: 'rxy.amp180 is not set' } as const
/** q1 lacks bits, q2 gates, q3 is not in use for another reason. */
const QUBITS: NonNullable<DeviceDescription['qubits']> = [
  { name: 'q0' },
  { name: 'q1', operational: false, uncalibrated: [BITS] },
  { name: 'q2', operational: false, uncalibrated: [GATES] },
  { name: 'q3', operational: false },
]

async function openChip(qubits = QUBITS, gates?: DeviceDescription['gates']) {
  const lab = await JobLab.open()
  const qpu = await lab.qpu({ numQubits: 4 })
  const target = await lab.attach(qpu.driver)
  await storeDescription(lab.db, target, { schema: 1, qubits, ...(gates && { gates }) })
  const caller = lab.caller(await lab.user())
  return { lab, caller, qpu, target, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

const on = (...numbers: number[]) =>
  `OPENQASM 3.0; include "stdgates.inc"; bit[${numbers.length}] c; ${numbers.map((number, at) => `x $${number}; c[${at}] = measure $${number};`).join(' ')}`
const registers = (used: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; barrier q; ${Array.from({ length: used }, (_, at) => `x q[${3 - at}]; c[${at}] = measure q[${3 - at}];`).join(' ')}`

test('a job that needs what is not calibrated is refused with its names and the remedy, stored by none', async () => {
  await using it = await openChip()
  const submit = (circuit: string, more: object = {}) =>
    submitBody(it.lab, it.caller, { circuits: [circuit], ...more })
  const fieldOf = async (circuit: string, more: object = {}) =>
    submit(circuit, more).then(
      () => undefined,
      ({ fields }) => fields['circuits.0.circuit'],
    )
  expect(await fieldOf(on(1))).toEqual({
    code: 'not_calibrated',
    message: `The program uses $1 of ${it.qpu.name}: q1 is not calibrated (acq_rotation and acq_threshold are 0). Calibrate it, use other qubits, or send allow_uncalibrated: true.`,
    params: { qubit: 1 },
  })
  expect((await fieldOf(on(0, 3)))?.message).toContain('q3 is not in use. Use other qubits.')
  expect((await fieldOf(registers(2)))?.message).toContain('has 1 of 4 in use: q1 is not calibrated')
  // Declared qubits and barriers need nothing.
  expect(await fieldOf(registers(1))).toBeUndefined()
  expect(await fieldOf(on(0))).toBeUndefined()
  // A discriminator is needed for bits only, and the job may bring its own.
  expect(await fieldOf(on(1), { meas_level: 1 })).toBeUndefined()
  expect(await fieldOf(on(1), { acq_rotation: 10, acq_threshold: 0.1 })).toBeUndefined()
  expect((await fieldOf(on(2), { meas_level: 1 }))?.code).toBe('not_calibrated')
})

test('allow_uncalibrated lifts that, is stored with the job, and the dry run warns instead', async () => {
  await using it = await openChip()
  const more = { allow_uncalibrated: true }
  const job = await submitBody(it.lab, it.caller, { circuits: [on(1, 2)], ...more })
  expect(job['payload']).toMatchObject(more)
  const off = await submitBody(it.lab, it.caller, { circuits: [on(0)], allow_uncalibrated: false })
  // Drivers of the release before refuse keys that they do not have.
  expect(off['payload']).not.toHaveProperty('allow_uncalibrated')
  const dry = async (circuit: string, options: object) => {
    const { accepted, problems, warnings } = await dryRunBody(it.lab, it.caller, {
      circuits: [circuit],
      ...options,
    })
    return [accepted, problems.map(({ code }) => code), warnings.map(({ message }) => message)]
  }
  expect(await dry(on(1), {})).toEqual([false, ['not_calibrated'], []])
  expect(await dry(on(1), more)).toEqual([true, [], [expect.stringContaining('uses q1 of')]])
  expect(await dry(registers(2), more)).toEqual([
    ...[true, []],
    [expect.stringContaining('may use q1'), expect.stringContaining('may use q2')],
  ])
  // What is not in use for another reason stays so.
  expect(await dry(on(3), more)).toEqual([false, ['not_calibrated'], []])
  await expect(
    submitBody(it.lab, it.caller, { circuits: [on(0)], allow_uncalibrated: 1 }),
  ).rejects.toMatchObject({
    fields: { allow_uncalibrated: { message: expect.any(String) } },
  })
})

test('a job without a target is refused only if no QPU can run it', async () => {
  await using it = await openChip()
  const other = await it.lab.qpu({ numQubits: 4 })
  const target = await it.lab.attach(other.driver)
  const body = { circuits: [on(1)] }
  expect(await submitBody(it.lab, it.caller, body)).toMatchObject({ qpu_target: '' })
  await storeDescription(it.lab.db, target, { schema: 1, qubits: QUBITS })
  await expect(submitBody(it.lab, it.caller, body)).rejects.toMatchObject({ code: 'invalid' })
})

const LINE = [0, 1, 2, 3].map((at) => ({ name: `q${at}` }))
const NO_CZ = { use: 'gates', reason: 'cz.square_amp is 0' } as const

/** The gates of a line of four, of which some couplings are not calibrated. */
function lineWithout(...uncalibrated: number[]): NonNullable<DeviceDescription['gates']> {
  const on = [0, 1, 2].map((at) => ({
    qubits: [at, at + 1],
    ...(uncalibrated.includes(at) && { operational: false, uncalibrated: [NO_CZ] }),
  }))
  return [{ name: 'rz', virtual: true }, { name: 'x' }, { name: 'cz', on }]
}

const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const joined = (...pairs: [number, number][]) =>
  `${HEAD} qubit[4] q; bit[4] c; ${pairs.map(([one, other]) => `cx q[${one}], q[${other}];`).join(' ')} c = measure q;`

describe('couplings', () => {
  test.each<[string, number[], string, string | undefined]>([
    [
      'named by its qubits',
      [1],
      `${HEAD} cx $1, $2;`,
      'joins $1 and $2 of qpu_1: q1_q2 is not calibrated (cz.square_amp is 0)',
    ],
    // Acceptance does not depend on what a compiler removes.
    [
      'of gates that cancel',
      [1],
      `${HEAD} cx $1, $2; cx $1, $2;`,
      'or send allow_uncalibrated: true. A gate counts although optimization may remove it.',
    ],
    ['of which others are named', [1], `${HEAD} cx $0, $1;`, undefined],
    // Not a matter of calibration: the device says so.
    ['that the chip does not have', [1], `${HEAD} cx $0, $2;`, undefined],
    ['that a circuit can avoid', [1], joined([1, 2], [0, 3]), undefined],
    [
      'that a circuit needs',
      [1],
      joined([0, 1], [1, 2]),
      'join groups of 3 qubits; of qpu_1, the couplings in use connect groups of 2, 2: q1_q2',
    ],
    [
      'for two pairs where one is left',
      [1, 2],
      joined([0, 1], [2, 3]),
      'join groups of 2, 2 qubits; of qpu_1, the couplings in use connect groups of 2: ',
    ],
    ['for gates that act on single qubits', [0, 1, 2], joined(), undefined],
    ['in a branch that no run reaches', [1], `${HEAD} if (false) { cx $1, $2; } x $0;`, undefined],
  ])('are judged at submission: one %s', async (_, without, circuit, expected) => {
    await using it = await openChip(LINE, lineWithout(...without))
    const found = await dryRunBody(it.lab, it.caller, { circuits: [circuit] })
    expect(found.problems.map(({ message }) => message)).toEqual(
      expected === undefined ? [] : [expect.stringContaining(expected)],
    )
    const allowed = await dryRunBody(it.lab, it.caller, { circuits: [circuit], allow_uncalibrated: true })
    expect(allowed.accepted).toBe(true)
  })
})

test('values that a check found stale are warnings, of what the job uses or may use', async () => {
  const stale = (use: 'gates' | 'bits', path: string) => [
    { use, reason: `${path} was found stale by t1 at 2026-11-26T10:00:00.000Z` },
  ]
  const qubits = [{ name: 'q0' }, { name: 'q1', stale: stale('bits', 'measure.acq_rotation') }]
  const gates = [
    { name: 'x' },
    { name: 'cz', on: [{ qubits: [0, 1], stale: stale('gates', 'cz.square_amp') }] },
  ]
  await using it = await openChip(qubits, gates)
  const warnings = async (circuit: string, more: object = {}) => {
    const found = await dryRunBody(it.lab, it.caller, { circuits: [circuit], ...more })
    expect(found.accepted).toBe(true)
    return found.warnings.map(({ code, message }) => `${code} ${message.slice(0, 36)}`)
  }
  const bell = `${HEAD} qubit[2] q; bit[2] c; cx q[0], q[1]; c = measure q;`
  expect(await warnings(on(0))).toEqual([])
  expect(await warnings(on(1))).toEqual(['stale_calibration The job uses q1 of qpu_1, of which a'])
  expect(await warnings(on(1), { meas_level: 1 })).toEqual([])
  expect(await warnings(bell)).toEqual([
    'stale_calibration The job may use q1 of qpu_1, of whic',
    'stale_calibration The job may use q0_q1 of qpu_1, of w',
  ])
})

describe('a job that waits when its qubit stops being calibrated', () => {
  async function openWaiting() {
    const it = await openChip([{ name: 'q0' }, { name: 'q1' }])
    const dispatcher = new JobDispatcher({
      ...it.lab.dependencies(),
      heartbeats: new Heartbeats(it.lab.clock, it.lab.config.jobTimeout),
      backoff: new DispatchBackoff(it.lab.clock),
    })
    const submit = async (circuit: string) =>
      String((await submitBody(it.lab, it.caller, { circuits: [circuit] }))['id'])
    const waiting = async (id: string) => {
      const view = await viewJob(it.lab, it.caller, id)
      return view['waiting']
    }
    const sent = () => it.lab.hub.commands('RunJob').map(({ job }) => job)
    return { ...it, dispatcher, submit, waiting, sent, [Symbol.asyncDispose]: it[Symbol.asyncDispose] }
  }

  test('is not sent until the description changes so that it fits; others pass it', async () => {
    await using it = await openWaiting()
    const [job, other] = [await it.submit(on(1)), await it.submit(on(0))]
    await storeDescription(it.lab.db, it.target, { schema: 1, qubits: QUBITS.slice(0, 2) })
    for (let round = 0; round < 3; round += 1) {
      await it.dispatcher.dispatchOnce()
      await it.lab.clock.advance(120_000)
    }
    expect(it.sent()).toEqual([other])
    expect(await it.waiting(job)).toEqual({
      code: 'unsupported_by_qpu',
      text: `the program uses $1 of ${it.qpu.name}: q1 is not calibrated (acq_rotation and acq_threshold are 0). It runs when a QPU supports it; cancel it if it need not`,
    })
    expect(await it.lab.history(job)).toEqual(['submitted 0'])
    await it.lab.complete(other)
    await storeDescription(it.lab.db, it.target, { schema: 1, qubits: LINE })
    await it.dispatcher.dispatchOnce()
    expect(it.sent()).toEqual([other, job])
  })

  test('many of them are judged a few at a time', async () => {
    await using it = await openWaiting()
    for (let count = 0; count < 45; count += 1) await it.submit(on(1))
    const last = await it.submit(on(0))
    await storeDescription(it.lab.db, it.target, { schema: 1, qubits: QUBITS.slice(0, 2) })
    const passes = []
    for (; it.sent().length === 0 && passes.length < 10; passes.push(it.sent().length)) {
      await it.dispatcher.dispatchOnce()
    }
    expect(it.sent()).toEqual([last])
    expect(passes).toHaveLength(3)
  })
})
