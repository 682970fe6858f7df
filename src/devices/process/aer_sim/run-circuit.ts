import type { Circuit, Op, Sink } from '../../../qasm/index.ts'
import type { Rng } from '../../numeric/random.ts'
import type { ResultBudget } from '../../results.ts'
import { runBranches, type Walker } from './branch.ts'
import type { Pacer } from './pacer.ts'
import { costOf, type Plan, planCircuit } from './plan.ts'
import { drawIndices } from './sampler.ts'
import { Statevector } from './statevector.ts'
import { type Readout, Tally } from './tally.ts'

interface CircuitRun {
  shots: number
  readout: Readout
  rng: Rng
  /** Number of this execution in its job: the sub-stream of its random numbers. */
  stream: number
  pacer: Pacer
  budget: ResultBudget
  /** Refuses a state that is too large, before memory is taken. */
  admit(qubits: number): void
}

/** What came out of one circuit. */
export interface CircuitOutcome {
  /** Absent when signals were asked for instead of bits. */
  counts?: Record<string, number>
  memory?: unknown
  /** Classical bits no measurement writes; empty when a program with feedback decides that as it runs. */
  unmeasured: number[]
}

type Registers = Pick<Circuit, 'qubits' | 'clbits'>

/** Runs a flat circuit. Its last measurements are sampled, all shots at once. */
export async function runStatic(
  circuit: Registers,
  ops: readonly Op[],
  run: CircuitRun,
): Promise<CircuitOutcome> {
  const plan = planCircuit(ops, circuit.qubits, circuit.clbits)
  run.admit(plan.qubits)
  run.pacer.demand(plan.steps.reduce((sum, step) => sum + costOf(step, plan.qubits), 0))
  const written = new Set(ops.map((op) => (op.kind === 'measure' ? op.clbit : -1)))
  const all = Array.from({ length: circuit.clbits }, (_, clbit) => clbit)
  const measured = all.filter((clbit) => written.has(clbit))
  const unmeasured = all.filter((clbit) => !written.has(clbit))
  const unread = plan.terminal.map(({ clbit }) => clbit)
  const tally = new Tally({ ...run, clbits: circuit.clbits, measured, unread })
  if (measured.length === 0) return { counts: {}, unmeasured }
  if (plan.collapses) {
    await runBranches({
      ...run,
      qubits: plan.qubits,
      readoutError: run.readout.error,
      walk: (walker) => walkPlan(plan, walker, run.pacer, new Uint8Array(circuit.clbits)),
      leaf: (walker, bits) => tallyLeaf(walker, bits, plan, tally),
    })
  } else {
    const state = await evolve(plan, run.pacer)
    const shots = Uint32Array.from({ length: run.shots }, (_, shot) => shot)
    const indices = drawIndices(state.amplitudes, shots, run.rng, run.stream, 0)
    tallyIndices(shots, indices, new Uint8Array(circuit.clbits), plan, tally)
  }
  return { ...outcomeOf(tally, run), unmeasured }
}

/** Runs a program whose steps depend on its outcomes. `walk` carries it out once and returns its classical bits. */
export async function runWithFeedback(
  circuit: Registers,
  walk: (sink: Sink) => Uint8Array,
  run: CircuitRun,
): Promise<CircuitOutcome> {
  run.admit(circuit.qubits)
  if (circuit.clbits === 0) return { counts: {}, unmeasured: [] }
  const measured = Array.from({ length: circuit.clbits }, (_, clbit) => clbit)
  const tally = new Tally({ ...run, clbits: circuit.clbits, measured, unread: [] })
  await runBranches({
    ...run,
    qubits: circuit.qubits,
    readoutError: run.readout.error,
    walk,
    leaf: (walker, bits) => tally.add(bits, walker.shots),
  })
  return { ...outcomeOf(tally, run), unmeasured: [] }
}

function outcomeOf(tally: Tally, { readout }: CircuitRun): Omit<CircuitOutcome, 'unmeasured'> {
  const hasSignals = readout.memory === 'points' || readout.memory === 'mean_point'
  const memory = tally.memory()
  return { ...(!hasSignals && { counts: tally.counts() }), ...(memory !== undefined && { memory }) }
}

async function evolve(plan: Plan, pacer: Pacer): Promise<Statevector> {
  const state = new Statevector(plan.qubits)
  for (const step of plan.steps) {
    if (step.kind === 'measure' || step.kind === 'reset') continue
    state.apply(step)
    pacer.spend(costOf(step, plan.qubits))
    if (pacer.isRestDue) await pacer.rest()
  }
  return state
}

async function walkPlan(plan: Plan, walker: Walker, pacer: Pacer, bits: Uint8Array): Promise<Uint8Array> {
  for (const step of plan.steps) {
    walker.step(step, bits)
    if (pacer.isRestDue) await pacer.rest()
  }
  return bits
}

function tallyLeaf(walker: Walker, bits: Uint8Array, plan: Plan, tally: Tally): void {
  if (plan.terminal.length === 0) tally.add(bits, walker.shots)
  else tallyIndices(walker.shots, walker.indices(), bits, plan, tally)
}

/** Adds shots that end in the given basis states, and whose earlier outcomes are in `bits`. */
function tallyIndices(
  shots: Uint32Array,
  indices: Uint32Array,
  bits: Uint8Array,
  { terminal }: Plan,
  tally: Tally,
): void {
  const mask = terminal.reduce((all, { bit }) => all | bit, 0)
  const write = (outcome: number) => {
    for (const { bit, clbit } of terminal) bits[clbit] = (outcome & bit) === 0 ? 0 : 1
    return bits
  }
  if (tally.isPerShot) {
    indices.forEach((index, place) => {
      tally.add(write(index), shots.subarray(place, place + 1))
    })
    return
  }
  const counts = new Map<number, number>()
  for (const index of indices) counts.set(index & mask, (counts.get(index & mask) ?? 0) + 1)
  for (const [outcome, count] of counts) tally.addMany(write(outcome), count)
}
