import type { MethodRun, Task } from '../../define-method.ts'
import { shotNumbers } from '../../numeric/shot-numbers.ts'
import type { Reduced } from '../../reduction/reduce-circuit.ts'
import type { Tally } from '../../tally/tally.ts'
import { runBranches, type Walker } from './branching/walker.ts'
import { type Plan, planCircuit } from './state/plan.ts'
import { Statevector } from './state/statevector.ts'
import { tallyIndices } from './tally-indices.ts'

/** Runs a circuit that no outcome steers. */
export async function runReduced(task: Task, reduced: Reduced, run: MethodRun): Promise<void> {
  const { timeBudget, phases, tally } = run
  const plan = planCircuit(reduced)
  const state = new Statevector(run.engine, plan.qubits)
  const bits = () => new Uint8Array(task.clbits)
  phases.end('plan')
  if (plan.collapses) {
    await runBranches({
      ...run,
      keptBytes: run.limits.keptBytes,
      state,
      shots: task.shots,
      walk: (walker) => walkPlan(plan, walker, bits()),
      leaf: (walker, read) => tallyLeaf(walker, read, plan, tally),
    })
    phases.end('evolve')
    return
  }
  for (const step of plan.steps) if (step.kind === 'gates') await state.evolve(step.calls, timeBudget)
  phases.end('evolve')
  const shots = shotNumbers(task.shots)
  tallyIndices(shots, state.draw(shots, run.rng, run.stream, 0), bits(), plan, tally)
  phases.end('sample')
}

/** Runs a program that outcomes steer. */
export async function runWithFeedback(task: Task, run: MethodRun): Promise<void> {
  await runBranches({
    ...run,
    keptBytes: run.limits.keptBytes,
    state: new Statevector(run.engine, task.qubits),
    shots: task.shots,
    noise: task.noise,
    walk: task.walk,
    leaf: (walker, bits) => run.tally.add(bits, walker.shots),
  })
  run.phases.end('evolve')
}

async function walkPlan(plan: Plan, walker: Walker, bits: Uint8Array): Promise<Uint8Array> {
  for (const step of plan.steps) await walker.step(step, bits)
  await walker.arrive()
  return bits
}

function tallyLeaf(walker: Walker, bits: Uint8Array, plan: Plan, tally: Tally): void {
  if (plan.terminal.length === 0) tally.add(bits, walker.shots)
  else tallyIndices(walker.shots, walker.indices(), bits, plan, tally)
}
