import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { deviceDescription } from '../../../../src/protocol/index.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts'
import { openProcess } from '../../support/jobs.ts'

let folder: TemporaryFolder

beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => folder[Symbol.dispose]())

async function describeWith(options: string[], noise?: string) {
  const path = join(folder.path, 'noise.yml')
  if (noise !== undefined) writeFileSync(path, noise)
  const device = await openProcess('aer_sim', [...options, ...(noise === undefined ? [] : [`noise=${path}`])])
  return v.parse(deviceDescription, await device.describe?.())
}

test('an exact simulator has limits and features, and neither qubits nor gates', async () => {
  const { qubits, gates, ...described } = await describeWith(['max_shots=1000', 'max_qubits=12'])
  expect([qubits, gates]).toEqual([undefined, undefined])
  expect(described).toMatchObject({
    ...{ num_qubits: 12, simulator: true, limits: { shots: 1000, executions: 300 } },
    features: [
      'reset',
      'mid_circuit',
      'feedback',
      'inputs',
      'loops',
      'meas_level_1',
      'optimization_level',
      'exact',
      'single_precision',
    ],
  })
  expect(described.limits?.qubits).toBeUndefined()
})

const QUBIT = (t1: number, wrong: number) => `
  element_type: {path: svc.elements.CalibratedTransmon}
  rxy: {duration: 20.0e-9}
  coherence: {t1: ${t1}, t2_echo: ${t1}}
  measure_2state: {assignment: [[${1 - wrong}, ${wrong}], [${wrong}, ${1 - wrong}]]}`

test('a chip is described by its qubits, couplings and errors', async () => {
  const { qubits, gates, limits, measure, reset, dt_s } = await describeWith(
    [],
    `q0:${QUBIT(50e-6, 0.02)}
q1:${QUBIT(25e-6, 0.04)}
q0_q1:
  element_type: {path: quantify.CompositeSquareEdge, kwargs: {parent_element_name: q0, child_element_name: q1}}
  cz: {square_duration: 40.0e-9}
`,
  )
  expect(limits?.qubits).toBe(2)
  expect(qubits?.map(({ name, t1_s }) => [name, t1_s])).toEqual([
    ['q0', 50e-6],
    ['q1', 25e-6],
  ])
  expect(qubits?.[1]?.readout_error).toBeCloseTo(0.04, 10)
  const [, sx, , cz] = gates ?? []
  expect(sx?.on?.map(({ duration_s }) => duration_s)).toEqual([20e-9, 20e-9])
  // With t1 = t2 and t << t1: F = (3 + 2 e^{-t/t2} + e^{-t/t1}) / 6, so 1 - F is about t / (2 t1).
  expect(sx?.on?.[0]?.error).toBeCloseTo(20e-9 / (2 * 50e-6), 7)
  expect(cz).toMatchObject({
    name: 'cz',
    on: [
      { qubits: [0, 1], duration_s: 40e-9 },
      { qubits: [1, 0], duration_s: 40e-9 },
    ],
  })
  // Those of the slowest qubit; the defaults of a device file.
  expect([measure, reset, dt_s]).toEqual([{ duration_s: 1e-6 }, { duration_s: 200e-6 }, 1e-9])
  expect(cz?.on?.[0]?.error).toBeGreaterThan((sx?.on?.[1]?.error ?? 1) * 2)
})

test('a noise file describes the qubits and couplings that it names', async () => {
  const { qubits, gates, limits } = await describeWith(
    [],
    `gates:
  - {gate: sx, errors: [{depolarizing: 0.01}]}
  - {gate: cx, qubits: [0, 2], errors: [{depolarizing: 0.1}]}
idle: [{qubits: [1], t1: 1.0e-6, t2: 1.0e-6}]
readout: [{qubits: [2], matrix: [[0.9, 0.1], [0.3, 0.7]]}]
`,
  )
  expect(limits?.qubits).toBeUndefined()
  expect(qubits?.map(({ t1_s, readout_error }) => [t1_s, readout_error])).toEqual([
    [undefined, undefined],
    [1e-6, undefined],
    [undefined, 0.2],
  ])
  const [, sx, x, cx] = gates ?? []
  // Depolarizing with p: average error p (d - 1) / d.
  expect(sx?.on?.[0]?.error).toBeCloseTo(0.005, 10)
  // What the file leaves exact was not measured.
  expect(x?.on?.[0]).toEqual({ qubits: [0] })
  expect(cx).toMatchObject({ name: 'cx', on: [{ qubits: [0, 2] }] })
  expect(cx?.on?.[0]?.error).toBeCloseTo(0.075, 10)
})

test('a noise file says how long gates, measurements and resets take', async () => {
  const { gates, measure, reset, dt_s } = await describeWith(
    [],
    `durations:
  - {gate: [sx, x], duration: 3.5e-8}
  - {gate: sx, qubits: [1], duration: 5.0e-8}
  - {gate: cz, qubits: [0, 1], duration: 6.0e-8}
  - {gate: measure, duration: 1.0e-6}
  - {gate: measure, qubits: [1], duration: 1.5e-6}
  - {gate: reset, duration: 2.0e-4}
dt: 1.0e-9
`,
  )
  const [, sx, x, cz] = gates ?? []
  expect([sx?.on, x?.on, cz?.on]).toEqual([
    [
      { qubits: [0], duration_s: 3.5e-8 },
      { qubits: [1], duration_s: 5e-8 },
    ],
    [
      { qubits: [0], duration_s: 3.5e-8 },
      { qubits: [1], duration_s: 3.5e-8 },
    ],
    [{ qubits: [0, 1], duration_s: 6e-8 }],
  ])
  expect([measure, reset, dt_s]).toEqual([{ duration_s: 1.5e-6 }, { duration_s: 2e-4 }, 1e-9])
})

test('a noise file about all qubits describes no chip', async () => {
  const described = await describeWith([], 'gates: [{gate: x, errors: [{depolarizing: 0.01}]}]')
  expect(described).toMatchObject({ simulator: true })
  expect([described.qubits, described.measure, described.dt_s]).toEqual([undefined, undefined, undefined])
})
