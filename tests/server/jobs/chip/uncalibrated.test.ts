import { expect, test } from 'bun:test'
import type { DeviceDescription } from '../../../../src/protocol/index.ts'
import { dryRunJob, submitJob } from '../../../../src/server/jobs/submission/submit.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

const BITS = { use: 'bits', reason: 'acq_rotation and acq_threshold are 0' } as const
const GATES = { use: 'gates', reason: 'rxy.amp180 is not set' } as const
/** q1 lacks bits, q2 gates, q3 is not in use for another reason. */
const QUBITS: NonNullable<DeviceDescription['qubits']> = [
  { name: 'q0' },
  { name: 'q1', operational: false, uncalibrated: [BITS] },
  { name: 'q2', operational: false, uncalibrated: [GATES] },
  { name: 'q3', operational: false },
]

async function openChip(qubits = QUBITS) {
  const lab = await JobLab.open()
  const qpu = await lab.qpu({ numQubits: 4 })
  const target = await lab.attach(qpu.driver)
  await storeDescription(lab.db, target, { schema: 1, qubits })
  const caller = lab.caller(await lab.user())
  return { lab, caller, qpu, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

const on = (...numbers: number[]) =>
  `OPENQASM 3.0; include "stdgates.inc"; bit[${numbers.length}] c; ${numbers.map((number, at) => `x $${number}; c[${at}] = measure $${number};`).join(' ')}`
const registers = (used: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; barrier q; ${Array.from({ length: used }, (_, at) => `x q[${3 - at}]; c[${at}] = measure q[${3 - at}];`).join(' ')}`

test('a job that needs what is not calibrated is refused with its names and the remedy, stored by none', async () => {
  await using it = await openChip()
  const submit = (circuit: string, more: object = {}) =>
    submitJob(it.lab, it.caller, { circuits: [circuit], ...more })
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
  expect((await fieldOf(registers(2)))?.message).toContain('has 1 of 4 in use. q1 is not calibrated')
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
  const job = await submitJob(it.lab, it.caller, { circuits: [on(1, 2)], ...more })
  expect(job['payload']).toMatchObject(more)
  const off = await submitJob(it.lab, it.caller, { circuits: [on(0)], allow_uncalibrated: false })
  // Drivers of the release before refuse keys that they do not have.
  expect(off['payload']).not.toHaveProperty('allow_uncalibrated')
  const dry = async (circuit: string, options: object) => {
    const { accepted, problems, warnings } = await dryRunJob(it.lab, it.caller, {
      circuits: [circuit],
      ...options,
    })
    return [accepted, problems.map(({ code }) => code), warnings.map(({ message }) => message)]
  }
  expect(await dry(on(1), {})).toEqual([false, ['not_calibrated'], []])
  expect(await dry(on(1), more)).toEqual([true, [], [expect.stringContaining('uses a qubit of')]])
  expect(await dry(registers(2), more)).toEqual([
    ...[true, []],
    [expect.stringContaining('q1 is not calibrated'), expect.stringContaining('q2 is not calibrated')],
  ])
  // What is not in use for another reason stays so.
  expect(await dry(on(3), more)).toEqual([false, ['not_calibrated'], []])
  await expect(
    submitJob(it.lab, it.caller, { circuits: [on(0)], allow_uncalibrated: 1 }),
  ).rejects.toMatchObject({
    fields: { allow_uncalibrated: { message: expect.any(String) } },
  })
})

test('a job without a target is refused only if no QPU can run it', async () => {
  await using it = await openChip()
  const other = await it.lab.qpu({ numQubits: 4 })
  const target = await it.lab.attach(other.driver)
  const body = { circuits: [on(1)] }
  expect(await submitJob(it.lab, it.caller, body)).toMatchObject({ qpu_target: '' })
  await storeDescription(it.lab.db, target, { schema: 1, qubits: QUBITS })
  await expect(submitJob(it.lab, it.caller, body)).rejects.toMatchObject({ code: 'invalid' })
})
