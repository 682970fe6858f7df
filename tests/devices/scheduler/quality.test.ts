import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { stringify } from 'yaml'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../src/devices/chip/provenance/provenance.ts'
import type { ProcessDevice } from '../../../src/devices/index.ts'
import type { QualityCondition } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { chipOf, losslessTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { deviceFileOf } from '../compiler/support/calibrated-pair.ts'
import { errorOfJob, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const DEVICE = join(folder.path, 'scheduler.device.yml')
const NOW = Date.parse('2026-11-27T12:00:00.000Z')
const ERRORS: Readonly<Record<string, number>> = { q0: 0.01, q1: 0.04, q2: 0.02, q3: 0.01 }

/** A row of four qubits: readout errors as above; pairs q0_q1 0.002, q1_q2 unknown, q2_q3 0.02. */
async function openRow(): Promise<ProcessDevice> {
  const truth = losslessTruth(4, 1)
  writeFileSync(join(folder.path, 'simulated.chip.yml'), stringify(truth))
  const text = deviceFileOf(truth, chipOf(truth).chip).replaceAll(
    /(q\d): *\n((?: .*\n)*? {2}measure: {)/g,
    (_, name: string, rest: string) =>
      `${name}:\n  measure_2state: {assignment: [[1, 0], [${2 * (ERRORS[name] ?? 0)}, ${1 - 2 * (ERRORS[name] ?? 0)}]]}\n${rest}acq_rotation: 30, acq_threshold: 1.0e-3, `,
  )
  writeFileSync(DEVICE, text)
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const at = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()
  const provenance = Provenance.read(DEVICE)
  provenance.record(
    ['q0', 'q1', 'q2'].map((element, index) => ({
      ...{
        element,
        path: 'clock_freqs.f01',
        value: file.chip.element(element)?.values.get('clock_freqs.f01'),
      },
      ...{ routine: 'ramsey', run: 'run000000000001', at: at(index), fit: {} },
    })),
  )
  const gates = file.chip.edges.flatMap((edge) => {
    const error = { q0_q1: 0.002, q2_q3: 0.02 }[edge.name]
    return error === undefined
      ? []
      : [{ element: edge, error, routine: 'cz_rb', run: 'run000000000001', at: at(0) }]
  })
  provenance.recordGates(gates)
  const hardware = join(folder.path, 'scheduler.hardware.json')
  const cluster0 = {
    ...{ instrument_type: 'Cluster', ref: 'internal', modules: {} },
    ip: `sim:${folder.path}/simulated.chip.yml`,
  }
  writeFileSync(
    hardware,
    JSON.stringify({
      config_type: 'QbloxHardwareCompilationConfig',
      hardware_description: { cluster0 },
      connectivity: { graph: [] },
    }),
  )
  return openProcess(
    'scheduler_b',
    [`scheduler_device_config=${DEVICE}`, `scheduler_hardware_config=${hardware}`],
    new FakeClock(NOW),
  )
}

const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const ANY = `${HEAD} qubit[1] q; bit c; x q[0]; c = measure q[0];`
const on = (qubit: number) => `${HEAD} bit c; x $${qubit}; c = measure $${qubit};`
const chain = (qubits: number) =>
  `${HEAD} qubit[${qubits}] q; bit[${qubits}] c; h q[0]; ${Array.from({ length: qubits - 1 }, (_, at) => `cx q[${at}], q[${at + 1}];`).join(' ')} c = measure q;`
const PAIR_0_1 = `${HEAD} bit[2] c; h $0; cx $0, $1; c[0] = measure $0; c[1] = measure $1;`

let device: ProcessDevice
beforeAll(async () => {
  device = await openRow()
})

const jobOf = (program: string, require: QualityCondition, more: object = {}) =>
  payloadOf([program], { shots: 10, require, ...more })

test('a chip is described with what conditions are about, and that the device knows them', async () => {
  const { features, qubits, gates } = (await device.describe?.()) ?? {}
  expect(features).toContain('quality_condition')
  expect(qubits).toMatchObject([
    { readout_error: 0.01, calibrated_at: '2026-11-27T12:00:00.000Z' },
    { readout_error: 0.04, calibrated_at: '2026-11-27T11:00:00.000Z' },
    { readout_error: 0.02, calibrated_at: '2026-11-27T10:00:00.000Z' },
    { readout_error: 0.01 },
  ])
  expect(qubits?.[3]).not.toHaveProperty('calibrated_at')
  const cz = gates?.find(({ name }) => name === 'cz')?.on?.map(({ error }) => error)
  expect(cz).toEqual([0.002, undefined, 0.02])
})

const names = v.array(v.string())
const placed = v.object({ routing: v.object({ initial: names, final: names }) })

test.each<[string, QualityCondition, string, string[]]>([
  ['to a qubit with that readout', { readout_fidelity: '>0.985' }, ANY, ['q0', 'q3']],
  ['to qubits that were calibrated', { calibrated_within: '90m' }, ANY, ['q0', 'q1']],
  ['to a pair with that error', { two_qubit_error: '<0.01' }, chain(2), ['q0', 'q1']],
  ['to both', { two_qubit_error: '<0.05', readout_fidelity: '>0.97' }, chain(2), ['q2', 'q3']],
])('the router is limited %s', async (_, condition, program, allowed) => {
  for (const optimization_level of [0, 1, 2] as const) {
    const { circuit_results } = await runJob(device, jobOf(program, condition, { optimization_level }))
    const { routing } = v.parse(placed, circuit_results[0]?.metadata)
    for (const name of [...routing.initial, ...routing.final]) expect(allowed).toContain(name)
  }
})

test.each<[string, QualityCondition, string, string]>([
  ['names a qubit', { readout_fidelity: '>0.97' }, on(1), 'q1 (readout fidelity 0.9600 is not >0.97)'],
  [
    'has too many qubits',
    { readout_fidelity: '>0.97' },
    chain(3),
    'q1 (readout fidelity 0.9600 is not >0.97)',
  ],
  ['joins a pair', { two_qubit_error: '<0.001' }, PAIR_0_1, 'q0_q1 (two-qubit error 0.0020 is not <0.001)'],
  [
    'asks for a time that is not known',
    { calibrated_within: '365d' },
    on(3),
    'q3 (it is not known when it was',
  ],
])(
  'a job that %s of another quality returns to the queue, without having run',
  async (_, condition, program, why) => {
    for (const more of [{}, { allow_uncalibrated: true }]) {
      const error = await errorOfJob(device, jobOf(program, condition, more))
      expect(error).toMatchObject({ class: 'device', errorCode: 'below_quality', executed: false })
      expect(String(error)).toContain(why)
    }
  },
)

test('a job that the whole chip cannot run fails, whatever its condition', async () => {
  const error = await errorOfJob(device, jobOf(chain(5), { readout_fidelity: '>0.97' }))
  expect(error).toMatchObject({ class: 'user', errorCode: 'too_many_qubits' })
})
