import { defineMethod, type MethodRun, type Task } from '../../define-method.ts'
import type { Action, Reduced } from '../../reduce.ts'
import type { Tally } from '../../tally.ts'
import { runBranches, type Walker } from './branch.ts'
import { type Plan, planCircuit } from './plan.ts'
import { MAX_STATE_QUBITS, Statevector } from './statevector.ts'
import { tallyIndices } from './tally-indices.ts'

const BYTES_PER_AMPLITUDE = 16

/** Amplitude updates per second of a present-day processor: measured 1.0e9 for states within its cache, half outside. */
const UPDATES_PER_SECOND = 1e9

function stateQubits(task: Task): number {
  return task.reduced?.qubits.length ?? task.qubits
}

/**
 * Exact simulation of the state, amplitude by amplitude. The last measurements are sampled, all shots at once; earlier
 * ones split the shots into branches.
 */
export const statevector = defineMethod({
  name: 'statevector',
  refuse(task, room) {
    if (task.noise?.after) return { code: 'noise_not_supported', reason: 'a state knows no noise' }
    const fitting = Math.floor(Math.log2(room.bytes / BYTES_PER_AMPLITUDE))
    const most = Math.min(room.stateQubits, MAX_STATE_QUBITS, fitting)
    const needed = stateQubits(task)
    if (needed <= most) return undefined
    return { code: 'too_many_qubits', reason: `needs ${needed} qubits, at most ${most} fit` }
  },
  cost(task) {
    const qubits = stateQubits(task)
    const updates = task.reduced?.ops.reduce((sum, op) => sum + costOf(op, qubits), 0) ?? 0
    return updates / UPDATES_PER_SECOND
  },
  async run(task, run) {
    if (!task.reduced) await runWithFeedback(task, run)
    else await runReduced(task, task.reduced, run)
    const threads = run.engine.threadsUsed
    run.engine.release()
    return { threads }
  },
})

async function runReduced(task: Task, reduced: Reduced, run: MethodRun): Promise<void> {
  const { pacer, phases, tally } = run
  const plan = planCircuit(reduced)
  const state = new Statevector(run.engine, plan.qubits)
  const bits = () => new Uint8Array(task.clbits)
  phases.end('plan')
  if (plan.collapses) {
    await runBranches({
      ...run,
      state,
      shots: task.shots,
      walk: (walker) => walkPlan(plan, walker, bits()),
      leaf: (walker, read) => tallyLeaf(walker, read, plan, tally),
    })
    phases.end('evolve')
    return
  }
  for (const step of plan.steps) if (step.kind === 'gates') await state.evolve(step.calls, pacer)
  phases.end('evolve')
  const shots = Uint32Array.from({ length: task.shots }, (_, shot) => shot)
  tallyIndices(shots, state.draw(shots, run.rng, run.stream, 0), bits(), plan, tally)
  phases.end('sample')
}

async function runWithFeedback(task: Task, run: MethodRun): Promise<void> {
  await runBranches({
    ...run,
    state: new Statevector(run.engine, task.qubits),
    shots: task.shots,
    walk: task.walk,
    leaf: (walker, bits) => run.tally.add(bits, walker.shots),
  })
  run.phases.end('evolve')
}

async function walkPlan(plan: Plan, walker: Walker, bits: Uint8Array): Promise<Uint8Array> {
  for (const step of plan.steps) await walker.step(step, bits)
  return bits
}

function tallyLeaf(walker: Walker, bits: Uint8Array, plan: Plan, tally: Tally): void {
  if (plan.terminal.length === 0) tally.add(bits, walker.shots)
  else tallyIndices(walker.shots, walker.indices(), bits, plan, tally)
}

/** Work of a step in amplitude updates, a gate on one qubit without controls being one pass over the state. */
function costOf(op: Action, qubits: number): number {
  const size = 2 ** qubits
  if (op.kind === 'measure' || op.kind === 'reset' || op.kind === 'channel') return 2 * size
  const touched = size / 2 ** op.controls.length
  return op.kind === 'unitary' && op.targets.length > 1 ? touched * 2 ** op.targets.length : touched
}
