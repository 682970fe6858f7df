import { expect, test } from 'bun:test'
import { createRng } from '../../../../../../src/devices/numeric/random.ts'
import {
  type Plan,
  planCircuit,
  type Step,
} from '../../../../../../src/devices/process/aer_sim/methods/statevector/plan.ts'
import { Statevector } from '../../../../../../src/devices/process/aer_sim/methods/statevector/statevector.ts'
import { reduceCircuit } from '../../../../../../src/devices/process/aer_sim/reduce.ts'
import type { Op } from '../../../../../../src/qasm/index.ts'
import { h, measure, phase, randomStep, ry, x } from '../../../../support/ops.ts'
import { probabilitiesOf } from '../../../../support/programs.ts'
import { distributionOf } from '../../../../support/reference.ts'

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

function planned(ops: readonly Op[], qubits: number, clbits: number): Plan {
  return planCircuit(reduceCircuit(ops, qubits, clbits))
}

function expectSame(plan: Map<string, number>, reference: Map<string, number>): void {
  for (const key of new Set([...plan.keys(), ...reference.keys()])) {
    expect(Math.abs((plan.get(key) ?? 0) - (reference.get(key) ?? 0))).toBeLessThan(1e-10)
  }
}

test('planCircuit() keeps the outcome distribution of random circuits with measurements and resets anywhere', () => {
  const rng = createRng(5)
  for (let round = 0; round < 150; round++) {
    const [qubits, clbits] = [2 + (round % 3), 3]
    const ops = Array.from({ length: 14 }, () => randomStep(qubits, clbits, rng.next))
    const plan = planned(ops, qubits, clbits)
    expectSame(distributionOfPlan(plan, clbits), distributionOf(ops, qubits, clbits))
  }
})

test('planCircuit() merges runs of gates on one qubit, across gates on others', () => {
  const ops = [h(0), phase(0.3, [0]), h(1), h(0), ry(0.2, 1), x(0, 1), ry(0.4, 0), h(0), h(2), measure(0)]
  const plan = planned(ops, 3, 1)
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['one', 'one', 'flip', 'one'])
  expectSame(distributionOfPlan(plan, 1), distributionOf(ops, 3, 1))
})

test('planCircuit() does not merge gates across a measurement', () => {
  const plan = planned([h(0), measure(0, 0), h(0), measure(0, 1)], 1, 2)
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['one', 'measure', 'one'])
})
