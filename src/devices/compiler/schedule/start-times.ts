import { type NativeOp, qubitsOf } from '../decompose/native.ts'

/**
 * Whether operations start as late as those after them allow, so that no qubit waits where nobody wrote a
 * wait, or as early as those before them allow.
 */
export type Scheduling = 'alap' | 'asap'

/** An operation and its duration, ns. */
export interface TimedOp {
  op: NativeOp
  ns: number
}

/** The latest start of each operation, ns, where all of them begin at 0 and end together. */
export function latestStarts(ops: readonly TimedOp[]): number[] {
  /** From the start of the next operation of each qubit to the end, ns. */
  const left = new Map<number, number>()
  let total = 0
  const fromEnd = ops.toReversed().map(({ op, ns }) => {
    const qubits = qubitsOf(op)
    const start = qubits.reduce((most, qubit) => Math.max(most, left.get(qubit) ?? 0), 0) + ns
    for (const qubit of qubits) left.set(qubit, start)
    total = Math.max(total, start)
    return start
  })
  return fromEnd.reverse().map((start) => total - start)
}

/**
 * The measurements of a circuit that can start together at its end: nothing follows on their qubit, and no
 * barrier that holds them where they are. Barriers with nothing behind them hold nothing.
 */
export function finalMeasurements(ops: readonly NativeOp[]): Set<NativeOp> {
  const final = new Set<NativeOp>()
  /** Qubits on which something follows, itself or through barriers. */
  const busy = new Set<number>()
  for (const op of ops.toReversed()) {
    if (op.kind === 'rz') continue
    const qubits = qubitsOf(op)
    const isFree = !qubits.some((qubit) => busy.has(qubit))
    if (op.kind === 'measure' && isFree) final.add(op)
    // What is not played holds nothing.
    if (op.kind === 'measure' && isFree && op.clbit < 0) continue
    if (op.kind !== 'barrier' || !isFree) for (const qubit of qubits) busy.add(qubit)
  }
  return final
}

/** The operations that are played: a measurement at the end whose outcome no bit takes is not. */
export function playedOps(ops: readonly NativeOp[]): NativeOp[] {
  const final = finalMeasurements(ops)
  return ops.filter((op) => op.kind !== 'measure' || op.clbit >= 0 || !final.has(op))
}
