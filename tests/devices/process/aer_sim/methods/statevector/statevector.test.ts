import { expect, test } from 'bun:test'
import { createRng } from '../../../../../../src/devices/numeric/random.ts'
import { compile } from '../../../../../../src/devices/process/aer_sim/methods/statevector/compile.ts'
import { Statevector } from '../../../../../../src/devices/process/aer_sim/methods/statevector/statevector.ts'
import type { Op } from '../../../../../../src/qasm/index.ts'
import {
  h,
  MATRICES,
  measure,
  phase,
  randomUnitary,
  ry,
  swap,
  unitary,
  x,
  z,
} from '../../../../support/ops.ts'
import { type Amplitudes, applyOp, zeroState } from '../../../../support/reference.ts'

function evolve(ops: readonly Op[], qubits: number): Statevector {
  const state = new Statevector(qubits)
  for (const op of ops) {
    if (op.kind !== 'unitary' && op.kind !== 'phase') continue
    for (const call of compile(op)) state.apply(call)
  }
  return state
}

function distance(state: Statevector, expected: Amplitudes): number {
  return expected.reduce(
    (most, [re, im], index) =>
      Math.max(
        most,
        Math.abs(re - (state.amplitudes[2 * index] ?? 9)),
        Math.abs(im - (state.amplitudes[2 * index + 1] ?? 9)),
      ),
    0,
  )
}

/** Distinct qubits in random order. */
function shuffled(qubits: number, random: () => number): number[] {
  return Array.from({ length: qubits }, (_, q) => ({ q, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ q }) => q)
}

function randomOp(qubits: number, random: () => number): Op {
  const order = shuffled(qubits, random)
  const k = 1 + Math.floor(random() * 3)
  const targets = order.slice(0, k)
  const controls = order.slice(k, k + Math.floor(random() * (qubits - k + 1)))
  const values = Math.floor(random() * 2 ** controls.length)
  const choice = Math.floor(random() * 6)
  if (choice === 0) return phase(6 * random(), controls, values)
  if (choice === 1) return unitary(MATRICES.x, targets.slice(0, 1), controls, values)
  if (choice === 2) return unitary(MATRICES.y, targets.slice(0, 1), controls, values)
  if (choice === 3) return unitary(MATRICES.s, targets.slice(0, 1), controls, values)
  if (choice === 4 && k === 2) return unitary(MATRICES.swap, targets, controls, values)
  return unitary(randomUnitary(k, random), targets, controls, values)
}

test('Statevector.apply() agrees with plain complex arithmetic on random gates with random controls', () => {
  const rng = createRng(11)
  for (let round = 0; round < 60; round++) {
    const qubits = 3 + (round % 3)
    const ops = Array.from({ length: 25 }, () => randomOp(qubits, rng.next))
    const expected = ops.reduce(applyOp, zeroState(qubits))
    expect(distance(evolve(ops, qubits), expected)).toBeLessThan(1e-12)
  }
})

test('Statevector.apply() keeps the norm at the largest qubit index', () => {
  const qubits = 16
  const state = evolve([h(15), x(0, 15), ry(1, 7, 15), swap(3, 15), h(3)], qubits)
  const norm = state.amplitudes.reduce((sum, part) => sum + part * part, 0)
  expect(Math.abs(norm - 1)).toBeLessThan(1e-12)
})

test('Statevector: qubit 0 is the least significant bit of the index', () => {
  expect(evolve([x(0)], 2).amplitudes[2 * 0b01]).toBe(1)
  expect(evolve([x(1)], 2).amplitudes[2 * 0b10]).toBe(1)
})

test('Statevector.project() follows the measurement rule for several qubits at once', () => {
  const state = evolve([ry(0.8, 1), x(0, 1), h(2)], 3)
  const one = state.clone()
  one.project(0b011, 0b011)
  const half = Math.SQRT1_2
  expect([0b011, 0b111].map((index) => one.amplitudes[2 * index])).toEqual([
    expect.closeTo(half, 12),
    expect.closeTo(half, 12),
  ])
  state.project(0b100, 0b100)
  expect(state.amplitudes[2 * 0b100]).toBeCloseTo(Math.cos(0.4), 12)
  expect(state.amplitudes[2 * 0b111]).toBeCloseTo(Math.sin(0.4), 12)
  expect(state.amplitudes[2 * 0b000]).toBeCloseTo(0, 12)
})

test('Statevector refuses more qubits than its indices hold', () => {
  expect(() => new Statevector(30)).toThrow(RangeError)
})

test('compile() turns diagonal gates into phases and X into an exchange', () => {
  expect(compile(z(3)).map(({ kind }) => kind)).toEqual(['scale'])
  expect(compile(x(3, 1)).map(({ kind }) => kind)).toEqual(['flip'])
  expect(compile(h(3)).map(({ kind }) => kind)).toEqual(['one'])
  expect(compile(unitary(Float64Array.of(0, 1, 0, 0, 0, 0, 0, 1), [0])).length).toBe(2)
  expect(evolve([measure(0)], 1).amplitudes[0]).toBe(1)
})
