import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { chooseMethod } from '../../../src/simulator/circuits/choose-method.ts'
import { METHODS } from '../../../src/simulator/methods/index.ts'
import { depolarizing } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../src/simulator/noise/noise-model.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { createSimulator } from '../../../src/simulator/simulator.ts'
import { UNLIMITED } from '../../../src/simulator/timing/time-budget.ts'
import { h, measure, measureAll, randomUnitary, reset, ry, unitary, x } from '../support/ops.ts'
import { distributionOf } from '../support/reference.ts'
import { chiSquare, chiSquareLimit, countsOfProgram, runOps } from '../support/run.ts'

const rng = createRng(39)
const QUBITS = 5
const pick = () => Math.floor(rng.next() * QUBITS)

/** Random gates, dense ones on two qubits among them, with measurements and resets if asked for. */
function randomOps(length: number, hasOutcomes: boolean) {
  return Array.from({ length }, () => {
    const a = pick()
    const b = (a + 1 + Math.floor(rng.next() * (QUBITS - 1))) % QUBITS
    const choices = [
      () => ry(3 * rng.next(), a),
      () => unitary(randomUnitary(1, rng.next), [a]),
      () => unitary(randomUnitary(2, rng.next), [a, b]),
      () => x(a, b),
      ...(hasOutcomes ? [() => measure(a, b), () => reset(a)] : []),
    ]
    return (choices[Math.floor(rng.next() * choices.length)] ?? (() => h(a)))()
  })
}

test.each([false, true])(
  'single precision samples random circuits, with outcomes in between: %p, with the right distribution',
  async (hasOutcomes) => {
    for (let round = 0; round < 10; round++) {
      const ops = [...randomOps(20, hasOutcomes), ...measureAll(QUBITS)]
      const { counts = {}, provenance } = await runOps(ops, QUBITS, {
        shots: 4_000,
        seed: round,
        precision: 'single',
      })
      expect(provenance).toMatchObject({ method: 'statevector', precision: 'single' })
      const { value, freedom } = chiSquare(counts, distributionOf(ops, QUBITS, QUBITS))
      expect(value).toBeLessThan(chiSquareLimit(freedom))
    }
  },
)

const noise = defineNoiseModel({
  source: 'test',
  readoutErrorOf: () => [0.02, 0.05],
  gateNoiseOf: (_, qubits) => qubits.flatMap((q) => onQubit(q, [depolarizing(0.1, 1)])),
})

test.each(['trajectories', 'density_matrix'])(
  '%s returns the counts of double precision in single precision',
  async (method) => {
    const ops = [...randomOps(15, false), ...measureAll(QUBITS)]
    const run = (precision: 'double' | 'single') =>
      runOps(ops, QUBITS, { shots: 2_000, seed: 3, noise, method, precision })
    const [double, single] = [await run('double'), await run('single')]
    expect(single.provenance).toMatchObject({ method, precision: 'single' })
    expect(double.provenance).not.toHaveProperty('precision')
    // A draw between the rounded sums of two outcomes is a matter of chance, but rare.
    const all = new Set([...Object.keys(double.counts ?? {}), ...Object.keys(single.counts ?? {})])
    const apart = [...all].reduce(
      (sum, key) => sum + Math.abs((double.counts?.[key] ?? 0) - (single.counts?.[key] ?? 0)),
      0,
    )
    expect(apart).toBeLessThanOrEqual(4)
  },
)

test('a program with feedback runs in single precision', async () => {
  const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c;
ry(1.1) q[0]; c[0] = measure q[0]; if (c[0]) { h q[1]; cx q[1], q[2]; } c[1] = measure q[1]; c[2] = measure q[2];`
  const run = (precision: 'double' | 'single') =>
    countsOfProgram(text, { shots: 3_000, seed: 8, method: 'statevector', precision })
  expect(await run('single')).toEqual(await run('double'))
})

const workload = {
  ...{ clbits: 1, shots: 1, noise: undefined, usedQubits: [0], precision: 'single' as const },
  reduced: { qubits: [0], ops: [h(0)], terminal: [], canBranch: false },
  createPlaces: () => expect.unreachable(),
  walk: () => expect.unreachable(),
  walkOpen: () => expect.unreachable(),
}
const limits = {
  stateQubits: 28,
  bytes: 2 ** 32,
  stateCopyBytes: 0,
  threads: 1,
  maxBondDimension: 64,
  work: UNLIMITED,
}

test('single precision is refused by methods without amplitudes, and for exact values', () => {
  const choose = (method: string, more = {}) =>
    chooseMethod(METHODS, method, { ...workload, ...more }, limits)
  for (const method of ['stabilizer', 'matrix_product_state']) {
    const reason = `${method}: computes in double precision only`
    expect(choose(method)).toEqual({ refusal: { code: 'unsupported', reason } })
  }
  expect(choose('statevector', { exact: { observables: [] } })).toEqual({
    refusal: { code: 'unsupported', reason: 'statevector: computes exact values in double precision only' },
  })
  const usedQubits = Array.from({ length: 28 }, (_, qubit) => qubit)
  expect(choose('automatic', { usedQubits })).toMatchObject({ method: { name: 'statevector' } })
})

test('a state that only fits in single precision is refused in double with that remedy, by each method', () => {
  const refusalOf = (method: string, qubits: number, more: object = {}, stateQubits = 28) => {
    const usedQubits = Array.from({ length: qubits }, (_, qubit) => qubit)
    const reduced = { ...workload.reduced, qubits: usedQubits }
    const asked = { ...workload, precision: 'double' as const, usedQubits, reduced, ...more }
    const choice = chooseMethod(METHODS, method, asked, { ...limits, stateQubits })
    return 'refusal' in choice ? choice.refusal : choice.method.name
  }
  const refusal = (reason: string) => ({ code: 'too_many_qubits', reason })
  expect(refusalOf('statevector', 27)).toBe('statevector')
  expect(refusalOf('density_matrix', 13)).toBe('density_matrix')
  const remedied = refusal('statevector: needs 28 qubits, at most 27 fit (28 with precision: single)')
  expect(refusalOf('statevector', 28)).toEqual(remedied)
  expect(refusalOf('trajectories', 28, { noise })).toEqual({
    ...remedied,
    reason: remedied.reason.replace('statevector', 'trajectories'),
  })
  expect(refusalOf('density_matrix', 14)).toEqual(
    refusal('density_matrix: needs 14 qubits, at most 13 fit (14 with precision: single)'),
  )
  // Without the remedy where it is none: too large for single too, by the option, and for exact values.
  const plain = (qubits: number, most: number) =>
    refusal(`statevector: needs ${qubits} qubits, at most ${most} fit`)
  expect(refusalOf('statevector', 29)).toEqual(plain(29, 27))
  expect(refusalOf('statevector', 28, {}, 27)).toEqual(plain(28, 27))
  expect(refusalOf('statevector', 28, { exact: { observables: [] } })).toEqual(plain(28, 27))
  expect(refusalOf('statevector', 29, { precision: 'single' })).toEqual(plain(29, 28))
})

test('a circuit that is too large ends a job before smaller ones run', async () => {
  const simulator = await createSimulator({ clock: systemClock, threads: 1 })
  const program = (qubits: number) =>
    `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; h q; cx q[0], q[1]; c = measure q;`
  const started: string[] = []
  const run = simulator.run(
    {
      ...{ backend: 'aer_sim', method: 'statevector', seed: 1, memory: 'none' },
      circuits: [2, 3, 28].map((qubits) => ({ program: program(qubits), parameterSets: [], shots: 1 })),
      limits: {
        ...{ executions: 9, declaredQubits: 99, stateQubits: 28, shots: 1 },
        resultLength: 2 ** 20,
      },
    },
    {
      signal: new AbortController().signal,
      deadline: Number.POSITIVE_INFINITY,
      phase: (name) => started.push(name),
    },
  )
  await expect(run).rejects.toMatchObject({
    ...{ code: 'too_many_qubits', circuitIndex: 2, executed: false },
    message:
      'circuit 2 cannot be simulated; statevector: needs 28 qubits, at most 27 fit (28 with precision: single)',
  })
  expect(started).toEqual([])
})
