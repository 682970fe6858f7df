import type { MethodRun, Workload } from '../../define-method.ts'
import { shotNumbers } from '../../numeric/shot-numbers.ts'
import type { ReducedCircuit } from '../../reduction/reduce-circuit.ts'
import type { Tally } from '../../tally/tally.ts'
import type { WorkCounter } from '../../timing/time-budget.ts'
import { type BranchWalker, runBranches } from './branching/branch-walker.ts'
import { type Plan, planCircuit } from './state/plan.ts'
import { Statevector } from './state/statevector.ts'
import { tallyIndices } from './tally-indices.ts'

/** Runs a circuit without feedback. */
export async function runReduced(workload: Workload, reduced: ReducedCircuit, run: MethodRun): Promise<void> {
  const { timeBudget, tally } = run
  const plan = planOf(reduced, timeBudget)
  const state = new Statevector(run.engine, plan.qubits, timeBudget, workload.precision)
  const bits = () => new Uint8Array(workload.clbits)
  timeBudget.enter('evolve')
  if (plan.canBranch) {
    await runBranches({
      ...run,
      stateCopyBytes: run.limits.stateCopyBytes,
      state,
      shots: workload.shots,
      walk: (walker) => walkPlan(plan, walker, bits()),
      onLeaf: (walker, read) => tallyLeaf(walker, read, plan, tally),
    })
    return
  }
  for (const step of plan.steps) if (step.kind === 'gates') await state.evolve(step.calls, timeBudget)
  timeBudget.enter('sample')
  const shots = shotNumbers(workload.shots)
  tallyIndices(shots, state.draw(shots, run.rng, run.stream, 0), bits(), plan, tally)
}

/** Plans of circuits that are run again. */
const plans = new WeakMap<ReducedCircuit, Plan>()

function planOf(reduced: ReducedCircuit, work: WorkCounter): Plan {
  const plan = plans.get(reduced) ?? planCircuit(reduced, work)
  plans.set(reduced, plan)
  return plan
}

/** Runs a program with feedback. `assertFits` throws for a state of too many qubits. */
export async function runWithFeedback(
  workload: Workload,
  run: MethodRun,
  assertFits: (qubits: number) => void,
): Promise<void> {
  const places = workload.createPlaces()
  await runBranches({
    ...run,
    stateCopyBytes: run.limits.stateCopyBytes,
    state: new Statevector(run.engine, places.size, run.timeBudget, workload.precision),
    feedback: { noise: workload.noise, places, assertFits },
    shots: workload.shots,
    walk: workload.walk,
    onLeaf: (walker, bits) => run.tally.add(bits, walker.shots),
  })
}

async function walkPlan(plan: Plan, walker: BranchWalker, bits: Uint8Array): Promise<Uint8Array> {
  for (const step of plan.steps) await walker.step(step, bits)
  await walker.flush()
  return bits
}

function tallyLeaf(walker: BranchWalker, bits: Uint8Array, plan: Plan, tally: Tally): void {
  if (plan.terminal.length === 0) tally.add(bits, walker.shots)
  else tallyIndices(walker.shots, walker.indices(), bits, plan, tally)
}
