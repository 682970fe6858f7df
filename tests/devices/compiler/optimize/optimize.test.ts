import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decompose } from '../../../../src/devices/compiler/decompose/decompose.ts'
import { HADAMARD, onBoth, PAULI_X, product } from '../../../../src/devices/compiler/decompose/matrix.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import { type Step, StepList } from '../../../../src/devices/compiler/decompose/step.ts'
import { addTwoQubit } from '../../../../src/devices/compiler/decompose/two-qubit.ts'
import { optimize, optimizeFree } from '../../../../src/devices/compiler/optimize/optimize.ts'
import { countCz } from '../../../../src/devices/compiler/optimize/synthesize.ts'
import { lowerProgram, parseProgram, ryMatrix, rzMatrix } from '../../../../src/qasm/index.ts'
import { outcomeProbabilities, totalVariation } from '../support/exact.ts'
import { randomCircuit } from '../support/random-circuit.ts'
import { distance, unitaryOf } from '../support/unitary.ts'

const NONE = new Set<number>()

/** The steps of a program on four qubits q with four bits c. */
function stepsOf(statements: string): { ops: ReturnType<typeof opsOf>; steps: Step[] } {
  const ops = opsOf(statements)
  return { ops, steps: decompose(ops) }
}

function opsOf(statements: string) {
  const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; ${statements}`
  const { ops } = lowerProgram(parseProgram(text), [])
  if (!ops) throw new Error('classical control')
  return ops
}

/** CZ of a program before and after; the probabilities of its outcomes are the same. */
function gatesOf(statements: string): [before: number, after: number] {
  const { ops, steps } = stepsOf(statements)
  const optimized = optimizeFree(steps, NONE).steps
  expect(
    totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(optimized))),
  ).toBeLessThanOrEqual(1e-12)
  return [countCz(steps), countCz(optimized)]
}

const BUSY =
  'U(0.3, 0.4, 0.5) q[0]; U(1.3, 0.4, 0.2) q[1]; U(2.3, 0.1, 0.7) q[2]; U(0.4, 1, 2) q[3]; barrier q;'
/** Three CX between random gates: any unitary on two qubits. */
const ANY = (one: number, other: number, seed = 0.4) =>
  [0, 1, 2]
    .map(
      (at) =>
        `U(${seed + at}, 0.${at + 3}, 1.1) q[${one}]; U(1.${at + 2}, ${seed}, 0.6) q[${other}]; cx q[${one}], q[${other}];`,
    )
    .join(' ')

describe('optimizeFree()', () => {
  test.each([
    [
      'joins gates of the same two qubits, and takes their exchange out',
      `${BUSY} cx q[0], q[1]; ry(0.3) q[1]; cx q[1], q[0]; cx q[0], q[1]; x q[0]; cx q[1], q[0]; barrier q; ry(1) q;`,
      4,
      1,
    ],
    ['cancels a gate and its inverse', `${BUSY} cx q[0], q[1]; cx q[0], q[1]; ry(1) q;`, 2, 0],
    [
      'cancels across gates that commute',
      `${BUSY} cx q[0], q[1]; cx q[0], q[2]; cz q[0], q[3]; cx q[0], q[1]; barrier q; ry(1) q;`,
      4,
      2,
    ],
    [
      'moves a gate to the next one of its qubits, across one that commutes with it only',
      `${BUSY} cx q[0], q[1]; cx q[0], q[2]; ${ANY(0, 1)} barrier q; ry(1) q;`,
      5,
      4,
    ],
    ['keeps what does not commute', `${BUSY} cx q[0], q[1]; cx q[1], q[2]; cx q[0], q[1]; ry(1) q;`, 3, 3],
    [
      'keeps gates on both sides of a barrier',
      `${BUSY} cx q[0], q[1]; barrier q[1]; cx q[0], q[1]; ry(1) q;`,
      2,
      2,
    ],
    [
      'keeps gates on both sides of a delay',
      `${BUSY} cx q[0], q[1]; delay[20ns] q[1]; cx q[0], q[1]; ry(1) q;`,
      2,
      2,
    ],
    ['elides a swap', `${BUSY} swap q[0], q[1]; cx q[1], q[2]; barrier q; ry(1) q[0];`, 4, 1],
    [
      'elides the exchange in a longer gate',
      `${BUSY} cx q[0], q[1]; rz(0.7) q[1]; cx q[0], q[1]; swap q[0], q[1]; ry(1) q[0]; rx(0.3) q[1]; cx q[0], q[2];`,
      6,
      3,
    ],
    ['prepares any state of two qubits with one CZ', ANY(0, 1), 3, 1],
    ['prepares a product without a CZ', 'x q[1]; cx q[0], q[1]; ry(0.3) q;', 1, 0],
    [
      'needs two CZ when one qubit is in its ground state',
      `U(0.3, 0.4, 0.5) q[0]; U(1.3, 0.4, 0.2) q[2]; cx q[0], q[2]; barrier q; ${ANY(0, 1)} barrier q; ry(1) q[1];`,
      4,
      3,
    ],
    [
      'needs two CZ before measurements of both qubits',
      `${BUSY} cx q[0], q[2]; cx q[1], q[2]; ry(0.3) q[2]; ${ANY(0, 1)} c = measure q;`,
      5,
      4,
    ],
    [
      'drops a phase before measurements',
      `${BUSY} cp(0.7) q[0], q[1]; c[0] = measure q[0]; c[1] = measure q[1];`,
      2,
      0,
    ],
  ])('%s', (_, statements, before, after) => {
    const measured = statements.includes('measure') ? statements : `${statements} c = measure q;`
    expect(gatesOf(measured)).toEqual([before, after])
  })

  test('uses that a reset qubit is in its ground state', () => {
    const { steps } = stepsOf(`${BUSY} ry(1) q; reset q[0]; reset q[1]; ${ANY(0, 1)} barrier q; ry(1) q;`)
    expect(countCz(optimizeFree(steps, NONE).steps)).toBe(1)
  })

  test('keeps the probabilities of outcomes of random circuits', () => {
    for (let seed = 500; seed < 530; seed++) {
      const { ops } = randomCircuit(seed, 2 + (seed % 6), 5)
      const { steps } = optimizeFree(decompose(ops), NONE)
      expect(totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(steps)))).toBeLessThan(
        1e-11,
      )
    }
  })

  test('keeps fixed qubits in their places', () => {
    const { steps } = stepsOf(`${BUSY} swap q[0], q[1]; ry(1) q[0];`)
    expect(optimizeFree(steps, new Set([1]))).toMatchObject({ wires: new Map() })
    expect(countCz(optimizeFree(steps, new Set([1])).steps)).toBe(3)
    expect([...optimizeFree(steps, new Set([2])).wires]).toEqual([
      [0, 1],
      [1, 0],
    ])
  })
})

describe('optimize()', () => {
  test('makes the same unitary on qubits in any state, up to a phase', () => {
    const angle = fc.double({ min: -3.2, max: 3.2, noNaN: true })
    const local = fc
      .tuple(angle, angle, angle)
      .map(([a, b, c]) => product(rzMatrix(a), ryMatrix(b), rzMatrix(c)))
    const pair = fc.constantFrom<[number, number]>([0, 1], [1, 0], [1, 2], [2, 0], [0, 2])
    const gate = fc.oneof(
      fc.record({ kind: fc.constant('cz' as const), qubits: pair }),
      fc.record({ kind: fc.constant('local' as const), qubit: fc.nat(2), matrix: local }),
      fc.record({
        kind: fc.constant('local' as const),
        qubit: fc.nat(2),
        matrix: fc.constantFrom(HADAMARD, PAULI_X, rzMatrix(0.4)),
      }),
    )
    // A gate before and after on each qubit keeps the ends from being used.
    const guards: Step[] = [{ kind: 'barrier', qubits: [0, 1, 2, 3] }]
    const touched = [0, 1, 2].flatMap((qubit): Step[] => [{ kind: 'cz', qubits: [qubit, 3] }])
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 30 }), (gates) => {
        const steps: Step[] = [...touched, ...guards, ...gates, ...guards, ...touched]
        const optimized = optimize(steps)
        expect(countCz(optimized)).toBeLessThanOrEqual(countCz(steps))
        const inner = (all: readonly Step[]) => {
          const [first, last] = [
            all.findIndex(({ kind }) => kind === 'barrier'),
            all.findLastIndex(({ kind }) => kind === 'barrier'),
          ]
          return all.slice(first, last)
        }
        expect(
          distance(unitaryOf(3, toNative(inner(optimized))), unitaryOf(3, toNative(inner(steps)))),
        ).toBeLessThan(1e-9)
      }),
      { numRuns: 60 },
    )
  })

  test('takes at most three CZ for any two qubits', () => {
    const list = new StepList()
    addTwoQubit(list, [0, 1], onBoth(ryMatrix(0.3), rzMatrix(1.1)))
    expect(countCz(optimize(list.steps))).toBe(0)
  })
})
