import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { openNoiseFile } from '../../../src/devices/noise/noise-file.ts'
import { rzMatrix } from '../../../src/qasm/index.ts'
import { type Channel, completenessError } from '../../../src/simulator/noise/channel.ts'
import { x } from '../../simulator/support/ops.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { ioOf, openProcess, payloadOf, runJob } from '../support/jobs.ts'

let folder: TemporaryFolder

beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => folder[Symbol.dispose]())

function write(text: string, name = 'noise.yml'): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

const open = (text: string) => openNoiseFile(write(text), silentLog).current.model

describe('a noise file', () => {
  test('defines the noise of gates, by name and by qubits', () => {
    const model = open(`
gates:
  - gate: [x, sx]
    errors: [{depolarizing: 0.01}, {amplitude_damping: 0.02}]
  - gate: x
    qubits: [3]
    errors: [{pauli: {Z: 0.1}}]
  - gate: cx
    errors: [{depolarizing: 0.02}, {thermal: {t1: 50e-6, t2: 70e-6, duration: 300e-9}}]
`)
    const named = (name: string, ...qubits: number[]) =>
      model.channelsAfter?.({ ...x(...(qubits as [number])), name }) ?? []
    expect(named('x', 0).map(({ qubits }) => qubits)).toEqual([[0], [0]])
    expect(named('x', 3)).toHaveLength(1)
    expect(named('h', 0)).toEqual([])
    // Operands in the order of the call: the control first. Two qubits at once, then each separately.
    expect(named('cx', 1, 0).map(({ qubits }) => qubits)).toEqual([[0, 1], [0], [1], [0], [1]])
    // The same gate by its other names, unless a rule names one of them.
    expect(named('CX', 1, 0)).toHaveLength(5)
    const both = open('gates: [{gate: u3, errors: [{depolarizing: 0.1}]}, {gate: U, errors: []}]')
    const countOf = (name: string) => both.channelsAfter?.({ ...x(0), name })?.length
    expect(['u3', 'u', 'U'].map(countOf)).toEqual([1, 1, 0])
    // One channel object for all gates of a kind: methods cache their analysis by object.
    expect(named('cx', 1, 0)[0]?.channel).toBe(named('cx', 2, 3)[0]?.channel as Channel)
    for (const { channel } of named('cx', 1, 0)) expect(completenessError(channel)).toBeLessThan(1e-12)
  })

  test('defines the relaxation of idle qubits and the readout error', () => {
    const model = open(`
idle: [{t1: 1e-6, t2: 1e-6}, {qubits: [2], t1: 1, t2: 1}]
readout:
  - matrix: [[0.99, 0.01], [0.03, 0.97]]
  - {qubits: [1], matrix: [[1, 0], [0, 1]]}
`)
    expect(model.readoutErrorOf(0)).toEqual([0.01, 0.03])
    expect(model.readoutErrorOf(1)).toEqual([0, 0])
    expect(
      model.channelsAfter?.({
        kind: 'delay',
        qubits: [0, 2],
        duration: { numerator: 1n, denominator: 1_000_000n },
      }),
    ).toHaveLength(4)
  })

  test.each([
    ['gates: [{gate: x, errors: [{depolarizing: 2}]}]', 'gates.0.errors.0'],
    ['gates: [{gate: x, errors: [{magic: 1}]}]', 'expected one of depolarizing, amplitude_damping'],
    ['gates: [{gate: x, errors: [{thermal: {t1: 1, t2: 3, duration: 1}}]}]', 'gates.0.errors.0'],
    ['gates: [{gate: x, errors: [{kraus: [[[[1, 0], [0, 0]], [[0, 0], [0.5, 0]]]]}]}]', 'gates.0.errors.0'],
    [
      'gates: [{gate: x, qubits: [1], errors: [{pauli: {XX: 0.1}}]}]',
      'the error of x acts on 2 qubits, the gate on 1',
    ],
    ['readout: [{matrix: [[0.9, 0.2], [0, 1]]}]', 'expected rows whose sum is 1'],
    ['gaets: []', 'gaets'],
    ['gates: [', 'line 1'],
    ['a: 1\na: 2', 'unique'],
  ])('is refused for %s', (text, reason) => {
    const path = write(text)
    expect(() => openNoiseFile(path, silentLog)).toThrow(reason)
    expect(() => openNoiseFile(path, silentLog)).toThrow(`${path} is not a noise model`)
  })

  test('leaves circuits to the exact methods when the only noise is readout error', async () => {
    const path = write('readout: [{matrix: [[0.9, 0.1], [0.3, 0.7]]}]', 'readout.yml')
    const device = await openProcess('aer_sim', [`noise=${path}`, 'seed=1'])
    const program = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; x q[1]; c = measure q;'
    const { circuit_results: results } = await runJob(device, payloadOf([program], { shots: 20_000 }))
    expect(results[0]?.metadata).toMatchObject({ method: 'statevector', noise: 'readout.yml' })
    // Expected 20,000 · (0.9 · 0.7, 0.1 · 0.7, 0.9 · 0.3, 0.1 · 0.3), within 5 standard deviations at most.
    const expected: Record<string, number> = { '10': 12_600, '11': 1_400, '00': 5_400, '01': 600 }
    for (const [bits, count] of Object.entries(expected)) {
      expect(Math.abs((results[0]?.counts?.[bits] ?? 0) - count)).toBeLessThan(5 * Math.sqrt(count))
    }
  })

  test('is named by a job with its hash, as it was in use before and after it', async () => {
    const text = 'readout: [{matrix: [[0.9, 0.1], [0.3, 0.7]]}]'
    const path = write(text, 'named.yml')
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    const device = await openProcess('aer_sim', [`noise=${path}`])
    const payload = payloadOf(['OPENQASM 3.0; qubit q; bit c; c = measure q;'], { shots: 1 })
    let known: unknown
    const ranWith = (found: unknown) => {
      known = found
    }
    await device.run({ id: 'job000000000001', attempt: 1, payload }, { ...ioOf(), ranWith })
    const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex')
    const state = { sha256, modified_at: '2023-11-14T22:13:20.000Z' }
    expect(known).toEqual({ noise_file: { before: state, after: state } })
  })

  test('is read again after a change, and stays in use while the changed file is invalid', () => {
    const path = write('readout: [{matrix: [[0.9, 0.1], [0, 1]]}]')
    const file = openNoiseFile(path, silentLog)
    write('readout: [{matrix: [[0.8, 0.2], [0, 1]]}]')
    utimesSync(path, 1, 1)
    expect(file.current.model.readoutErrorOf(0)[0]).toBeCloseTo(0.2)
    write('readout: [')
    expect(file.current.model.readoutErrorOf(0)[0]).toBeCloseTo(0.2)
    rmSync(path)
    expect(file.current.model.readoutErrorOf(0)[0]).toBeCloseTo(0.2)
  })
})

describe('a device file', () => {
  const chip = `
q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
  rxy: {duration: 40e-9}
  coherence: {t1: 50e-6, t2_echo: 30e-6, t2_star: 12e-6}
  measure_2state: {assignment: [[0.98, 0.02], [0.05, 0.95]]}
q1:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q1]}
  coherence: {t1: .nan}
q0_q1:
  element_type: {path: x.CompositeSquareEdge, kwargs: {parent_element_name: q0, child_element_name: q1}}
  cz: {square_duration: 200e-9}
`

  test('defines relaxation during gates and readout errors', () => {
    const model = open(chip)
    expect(model.qubits).toBe(2)
    expect(model.readoutErrorOf(0)[0]).toBeCloseTo(0.02)
    expect(model.readoutErrorOf(0)[1]).toBeCloseTo(0.05)
    expect(model.readoutErrorOf(1)).toEqual([0, 0])
    const damping = (name: string, ...qubits: number[]) => {
      const [first] = model.channelsAfter?.({ ...x(...(qubits as [number])), name }) ?? []
      // The jump |1> → |0>: its square is 1 - e^{-t/T1}.
      return (first?.channel.kraus[1]?.[2] ?? 0) ** 2
    }
    expect(damping('x', 0)).toBeCloseTo(1 - Math.exp(-40e-9 / 50e-6), 12)
    expect(damping('cz', 0, 1)).toBeCloseTo(1 - Math.exp(-200e-9 / 50e-6), 12)
    expect(model.channelsAfter?.({ ...x(0), name: 'rz', matrix: rzMatrix(1) })).toEqual([])
    expect(model.channelsAfter?.({ ...x(1), name: 'x' })).toEqual([])
  })

  test.each([
    ['q0: {element_type: {path: a.Unknown}}', 'q0.element_type.path: expected one of BasicTransmonElement'],
    [
      'e: {element_type: {path: a.CompositeSquareEdge, kwargs: {}}}',
      'line 1, column 57: e.element_type.kwargs.parent_element_name',
    ],
    ['q0: {element_type: {path: a.CalibratedTransmon}, coherence: {t1: long}}', 'q0.coherence.t1'],
  ])('is refused for %s', (text, reason) => {
    expect(() => open(text)).toThrow(reason)
  })

  test('is the noise model of a device that names it, and limits the qubits of circuits', async () => {
    const device = await openProcess('aer_sim', [`noise=${write(chip, 'scheduler.device.yml')}`, 'seed=1'])
    const program = (qubit: number) =>
      `OPENQASM 3.0; include "stdgates.inc"; bit c; qubit[4] q; x q[${qubit}]; c = measure q[${qubit}];`
    const results = await runJob(device, payloadOf([program(0)], { shots: 20_000 }))
    expect(Math.abs((results.counts?.['0'] ?? 0) - 1_015)).toBeLessThan(150)
    expect(results.circuit_results[0]?.metadata).toMatchObject({ noise: 'scheduler.device.yml' })
    await expect(runJob(device, payloadOf([program(2)]))).rejects.toThrow(
      'circuit 0 uses qubit 2; the noise model scheduler.device.yml has 2 qubits',
    )
  })
})

test('a dt of a program is that of the noise file, and 1 ns without one', async () => {
  const program = (version: string, body: string) => `OPENQASM ${version}; ${body}`
  const of = (lasts: string) =>
    program('3.0', `include "stdgates.inc"; qubit q; bit c; if (2000dt == ${lasts}) { x q; } c = measure q;`)
  const wait = program(
    '2.0',
    'include "qelib1.inc"; qreg q[1]; creg c[1]; x q[0]; delay(20000) q[0]; measure q -> c;',
  )
  const countsOf = async (options: string[], text: string) =>
    (await runJob(await openProcess('aer_sim', options), payloadOf([text], { shots: 2_000, seed: 1 })))
      .circuit_results[0]?.counts
  const file = write('dt: 0.25e-9\nidle: [{t1: 5e-6, t2: 5e-6}]')
  expect(await countsOf([`noise=${file}`], of('0.5us'))).toEqual({ 1: 2_000 })
  expect(await countsOf([], of('2us'))).toEqual({ 1: 2_000 })
  // 20,000 dt are 5 us, after which 1/e of the qubits are excited.
  expect((await countsOf([`noise=${file}`], wait))?.['1']).toBeGreaterThan(650)
})
