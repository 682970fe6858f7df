import type { ExactOutcome, ExactRun, Refusal, Workload } from '../../define-method.ts'
import type { PauliTerm } from '../../exact/observables.ts'
import { Algebra } from './algebra.ts'
import { PlanWalk } from './outlook/walk-plan.ts'
import { planChain } from './plan-chain.ts'
import { TensorChain } from './tensor-chain.ts'

const LETTERS = {
  X: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
  Y: Float64Array.of(0, 0, 0, -1, 0, 1, 0, 0),
  Z: Float64Array.of(1, 0, 0, 0, 0, 0, -1, 0),
}

/**
 * Discarded weight w up to which values count as exact: it changes the mean of a Pauli operator by at most
 * 2 sqrt(w), here 2e-12.
 */
const MAX_EXACT_TRUNCATION = 1e-24

/** The reason why a chain has no exact values of a workload. */
export function refuseExact({ reduced, exact }: Workload): Refusal | undefined {
  if (exact?.observables.length === 0)
    return { code: 'unsupported', reason: 'has no probabilities of all outcomes' }
  if (!reduced) return { code: 'unsupported', reason: 'the program has feedback' }
  if (!reduced.canBranch) return undefined
  return { code: 'unsupported', reason: 'the circuit has mid-circuit measurements, resets or noise' }
}

/** The expectation values of the observables of a workload, with the weight that was discarded. */
export async function computeOnChain(
  { reduced, exact }: Workload,
  { engine, timeBudget }: ExactRun,
  truncation: { maxBondDimension: number; threshold: number },
): Promise<ExactOutcome> {
  const { ops = [], qubits = [] } = reduced ?? {}
  const plan = planChain(ops, qubits, timeBudget)
  const settings = { truncation, algebra: new Algebra(engine, timeBudget), meeting: plan.meeting }
  const chain = new TensorChain(qubits, settings)
  timeBudget.enter('evolve')
  await new PlanWalk({ plan, settings, timeBudget }).run({ chain, step: 0 })
  timeBudget.enter('sample')
  const expectationValues: number[] = []
  for (const observable of exact?.observables ?? []) {
    let sum = 0
    for (const term of observable) {
      sum += term.coefficient * expectationOf(chain, term)
      timeBudget.spend(chain.work)
      await timeBudget.yieldIfDue()
    }
    expectationValues.push(sum)
  }
  const metadata = { bond: chain.largestBondDimension, truncation: chain.discarded }
  return { values: { expectationValues }, isExact: chain.discarded <= MAX_EXACT_TRUNCATION, metadata }
}

/** The mean of a product of Pauli operators without its coefficient. */
function expectationOf(chain: TensorChain, { letters }: PauliTerm): number {
  // A qubit without a site has stayed |0>.
  if (letters.some(({ qubit, letter }) => letter !== 'Z' && !chain.has(qubit))) return 0
  const own = letters.filter(({ qubit }) => chain.has(qubit))
  if (own.length === 0) return 1
  const sites = own.map(({ qubit }) => chain.siteOf(qubit))
  const [first, last] = [Math.min(...sites), Math.max(...sites)]
  chain.center(first)
  const changed = chain.clone()
  for (const { qubit, letter } of own) {
    changed.apply({ targets: [qubit], controls: [], controlValues: 0, matrix: LETTERS[letter] })
  }
  return chain.overlap(changed, first, last)
}
