import {
  defineMethod,
  type MethodRun,
  type Refusal,
  type ResourceLimits,
  type Workload,
} from '../../define-method.ts'
import type { KernelCall } from '../../kernel/kernel-call.ts'
import { bitCount } from '../../numeric/bits.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { shotNumbers } from '../../numeric/shot-numbers.ts'
import { refuseSize } from '../statevector/index.ts'
import { Statevector } from '../statevector/state/statevector.ts'
import { tallyIndices } from '../statevector/tally-indices.ts'
import { computeOnDensity } from './exact.ts'
import { type DensityPlan, planDensity } from './plan.ts'

/** Elements of ρ updated per second; an update multiplies with a row of the matrix of a gate. */
const UPDATES_PER_SECOND = 1e9

/**
 * Exact simulation of noise: the density matrix, stored as a state of twice the qubits. The time of the
 * evolution does not depend on the number of shots.
 */
export const densityMatrix = defineMethod({
  name: 'density_matrix',
  hasSinglePrecision: true,
  // As in Aer: from this number of shots on, one state per shot takes longer (aer_controller.hpp).
  prefers: (workload) =>
    workload.noise?.channelsAfter !== undefined &&
    workload.shots > 2 ** (workload.reduced?.qubits.length ?? 0),
  refuse,
  exact: {
    refuse(workload, limits) {
      // Means do not depend on outcomes, which only dephase.
      const isRead = workload.exact?.observables.length === 0
      return isRead ? refuse(workload, limits) : refuseQubitsOf(workload, limits)
    },
    async run(workload, run) {
      const values = await computeOnDensity(workload, run)
      return { values, isExact: true, metadata: { threads: run.engine.threadsUsed } }
    },
  },
  stateQubits: (workload) => 2 * (workload.reduced?.qubits.length ?? 0),
  estimateSeconds(workload, limits) {
    if (!workload.reduced) return 0
    const { qubits, calls } = planDensity(workload.reduced, limits.work)
    return calls.reduce((sum, call) => sum + workOf(call, 4 ** qubits), 0) / UPDATES_PER_SECOND
  },
  async run(workload, run) {
    if (!workload.reduced) return {}
    const plan = planDensity(workload.reduced, run.timeBudget)
    const rho = new Statevector(run.engine, 2 * plan.qubits, run.timeBudget, workload.precision)
    run.timeBudget.enter('evolve')
    await rho.evolve(plan.calls, run.timeBudget)
    run.timeBudget.enter('sample')
    sample(diagonalOf(rho, plan.qubits), plan, workload, run)
    const threads = run.engine.threadsUsed
    run.engine.release()
    return { threads }
  },
})

function refuse(workload: Workload, limits: ResourceLimits): Refusal | undefined {
  if (workload.reduced?.ops.some((op) => op.kind === 'measure' && op.clbit >= 0)) {
    return { code: 'unsupported', reason: 'the circuit has mid-circuit measurements' }
  }
  return refuseQubitsOf(workload, limits)
}

function refuseQubitsOf(workload: Workload, limits: ResourceLimits): Refusal | undefined {
  if (!workload.reduced) return { code: 'unsupported', reason: 'the program has feedback' }
  return refuseSize(workload.reduced.qubits.length, limits, workload, 2)
}

function workOf(call: KernelCall, elements: number): number {
  if (call.kind !== 'many') return elements / 2 ** bitCount(call.controls)
  const entries = call.matrix.filter((part) => part !== 0).length
  return (elements * entries) / 2 ** call.targets.length
}

/** Cumulative probabilities of the basis states. */
function diagonalOf(rho: Statevector, qubits: number): Float64Array {
  const elements = rho.amplitudes
  const size = 2 ** qubits
  const sums = new Float64Array(size)
  let sum = 0
  for (let index = 0; index < size; index++) {
    sum += Math.max(0, elements[2 * index * (size + 1)] as number)
    sums[index] = sum
  }
  return sums
}

/** Draws a basis state for each shot. */
function sample(
  sums: Float64Array,
  plan: DensityPlan,
  workload: Workload,
  { rng, stream, tally }: MethodRun,
): void {
  const shots = shotNumbers(workload.shots)
  const total = sums.at(-1) ?? 1
  const indices = shots.map((shot) => {
    rng.seek(stream, shot, PURPOSE.measurement)
    return firstAbove(sums, rng.next() * total)
  })
  tallyIndices(shots, indices, new Uint8Array(workload.clbits), plan, tally)
}

/** The first index whose cumulative probability is above `draw`. */
function firstAbove(sums: Float64Array, draw: number): number {
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] as number) > draw) high = middle
    else low = middle + 1
  }
  return low
}
