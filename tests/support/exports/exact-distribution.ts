import { type Op, type Program, runDynamic, type Sink, type UnitaryOp } from '../../../src/qasm/index.ts'
import { compile } from '../../../src/simulator/methods/statevector/gates/compile.ts'
import { Statevector } from '../../../src/simulator/methods/statevector/state/statevector.ts'
import { engine } from '../../simulator/support/run.ts'

/** Branches of less probability are left out: rounding errors, and the ends of loops. */
const LEAST_WEIGHT = 1e-13

/**
 * The probability of each bit string of a program, the first declared register rightmost, computed with the
 * state vector of the simulator. The program runs once for each sequence of outcomes that can occur.
 */
export function exactDistribution(program: Program, values: readonly number[]): Record<string, number> {
  const { layout } = program
  const state = new Statevector(engine, layout.qubits + layout.hardware)
  const found: Record<string, number> = {}
  const pending: (0 | 1)[][] = [[]]
  for (let history = pending.pop(); history !== undefined; history = pending.pop()) {
    const run = new BranchRun(state, history, pending)
    const bits = runDynamic(program, values, run)
    const key = [...bits].toReversed().join('')
    found[key] = (found[key] ?? 0) + run.weight
  }
  return found
}

/** One run whose outcomes begin with `history`; where others are possible, they become pending. */
class BranchRun implements Sink {
  weight = 1
  readonly #state: Statevector
  readonly #history: readonly (0 | 1)[]
  readonly #pending: (0 | 1)[][]
  readonly #outcomes: (0 | 1)[] = []

  constructor(state: Statevector, history: readonly (0 | 1)[], pending: (0 | 1)[][]) {
    this.#state = state
    this.#history = history
    this.#pending = pending
    state.reset()
  }

  apply(op: Op): void {
    if (op.kind === 'unitary' || op.kind === 'phase') this.#state.applyAll(compile(op))
    // A reset is a measurement whose outcome is discarded.
    if (op.kind === 'reset' && this.measure(op.qubit) === 1) this.#state.applyAll(compile(flip(op.qubit)))
  }

  measure(qubit: number): 0 | 1 {
    const mask = 1 << qubit
    const one = this.#state.weight(mask, mask)
    const outcome = this.#history[this.#outcomes.length] ?? this.#choose(one)
    this.#outcomes.push(outcome)
    this.#state.project(mask, outcome * mask)
    this.weight *= outcome === 1 ? one : 1 - one
    return outcome
  }

  #choose(one: number): 0 | 1 {
    if (one * this.weight <= LEAST_WEIGHT) return 0
    if ((1 - one) * this.weight <= LEAST_WEIGHT) return 1
    this.#pending.push([...this.#outcomes, 1])
    return 0
  }
}

function flip(qubit: number): UnitaryOp {
  const matrix = new Float64Array([0, 0, 1, 0, 1, 0, 0, 0])
  return { kind: 'unitary', targets: [qubit], controls: [], controlValues: 0, matrix, name: 'x' }
}
