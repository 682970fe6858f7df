import { expect, test } from 'bun:test'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { boundPlan, plannedProgram } from '../../../src/simulator/circuits/planned-programs.ts'
import { depolarizing } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit, withNoise } from '../../../src/simulator/noise/noise-model.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { reduceCircuit } from '../../../src/simulator/reduction/reduce-circuit.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'
import { part } from '../../support/whole.ts'
import { runOptions } from '../support/run.ts'

const LOOP = `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[4] q; bit[2] c;
ry(a) q[0]; rz(b) q[0]; cx q[0], q[1]; ry(a + b) q[1]; rx(b) q[3]; c = measure q[0:1];`

const { timeBudget } = runOptions()
const EXACT = { noise: undefined, observables: [], timeBudget }

test('a program is lowered and reduced once; each set of values gives its own circuit', () => {
  const program = parseProgram(LOOP)
  const plan = plannedProgram(program, EXACT)
  if (!plan) throw new Error('no plan')
  expect(plannedProgram(parseProgram(LOOP), EXACT)).toBe(plan)
  for (const values of [
    [0.5, 2],
    [-1, 0.25],
  ]) {
    const { ops = [], qubits, clbits } = lowerProgram(program, values)
    expect(boundPlan(plan, values, EXACT)).toEqual(reduceCircuit(ops, qubits, clbits))
  }
})

test('special angles give the circuit of the program with the values written in it', () => {
  const texts = [
    LOOP,
    // A gate after a measurement that is diagonal for some values: the measurement is then a final one.
    `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[2] q; bit[2] c;
ry(0.3) q[0]; cx q[0], q[1]; c[0] = measure q[0]; rx(a) q[0]; crx(b) q[1], q[0]; U(a, b, 0.1) q[0]; c[1] = measure q[1];`,
    // The other qubit matters only for some values.
    `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[2] q; bit c;
h q; crx(a) q[1], q[0]; U(b, 0, 0) q[1]; c = measure q[0];`,
  ]
  for (const text of texts) {
    const program = parseProgram(text)
    const plan = plannedProgram(program, EXACT)
    if (!plan) throw new Error('no plan')
    for (const values of [
      [0, 0],
      [0, 0.5],
      [0.5, 0],
      [4 * Math.PI, 0],
      [1, 2],
    ]) {
      const { ops = [], qubits, clbits } = lowerProgram(program, values)
      expect(boundPlan(plan, values, EXACT)).toEqual(reduceCircuit(ops, qubits, clbits))
    }
  }
})

/** A program of gates, resets and measurements with angles of its inputs, and values for these. */
function randomScan(seed: number) {
  const { next } = createRng(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
  const angle = () => pick(['a', 'b', 'a + b', '2 * a', '-b / 3', 'a * b', 'a - a', 'pi / 2', '0.3', '0'])
  const step = () => {
    const first = Math.floor(next() * 4)
    const [one, other] = [`q[${first}]`, `q[${(first + 1 + Math.floor(next() * 3)) % 4}]`]
    return pick([
      () => `${pick(['rx', 'ry', 'rz', 'p'])}(${angle()}) ${one};`,
      () => `${pick(['rx', 'ry', 'rz', 'p'])}(${angle()}) ${one};`,
      () => `U(${angle()}, ${angle()}, ${angle()}) ${one};`,
      () => `${pick(['crx', 'crz', 'cp'])}(${angle()}) ${one}, ${other};`,
      () => `${pick(['h', 'x', 's'])} ${one};`,
      () => `${pick(['cx', 'cz', 'swap'])} ${one}, ${other};`,
      () => `c[${Math.floor(next() * 4)}] = measure ${one};`,
      () => pick([`reset ${one};`, 'barrier q;', `gphase(${angle()});`]),
    ])()
  }
  const steps = Array.from({ length: 1 + Math.floor(next() * 14) }, step)
  const value = () => pick([0, Math.PI / 2, Math.PI, 4 * Math.PI, -1e-9, 20 * next() - 10])
  const text = `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[4] q; bit[4] c;
${steps.join(' ')} ${next() < 0.7 ? 'c = measure q;' : ''}`
  return { text, values: Array.from({ length: 4 }, () => [value(), value()]) }
}

test('a plan gives the circuit that each set of values has by itself, for random programs and angles', () => {
  for (const seed of drawnSeeds(part(3_000, 150))) {
    const { text, values } = randomScan(seed)
    const program = parseProgram(text)
    const plan = plannedProgram(program, EXACT)
    if (!plan) throw new Error(`no plan, seed ${seed}`)
    for (const set of values) {
      const { ops = [], qubits, clbits } = lowerProgram(program, set)
      expect([seed, set, boundPlan(plan, set, EXACT)]).toEqual([
        seed,
        set,
        reduceCircuit(ops, qubits, clbits),
      ])
    }
  }
})

test('another noise model and other observables have a plan of their own', () => {
  const program = parseProgram(LOOP)
  const modelOf = (p: number) =>
    defineNoiseModel({
      source: 'test',
      gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [depolarizing(p, 1)]),
      readoutErrorOf: () => [0, 0],
    })
  const [noise, other] = [modelOf(0.1), modelOf(0.2)]
  const plan = plannedProgram(program, { ...EXACT, noise })
  if (!plan) throw new Error('no plan')
  expect(plannedProgram(program, { ...EXACT, noise: other })).not.toBe(plan)
  expect(plannedProgram(program, { ...EXACT, noise })).toBe(plan)
  const { ops = [], qubits, clbits } = lowerProgram(program, [1, 2])
  expect(boundPlan(plan, [1, 2], { ...EXACT, noise })).toEqual(
    reduceCircuit(withNoise(ops, noise), qubits, clbits),
  )
  const observables = [[{ coefficient: 1, letters: [{ qubit: 3, letter: 'X' as const }] }]]
  expect(plannedProgram(program, { ...EXACT, observables })?.reduced.qubits).toEqual([0, 1, 3])
})

test('a program that inputs or outcomes change has no plan', () => {
  const program = parseProgram('OPENQASM 3.0; input int n; qubit[2] q; bit c; reset q[n]; c = measure q[0];')
  for (let round = 0; round < 2; round++) expect(plannedProgram(program, EXACT)).toBeUndefined()
})
