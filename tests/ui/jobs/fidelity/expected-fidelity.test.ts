import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { description } from '../../../../ui/api/model/qpus/chip.ts'
import { predictFidelity } from '../../../../ui/jobs/check/check-program.ts'
import type { Fidelity } from '../../../../ui/jobs/fidelity/expected-fidelity.ts'

const T1 = 50e-6
const T2 = 40e-6
const PAIRS = [
  [0, 1],
  [1, 2],
]

function device(changes: object = {}) {
  return v.parse(description, {
    qubits: [0, 1, 2].map((at) => ({ name: `q${at}`, t1_s: T1, t2_s: T2, readout_error: 0.02 })),
    gates: [
      { name: 'rz', virtual: true },
      { name: 'sx', on: [0, 1, 2].map((at) => ({ qubits: [at], error: 0.001, duration_s: 3e-8 })) },
      { name: 'cz', on: PAIRS.map((qubits) => ({ qubits, error: 0.01, duration_s: 2e-7 })) },
    ],
    ...changes,
  })
}

const program = (body: string, head = '') =>
  `OPENQASM 3.0;\ninclude "stdgates.inc";\n${head}qubit[3] q;\nbit[3] c;\n${body}\n`
const predict = (body: string, changes?: object, values: number[] = []) =>
  predictFidelity(program(body), values, device(changes))
const fidelity = (body: string, changes?: object) => predict(body, changes) as Fidelity
const withoutTimes = {
  gates: device().gates.map((gate) => ({
    ...gate,
    on: gate.on.map(({ qubits, error }) => ({ qubits, error })),
  })),
}

test('the fidelity is the product of 1 − error over gates and readouts', () => {
  const of = (body: string) => fidelity(body, withoutTimes)
  expect(of('sx q[0];').gates).toBeCloseTo(0.999, 12)
  expect(of('cz q[0], q[1];').gates).toBeCloseTo(0.99, 12)
  expect(of('cz q[1], q[0];').gates).toBeCloseTo(0.99, 12)
  const measured = of('sx q[0]; c[0] = measure q[0]; c[1] = measure q[1];')
  expect(measured.readout).toBeCloseTo(0.98 ** 2, 12)
  expect(measured.total).toBeCloseTo(0.999 * 0.98 ** 2, 12)
  expect(measured.idle).toBe(1)
})

test('gates that the device lacks are made of its own; changes of frame are free', () => {
  const pulses = (body: string) =>
    Math.abs(Math.round(Math.log(fidelity(body, withoutTimes).gates) / Math.log(0.999)))
  expect(['rz(0.3) q[0];', 't q[0];', 'p(0.1) q[0];'].map(pulses)).toEqual([0, 0, 0])
  expect(['h q[0];', 'rx(pi/2) q[0];'].map(pulses)).toEqual([1, 1])
  expect(['x q[0];', 'ry(0.3) q[0];', 'u3(0.1, 0.2, 0.3) q[0];'].map(pulses)).toEqual([2, 2, 2])
  const cx = 0.99 * 0.999 ** 2
  for (const [body, count] of [
    ['cx q[0], q[1];', 1],
    ['ch q[0], q[1];', 1],
    ['cp(0.3) q[0], q[1];', 2],
    ['crx(0.3) q[0], q[1];', 2],
    ['swap q[0], q[1];', 3],
    ['ccx q[0], q[1], q[2];', 6],
  ] as const) {
    expect([body, fidelity(body, withoutTimes).gates]).toEqual([body, expect.closeTo(cx ** count, 10)])
  }
  const gate = predictFidelity(
    program('pair q[0], q[1];', 'gate pair a, b { h a; cx a, b; }\n'),
    [],
    device(withoutTimes),
  ) as Fidelity
  expect(gate.gates).toBeCloseTo(0.999 * cx, 12)
})

test('a qubit loses while it waits between two gates, not before its first one', () => {
  const one = (seconds: number) => 1 / 2 + Math.exp(-seconds / T1) / 6 + Math.exp(-seconds / T2) / 3
  expect(fidelity('sx q[0]; delay[1us] q[0]; sx q[0];').idle).toBeCloseTo(one(1e-6), 12)
  expect(fidelity('delay[1us] q[0]; sx q[0];').idle).toBe(1)
  // q1 has had its pulse and waits for the second one of q0.
  expect(fidelity('sx q[1]; x q[0]; cz q[0], q[1];').idle).toBeCloseTo(one(3e-8), 12)
  expect(fidelity('sx q[1]; sx q[0]; delay[1us] q[0]; barrier q; sx q[1];').idle).toBeCloseTo(
    one(1e-6) ** 2,
    12,
  )
})

test('a better device never has a lower fidelity', () => {
  const body = 'h q[0]; cx q[0], q[1]; cx q[1], q[2]; delay[1us] q; c = measure q;'
  const worse = { qubits: device().qubits.map((qubit) => ({ ...qubit, readout_error: 0.05, t1_s: 1e-6 })) }
  expect(fidelity(body, worse).total).toBeLessThan(fidelity(body).total)
})

test('what is not described is said instead of guessed', () => {
  const why = (body: string, changes?: object) => (predict(body, changes) as { unknown: string }).unknown
  expect(why('cx q[0], q[2];')).toBe('q0 and q2 are not coupled')
  expect(why('sx q[0];', { gates: [] })).toBe('the QPU describes no gates')
  expect(why('reset q[0];')).toBe('the error of a reset is not described')
  expect(why('c[0] = measure q[0]; if (c[0]) x q[1];')).toBe('outcomes decide what runs')
  expect(why('c[0] = measure q[0];', { qubits: [{ name: 'q0' }] })).toBe(
    'the readout error of q0 is not described',
  )
  expect(why('sx q[0];', { qubits: [{ name: 'q0', operational: false }] })).toBe('q0 is not in use')
  expect(predict('nonsense q[0];')).toBeUndefined()
})
