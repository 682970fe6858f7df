import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PhaseOp, UnitaryOp } from '../../../../../src/qasm/index.ts'
import { createEngine, type Engine } from '../../../../../src/simulator/kernel/engine.ts'
import type { KernelCall } from '../../../../../src/simulator/kernel/kernel-call.ts'
import type { Precision } from '../../../../../src/simulator/kernel/layout.ts'
import { compile } from '../../../../../src/simulator/methods/statevector/gates/compile.ts'
import { Statevector } from '../../../../../src/simulator/methods/statevector/state/statevector.ts'
import { createRng, PURPOSE } from '../../../../../src/simulator/numeric/random.ts'
import { UNLIMITED } from '../../../../../src/simulator/timing/time-budget.ts'
import { h, MATRICES, phase, randomUnitary, ry, swap, unitary, x, z } from '../../../support/ops.ts'
import { type Amplitudes, applyOp, zeroState } from '../../../support/reference.ts'

type Gate = UnitaryOp | PhaseOp

const rng = createRng(11)
const engines: Engine[] = []
const pick = (most: number) => Math.floor(rng.next() * most)

beforeAll(async () => {
  engines.push(await createEngine(1), await createEngine(2))
})

afterAll(() => {
  for (const engine of engines) engine.stop()
})

function callsOf(gates: readonly Gate[]): KernelCall[] {
  return gates.flatMap((gate) => compile(gate))
}

function evolve(
  gates: readonly Gate[],
  qubits: number,
  engine = engines[0] as Engine,
  precision: Precision = 'double',
): Statevector {
  const state = new Statevector(engine, qubits, UNLIMITED, precision)
  state.applyAll(callsOf(gates))
  return state
}

function distance({ amplitudes }: Statevector, expected: Amplitudes): number {
  return expected.reduce(
    (most, [re, im], index) =>
      Math.max(
        most,
        Math.abs(re - (amplitudes[2 * index] ?? 9)),
        Math.abs(im - (amplitudes[2 * index + 1] ?? 9)),
      ),
    0,
  )
}

/** Largest error of an amplitude. */
const TOLERANCES = { double: 1e-12, single: 3e-6 } as const

/** Compares gates with plain complex arithmetic in both precisions; `later` ones are separate calls. */
function expectAgreement(
  gates: readonly Gate[],
  qubits: number,
  used = engines.slice(0, 1),
  later: readonly Gate[] = [],
): void {
  const expected = [...gates, ...later].reduce(applyOp, zeroState(qubits))
  for (const engine of used) {
    for (const precision of ['double', 'single'] as const) {
      const state = evolve(gates, qubits, engine, precision)
      state.applyAll(callsOf(later))
      expect(distance(state, expected)).toBeLessThan(TOLERANCES[precision])
    }
  }
}

/** Distinct qubits in random order. */
function shuffled(qubits: number): number[] {
  return Array.from({ length: qubits }, (_, q) => ({ q, key: rng.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ q }) => q)
}

/** A gate of any kind on random qubits, with up to three controls of any value. */
function randomGate(qubits: number): Gate {
  const order = shuffled(qubits)
  const k = 1 + pick(Math.min(3, qubits))
  const targets = order.slice(0, k)
  const controls = order.slice(k, k + pick(4))
  const values = pick(2 ** controls.length)
  const choices: (() => Gate)[] = [
    () => phase(6 * rng.next(), order.slice(0, pick(4)), pick(8)),
    () => unitary(MATRICES.x, targets.slice(0, 1), controls, values),
    () => unitary(MATRICES.y, targets.slice(0, 1), controls, values),
    () => unitary(MATRICES.z, targets.slice(0, 1), controls, values),
    () => unitary(MATRICES.h, targets.slice(0, 1), controls, values),
    () => (qubits < 2 ? h(0) : unitary(MATRICES.swap, order.slice(0, 2), order.slice(2, 3), pick(2))),
    () => unitary(randomUnitary(1, rng.next), targets.slice(0, 1)),
    () => unitary(randomUnitary(k, rng.next), targets, controls, values),
  ]
  return choices[pick(choices.length)]?.() ?? h(0)
}

/** A layer that leaves no amplitude zero, so that every gate has an effect. */
const spread = (qubits: number): Gate[] =>
  Array.from({ length: qubits }, (_, q) => unitary(randomUnitary(1, rng.next), [q]))

describe('Statevector.applyAll() agrees with plain complex arithmetic', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('on random gates on %d qubits', (qubits) => {
    for (let round = 0; round < 8; round++) {
      const gates = [...spread(qubits), ...Array.from({ length: 25 }, () => randomGate(qubits))]
      expectAgreement(gates, qubits)
    }
  })

  // One block up to 15 qubits, blocks of 2^14 at 16, of 2^15 from 17 on; in single precision one more.
  test.each([14, 15, 16, 17])('on random gates on %d qubits, on one thread and on two', (qubits) => {
    const first = spread(qubits).filter((_, q) => q % 3 === 0 || q > qubits - 3)
    const gates = [...first, ...Array.from({ length: qubits > 15 ? 6 : 10 }, () => randomGate(qubits))]
    expectAgreement(gates, qubits, engines)
  })

  test.each([8, 9, 16])('on layers of real gates, which are paired, on %d qubits', (qubits) => {
    const layer = shuffled(qubits).map((q) => (q % 4 === 0 ? h(q) : ry(0.3 + q, q)))
    const gates = [...layer, x(1, 0), phase(0.4, [0, 2]), ...layer.slice(0, 5)]
    expectAgreement(gates, qubits, engines)
  })

  test.each([6, 9, 12])('on phases of many qubits at once, on %d qubits', (qubits) => {
    const phases = Array.from({ length: 40 }, () =>
      phase(6 * rng.next(), shuffled(qubits).slice(0, 1 + pick(2))),
    )
    const gates = [...spread(qubits), ...phases, ...spread(qubits), ...phases.slice(0, 20)]
    expectAgreement(gates, qubits)
  })

  test.each([8, 9, 13, 16])('on alternating layers of rotations and phases, on %d qubits', (qubits) => {
    const rotations = () => shuffled(qubits).map((q) => ry(6 * rng.next(), q))
    const phases = () => {
      const order = shuffled(qubits)
      const pairs = order.slice(0, -1).map((q, place) => [q, order[place + 1] as number])
      const highest = [qubits - 2, qubits - 1]
      return [...order.map((q) => [q]), ...pairs, highest].map((controls) => phase(6 * rng.next(), controls))
    }
    const gates = [rotations(), phases(), rotations(), phases(), rotations()].flat()
    // Without a rotation the block is that of the lowest qubits: pairs lie inside, across its border and
    // outside.
    expectAgreement(gates, qubits, engines, phases())
  })

  test('on phases of qubits inside and outside of the block, all with one qubit in common or not', () => {
    const qubits = 16
    const few = [0, 3, 8, 14, 15]
    const first = few.map((q) => ry(0.3 + q, q))
    const pairs = few.flatMap((a) => few.filter((b) => b > a).map((b) => phase(0.1 * (a + b) + 0.2, [a, b])))
    for (const phases of [pairs, pairs.filter(({ controls }) => controls.includes(14))]) {
      const gates = [...first, ...phases, ...phases.map((each) => ({ ...each, angle: 0.7 }))]
      expectAgreement(gates, qubits, engines)
    }
  })
})

test('Statevector.applyAll() returns the same amplitudes, bit by bit, with one thread and with two', () => {
  const gates = Array.from({ length: 6 }, () => spread(17)).flatMap((layer, depth) => [
    ...layer,
    ...Array.from({ length: 8 }, (_, q) => x((q + depth) % 17, q + 8)),
  ])
  const [one, two] = engines.map((engine) => evolve(gates, 17, engine).amplitudes.slice())
  expect(one?.every((part, index) => part === two?.[index])).toBe(true)
})

test('Statevector.applyAll() executes more calls than fit into its table', () => {
  const gates = Array.from({ length: 40 }, () => unitary(randomUnitary(6, rng.next), [0, 1, 2, 3, 4, 5]))
  const back = gates.toReversed().map((gate) => unitary(adjoint(gate.matrix, 64), [0, 1, 2, 3, 4, 5]))
  expect(evolve([...gates, ...back], 6).amplitudes[0]).toBeCloseTo(1, 10)
})

function adjoint(matrix: Float64Array, dimension: number): Float64Array {
  return matrix.map((_, index) => {
    const [row, column] = [Math.floor(index / 2 / dimension), Math.floor(index / 2) % dimension]
    const part = matrix[2 * (column * dimension + row) + (index % 2)] ?? 0
    return index % 2 === 0 ? part : -part
  })
}

test('Statevector.applyAll() keeps the norm at the largest qubit index', () => {
  const state = evolve([h(15), x(0, 15), ry(1, 7, 15), swap(3, 15), h(3)], 16)
  expect(state.weight(0, 0)).toBeCloseTo(1, 12)
})

test('Statevector: qubit 0 is the least significant bit of the index', () => {
  expect(evolve([x(0)], 2).amplitudes[2 * 0b01]).toBe(1)
  expect(evolve([x(1)], 2).amplitudes[2 * 0b10]).toBe(1)
})

test.each(['double', 'single'] as const)(
  'Statevector of %s precision is |0…0> at first, also in memory that contained another state',
  (precision) => {
    evolve(spread(16), 16)
    const { amplitudes } = new Statevector(engines[0] as Engine, 16, UNLIMITED, precision)
    expect(amplitudes.length).toBe(2 ** 17)
    expect(amplitudes[0]).toBe(1)
    expect(Math.max(...amplitudes.subarray(1))).toBe(0)
  },
)

test.each([
  ['double', 12],
  ['single', 6],
] as const)(
  'Statevector.project() in %s precision follows the measurement rule for several qubits at once',
  (precision, digits) => {
    const state = evolve([ry(0.8, 1), x(0, 1), h(2)], 3, engines[0], precision)
    const copy = state.copy()
    expect(state.weight(0b011, 0b011)).toBeCloseTo(Math.sin(0.4) ** 2, digits)
    state.project(0b011, 0b011)
    expect([0b011, 0b111].map((index) => state.amplitudes[2 * index])).toEqual([
      expect.closeTo(Math.SQRT1_2, digits),
      expect.closeTo(Math.SQRT1_2, digits),
    ])
    state.load(copy)
    state.project(0b100, 0b100)
    expect(state.amplitudes[2 * 0b100]).toBeCloseTo(Math.cos(0.4), digits)
    expect(state.amplitudes[2 * 0b111]).toBeCloseTo(Math.sin(0.4), digits)
    expect(state.amplitudes[2 * 0b000]).toBe(0)
  },
)

test('Statevector refuses more qubits than 32-bit addresses allow', () => {
  expect(() => new Statevector(engines[0] as Engine, 28)).toThrow(RangeError)
  expect(() => new Statevector(engines[0] as Engine, 29, UNLIMITED, 'single')).toThrow(RangeError)
})

describe('Statevector.sample()', () => {
  /** A state with the given probabilities. */
  function stateWith(probabilities: number[]): Statevector {
    const state = new Statevector(engines[0] as Engine, Math.log2(probabilities.length))
    const parts = probabilities.flatMap((p, i) => (i % 2 ? [0, Math.sqrt(p)] : [-Math.sqrt(p), 0]))
    state.load(Float64Array.from(parts))
    return state
  }

  test('returns the index whose range of the unit interval contains the draw', () => {
    const draws = Float64Array.of(0.9, 0, 0.24, 0.26, 0.74, 0.76)
    expect([...stateWith([0.25, 0, 0.5, 0.25]).sample(draws)]).toEqual([3, 0, 0, 2, 2, 3])
  })

  test('draw() uses for each shot its number of the random stream', () => {
    const state = evolve(spread(9), 9)
    const source = createRng(2 ** 40 + 12_345)
    const shots = Uint32Array.from({ length: 70_000 }, (_, shot) => 3 * shot)
    const draws = Float64Array.from(shots, (shot) => {
      source.seek(5, shot, PURPOSE.measurement, 2)
      return source.next()
    })
    expect(state.draw(shots, source, 5, 2)).toEqual(state.sample(draws))
  })

  test('never returns an outcome of probability zero', () => {
    const draws = Float64Array.of(0, 0.5, 1 - 2 ** -53)
    expect([...stateWith([0, 0.5, 0, 0.5, 0, 0, 0, 0]).sample(draws)]).toEqual([1, 3, 3])
  })

  test('finds outcomes in every group of a large state', () => {
    const size = 2 ** 15
    const hits = [0, 63, 64, 20_000, size - 1]
    const probabilities = new Array<number>(size).fill(0)
    for (const hit of hits) probabilities[hit] = 1 / hits.length
    const indices = stateWith(probabilities).sample(Float64Array.of(0.95, 0.1, 0.5, 0.3, 0.7, 1 - 2 ** -53))
    expect([...indices]).toEqual([size - 1, 0, 64, 63, 20_000, size - 1])
  })

  test('follows a chi-square distribution, over more shots than one call draws', () => {
    const probabilities = [0.4, 0.3, 0.2, 0.05, 0.03, 0.02, 0, 0]
    const shots = 150_000
    const indices = stateWith(probabilities).sample(Float64Array.from({ length: shots }, () => rng.next()))
    const counts = new Array<number>(8).fill(0)
    for (const index of indices) counts[index] = (counts[index] ?? 0) + 1
    expect(counts.slice(6)).toEqual([0, 0])
    const chiSquare = probabilities
      .slice(0, 6)
      .reduce((sum, p, i) => sum + ((counts[i] ?? 0) - p * shots) ** 2 / (p * shots), 0)
    // 5 degrees of freedom: 20.5 is exceeded once in a thousand.
    expect(chiSquare).toBeLessThan(20.5)
  })
})

test('compile() turns diagonal gates into phase terms, X into an exchange, swap into one', () => {
  expect(compile(z(3)).map(({ kind }) => kind)).toEqual(['scale'])
  expect(compile(x(3, 1)).map(({ kind }) => kind)).toEqual(['flip'])
  expect(compile(h(3)).map(({ kind }) => kind)).toEqual(['one'])
  expect(compile(swap(1, 2)).map(({ kind }) => kind)).toEqual(['swap'])
  const onZero = compile(unitary(Float64Array.of(0, 1, 0, 0, 0, 0, 1, 0), [0]))
  expect(onZero.map(({ controls, value }) => [controls, value])).toEqual([
    [0, 0],
    [1, 1],
  ])
})
