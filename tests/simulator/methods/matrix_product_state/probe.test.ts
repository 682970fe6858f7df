import { expect, test } from 'bun:test'
import type { Op } from '../../../../src/qasm/index.ts'
import { Algebra } from '../../../../src/simulator/methods/matrix_product_state/algebra.ts'
import {
  assertKeepable,
  mayBeLost,
} from '../../../../src/simulator/methods/matrix_product_state/outlook/probe.ts'
import { planChain } from '../../../../src/simulator/methods/matrix_product_state/plan-chain.ts'
import { TensorChain } from '../../../../src/simulator/methods/matrix_product_state/tensor-chain.ts'
import { createRng } from '../../../../src/simulator/numeric/random.ts'
import { operatorOf } from '../../../../src/simulator/reduction/operator.ts'
import type { StateOp } from '../../../../src/simulator/reduction/reduce-circuit.ts'
import { TimeBudget } from '../../../../src/simulator/timing/time-budget.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { part } from '../../../support/whole.ts'
import { measureAll, randomUnitary, unitary, z } from '../../support/ops.ts'
import { engine, runOps } from '../../support/run.ts'

type Layer = (qubits: number, layer: number, random: () => number) => Op[]

const range = (length: number) => Array.from({ length }, (_, at) => at)
const rotations = (qubits: number, random: () => number) =>
  range(qubits).map((qubit) => unitary(randomUnitary(1, random), [qubit]))

/** Random gates on neighbors and on pairs; random rotations with controlled Z in a ring and a grid. */
const LAYERS = {
  neighbors: (qubits, layer, random) =>
    range((qubits - (layer % 2)) >> 1)
      .map((pair) => 2 * pair + (layer % 2))
      .map((first) => unitary(randomUnitary(2, random), [first, first + 1])),
  pairs(qubits, _, random) {
    const places = range(qubits).map(() => random())
    const order = range(qubits).sort((one, other) => (places[one] ?? 0) - (places[other] ?? 0))
    return range(qubits >> 1).map((pair) =>
      unitary(randomUnitary(2, random), order.slice(2 * pair, 2 * pair + 2)),
    )
  },
  ring: (qubits, _, random) => [
    ...rotations(qubits, random),
    ...range(qubits).map((qubit) => z(qubit, (qubit + 1) % qubits)),
  ],
  grid: (qubits, layer, random) => [
    ...rotations(qubits, random),
    ...range(qubits)
      .filter((qubit) => layer % 4 < 2 === (qubit % 2 === 0))
      .map((qubit) => [qubit, layer % 2 === 0 ? qubit + 1 : qubit + 5] as const)
      .filter(([, other]) => other < qubits && (layer % 2 === 1 || other % 5 > 0))
      .map(([one, other]) => z(one, other)),
  ],
} as const satisfies Record<string, Layer>

/** Least depth, and how many more: bonds of 32 to 64 keep the state at first, and lose it then. */
const DEPTHS = { neighbors: [6, 22], pairs: [2, 4], ring: [4, 8], grid: [5, 9] } as const

function programOf(name: keyof typeof LAYERS, seed: number) {
  const { next } = createRng(seed)
  const qubits = 28 + Math.floor(next() * 17)
  const [least, more] = DEPTHS[name]
  const depth = least + Math.floor(next() * more)
  const ops = range(depth).flatMap((layer) => LAYERS[name](qubits, layer, next)) as StateOp[]
  return { qubits: range(qubits), ops }
}

/** Whether a chain keeps half of its state, and whether it would be refused before. */
async function outcomeOf({ qubits, ops }: ReturnType<typeof programOf>, maxBondDimension: number) {
  const clock = new FakeClock()
  const limit = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY }
  const timeBudget = new TimeBudget(clock, limit)
  const plan = planChain(ops, qubits, timeBudget)
  const truncation = { maxBondDimension, threshold: 1e-16 }
  const settings = { truncation, algebra: new Algebra(engine), meeting: plan.meeting }
  const chain = new TensorChain(qubits, settings)
  let isRefused: boolean | undefined
  for (const [step, op] of plan.ops.entries()) {
    const operator = operatorOf(op as Parameters<typeof operatorOf>[0])
    if (operator) chain.apply(operator)
    if (chain.discarded > 0.5) break
    const run = { plan, settings, timeBudget }
    if (isRefused !== undefined || !mayBeLost(chain, run)) continue
    isRefused = await assertKeepable(chain, step + 1, run).then(
      () => false,
      () => true,
    )
  }
  return { isKept: chain.discarded <= 0.5, isRefused: isRefused ?? false }
}

const [PROGRAMS, BOND] = [part(200, 8), part(64, 32)]

test(`of ${PROGRAMS} programs near the border, none that keeps half of its state is refused`, async () => {
  const names = Object.keys(LAYERS) as (keyof typeof LAYERS)[]
  let [kept, refused] = [0, 0]
  for (const seed of range(PROGRAMS)) {
    const name = names[seed % names.length] ?? 'pairs'
    const { isKept, isRefused } = await outcomeOf(programOf(name, seed), BOND)
    expect([name, seed, isKept && isRefused]).toEqual([name, seed, false])
    if (isKept) kept += 1
    if (isRefused) refused += 1
  }
  expect(kept).toBeGreaterThan(PROGRAMS / 10)
  expect(refused).toBeGreaterThan(PROGRAMS / 10)
}, 3_600_000)

test('a deep circuit is refused long before its bonds are full', async () => {
  const { next } = createRng(7)
  const ops = range(20).flatMap((layer) => LAYERS.pairs(28, layer, next))
  await expect(
    runOps([...ops, ...measureAll(28)], 28, { method: 'matrix_product_state', shots: 10, bond: 256 }),
  ).rejects.toMatchObject({
    code: 'too_many_qubits',
    message: expect.stringMatching(
      /after step \d+ of 280 bonds of 16 keep 0\.\d+ of its state, and bonds of 256/,
    ),
  })
})
