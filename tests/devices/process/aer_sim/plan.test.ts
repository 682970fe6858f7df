import { expect, test } from 'bun:test'
import { createRng } from '../../../../src/devices/numeric/random.ts'
import { type Plan, planCircuit, type Step } from '../../../../src/devices/process/aer_sim/plan.ts'
import { Statevector } from '../../../../src/devices/process/aer_sim/statevector.ts'
import type { Op } from '../../../../src/qasm/index.ts'
import { h, measure, phase, reset, ry, swap, x, z } from '../../support/ops.ts'
import { probabilitiesOf } from '../../support/programs.ts'
import { distributionOf } from '../../support/reference.ts'

interface Branch {
  state: Statevector
  bits: number[]
  probability: number
}

function next({ state, bits, probability }: Branch, step: Step): Branch[] {
  if (step.kind !== 'measure' && step.kind !== 'reset') {
    state.apply(step)
    return [{ state, bits, probability }]
  }
  const probabilities = probabilitiesOf(state)
  return [0, 1].flatMap((outcome) => {
    const value = outcome * step.bit
    const share = probabilities.reduce((sum, p, index) => ((index & step.bit) === value ? sum + p : sum), 0)
    if (share < 1e-12) return []
    const copy = state.clone()
    copy.project(step.bit, value)
    const back = { kind: 'flip', target: step.bit, controls: 0, value: 0 } as const
    if (step.kind === 'reset' && outcome === 1) copy.apply(back)
    const isWritten = step.kind === 'measure' && step.clbit >= 0
    return [
      {
        state: copy,
        bits: isWritten ? bits.with(step.clbit, outcome) : bits,
        probability: probability * share,
      },
    ]
  })
}

/** Probability of every outcome of a plan, following every branch. */
function distributionOfPlan(plan: Plan, clbits: number): Map<string, number> {
  const start = {
    state: new Statevector(plan.qubits),
    bits: new Array<number>(clbits).fill(0),
    probability: 1,
  }
  let branches: Branch[] = [start]
  for (const step of plan.steps) branches = branches.flatMap((branch) => next(branch, step))
  const result = new Map<string, number>()
  for (const { state, bits, probability } of branches) {
    for (const [index, weight] of probabilitiesOf(state).entries()) {
      const read = plan.terminal.reduce((all, { bit, clbit }) => all.with(clbit, index & bit ? 1 : 0), bits)
      const key = read.toReversed().join('')
      result.set(key, (result.get(key) ?? 0) + probability * weight)
    }
  }
  return result
}

function expectSame(plan: Map<string, number>, reference: Map<string, number>): void {
  for (const key of new Set([...plan.keys(), ...reference.keys()])) {
    expect(Math.abs((plan.get(key) ?? 0) - (reference.get(key) ?? 0))).toBeLessThan(1e-10)
  }
}

function randomOp(qubits: number, clbits: number, random: () => number): Op {
  const a = Math.floor(random() * qubits)
  const b = (a + 1 + Math.floor(random() * (qubits - 1))) % qubits
  const clbit = Math.floor(random() * (clbits + 1)) - 1
  const choices: (() => Op)[] = [
    () => h(a),
    () => ry(3 * random(), a),
    () => x(a, b),
    () => z(a, b),
    () => phase(2 * random(), [a, b]),
    () => swap(a, b),
    () => measure(a, clbit),
    () => measure(a, clbit),
    () => reset(a),
  ]
  return choices[Math.floor(random() * choices.length)]?.() ?? h(a)
}

test('planCircuit() keeps the outcome distribution of random circuits with measurements and resets anywhere', () => {
  const rng = createRng(5)
  for (let round = 0; round < 150; round++) {
    const [qubits, clbits] = [2 + (round % 3), 3]
    const ops = Array.from({ length: 14 }, () => randomOp(qubits, clbits, rng.next))
    const plan = planCircuit(ops, qubits, clbits)
    expectSame(distributionOfPlan(plan, clbits), distributionOf(ops, qubits, clbits))
  }
})

test('planCircuit() moves a measurement past controls and phases to the end', () => {
  const plan = planCircuit([h(0), measure(0, 0), x(1, 0), z(0), measure(1, 1)], 2, 2)
  expect(plan.collapses).toBe(false)
  expect(plan.terminal.length).toBe(2)
  expect(plan.steps.length).toBe(2)
})

test('planCircuit() keeps a measurement before a gate that disturbs it', () => {
  expect(planCircuit([h(0), measure(0, 0), h(0), measure(0, 1)], 1, 2).collapses).toBe(true)
})

test('planCircuit() drops qubits on which no outcome depends', () => {
  const plan = planCircuit([h(5), h(90), x(6, 5), measure(5, 0), reset(5), h(7)], 100, 1)
  expect(plan.qubits).toBe(1)
  expect(plan.steps.length).toBe(1)
  expect(plan.terminal).toEqual([{ bit: 1, clbit: 0 }])
})

test('planCircuit() drops resets at the start', () => {
  const plan = planCircuit([reset(0), h(0), measure(0)], 1, 1)
  expect(plan.collapses).toBe(false)
})

test('planCircuit() reads an untouched qubit as 0', () => {
  expect(planCircuit([measure(3, 0)], 4, 1)).toEqual({
    qubits: 0,
    steps: [],
    terminal: [{ bit: 0, clbit: 0 }],
    collapses: false,
  })
})

test('planCircuit() merges runs of gates on one qubit, across gates on others', () => {
  const ops = [h(0), phase(0.3, [0]), h(1), h(0), ry(0.2, 1), x(0, 1), ry(0.4, 0), h(0), h(2), measure(0)]
  const plan = planCircuit(ops, 3, 1)
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['one', 'one', 'flip', 'one'])
  expectSame(distributionOfPlan(plan, 1), distributionOf(ops, 3, 1))
})

test('planCircuit() does not merge gates across a measurement', () => {
  const plan = planCircuit([h(0), measure(0, 0), h(0), measure(0, 1)], 1, 2)
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['one', 'measure', 'one'])
})
