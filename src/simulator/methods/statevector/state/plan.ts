import type { KernelCall } from '../../../kernel/kernel-call.ts'
import type { ReducedCircuit, StateOp } from '../../../reduction/reduce-circuit.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../../../timing/time-budget.ts'
import { compile, isSwap } from '../gates/compile.ts'
import { cxToCz } from '../gates/cx-to-cz.ts'
import { fusePairs } from '../gates/fuse-pairs.ts'
import { mergeSingleQubitGates } from '../gates/merge-single-qubit-gates.ts'
import { splitRotation } from '../gates/split-rotation.ts'
import { type KrausOperator, KrausTable } from './kraus.ts'

/** Gates without a measurement or reset between them. */
interface GatesStep {
  kind: 'gates'
  calls: KernelCall[]
}

/** A mid-circuit measurement. `bit` is that of the qubit in the state; `clbit` may be -1. */
interface MeasureStep {
  kind: 'measure'
  bit: number
  /** Number of the qubit in the circuit. */
  qubit: number
  clbit: number
}

/** A reset of a qubit that an earlier step has touched. */
interface ResetStep {
  kind: 'reset'
  bit: number
}

/** Noise on qubits given as bits. */
interface ChannelStep {
  kind: 'channel'
  targets: number[]
  operators: readonly KrausOperator[]
}

export type Step = GatesStep | MeasureStep | ResetStep | ChannelStep

/**
 * A circuit as steps on a state of as many qubits as its outcomes depend on. The global phase is left out.
 */
export interface Plan {
  qubits: number
  steps: Step[]
  /** Measurements after the last step. `bit` is 0 for a qubit that stays |0>. */
  terminal: { bit: number; clbit: number }[]
  canBranch: boolean
}

/**
 * From this number of qubits on, fusing gates, splitting rotations and converting CX to CZ saves more time
 * than it takes.
 */
const MIN_SPLIT_QUBITS = 11

/** Merges gates and assigns each qubit a bit of the state; a swap of two qubits only exchanges their bits. */
export function planCircuit(
  { qubits, ops, terminal, canBranch }: ReducedCircuit,
  work: WorkCounter = UNLIMITED,
): Plan {
  const places: number[] = []
  for (const [place, qubit] of qubits.entries()) places[qubit] = place
  const bitOf = (qubit: number) => 1 << (places[qubit] ?? 0)
  const table = new KrausTable()
  const steps: Step[] = []
  const isWide = qubits.length >= MIN_SPLIT_QUBITS
  const merged = mergeSingleQubitGates(isWide ? cxToCz(ops, work) : ops, work)
  for (const op of isWide ? fusePairs(merged, work) : merged) {
    work.spend(OP_WORK)
    if (op.kind === 'measure') steps.push({ ...op, bit: bitOf(op.qubit) })
    else if (op.kind === 'reset') steps.push({ kind: 'reset', bit: bitOf(op.qubit) })
    else if (op.kind === 'channel') {
      steps.push({ kind: 'channel', targets: op.qubits.map(bitOf), operators: table.operatorsOf(op.channel) })
    } else if (!exchangePlaces(op, places)) {
      addCalls(compile(op, bitOf), gatesAtEnd(steps), isWide)
    }
  }
  return {
    qubits: qubits.length,
    steps,
    terminal: terminal.map(({ qubit, clbit }) => {
      const bit = places[qubit] === undefined ? 0 : bitOf(qubit)
      return { bit, clbit }
    }),
    canBranch,
  }
}

/** Adds calls to `gates`, splitting rotations if `isSplit`; skips global phases, which affect no outcome. */
function addCalls(calls: readonly KernelCall[], gates: KernelCall[], isSplit: boolean): void {
  for (const call of calls) {
    if (call.kind === 'scale' && call.controls === 0) continue
    if (isSplit) for (const part of splitRotation(call)) gates.push(part)
    else gates.push(call)
  }
}

function exchangePlaces(op: StateOp, places: number[]): boolean {
  if (op.kind !== 'unitary' || op.controls.length > 0 || !isSwap(op.matrix)) return false
  const [a = 0, b = 0] = op.targets
  const [placeA = 0, placeB = 0] = [places[a], places[b]]
  places[a] = placeB
  places[b] = placeA
  return true
}

function gatesAtEnd(steps: Step[]): KernelCall[] {
  const last = steps.at(-1)
  if (last?.kind === 'gates') return last.calls
  const calls: KernelCall[] = []
  steps.push({ kind: 'gates', calls })
  return calls
}
