import { nearestInteger, type Rational, toDouble } from './rational.ts'

/** A unitary on a few qubits; controls are separate so that a kernel can skip the amplitudes they exclude. */
export interface UnitaryOp {
  kind: 'unitary'
  /** Qubit indices; `targets[0]` is the least significant bit of the matrix index. */
  targets: number[]
  controls: number[]
  /** Bit i is the value `controls[i]` must have for the matrix to act. */
  controlValues: number
  /**
   * 2^k x 2^k for k targets, row-major, interleaved real and imaginary parts. Shared between ops: never
   * written.
   */
  matrix: Float64Array
  /** The name of the gate as it was called, without its modifiers; for reports and noise models. */
  name: string
  /** How many times as long as a gate `id` and `u0` wait. */
  waits?: number
}

/** A phase e^{i angle} on the states that satisfy the controls; the global phase when there are none. */
export interface PhaseOp {
  kind: 'phase'
  controls: number[]
  controlValues: number
  /** rad. */
  angle: number
}

/** A measurement in the computational basis. */
export interface MeasureOp {
  kind: 'measure'
  qubit: number
  /** The classical bit written, or -1 when the outcome is discarded. */
  clbit: number
}

/** Resets a qubit to |0>. */
export interface ResetOp {
  kind: 'reset'
  qubit: number
}

/** A barrier for fusion and reordering. */
export interface BarrierOp {
  kind: 'barrier'
  qubits: number[]
}

/** Idle time. */
export interface DelayOp {
  kind: 'delay'
  qubits: number[]
  /** s, exact: only a consumer rounds it, to its clock. */
  duration: Rational
}

/** The length of a delay, s, as the nearest double. */
export function secondsOf({ duration }: DelayOp): number {
  return toDouble(duration)
}

/** The length of a delay in whole nanoseconds, the nearest, and whether it is so long. */
export function nanosecondsOf({ duration }: DelayOp): { ns: number; isExact: boolean } {
  const numerator = duration.numerator * 1_000_000_000n
  const ns = nearestInteger({ numerator, denominator: duration.denominator })
  return { ns: Number(ns), isExact: ns * duration.denominator === numerator }
}

/** One operation of a flat circuit. */
export type Op = UnitaryOp | PhaseOp | MeasureOp | ResetOp | BarrierOp | DelayOp

/** The qubits on which an operation acts, its controls first. */
export function qubitsOf(op: Op): readonly number[] {
  if (op.kind === 'unitary') return [...op.controls, ...op.targets]
  if (op.kind === 'phase') return op.controls
  return 'qubits' in op ? op.qubits : [op.qubit]
}

/** A program after expansion of gates, subroutines, loops and modifiers. */
export interface Circuit {
  qubits: number
  clbits: number
  /** Quantum registers with sizes in declaration order: the first has the lowest indices. */
  qregs: [string, number][]
  /** Classical registers with sizes in declaration order: the first is rightmost in bit strings. */
  cregs: [string, number][]
  /** Messages for the user about what was ignored or approximated. */
  warnings: string[]
  /** The flat list of operations; absent for a dynamic circuit. */
  ops?: Op[]
  /** True if measurement outcomes control the program; run it once per shot with `runDynamic`. */
  dynamic: boolean
  /** What result bits hold, in a dynamic circuit whose outcomes decide nothing else. */
  computed?: ComputedBits
}

/** Operations that do not depend on outcomes, and the result bits, which are copied, computed or set. */
export interface ComputedBits {
  /** The `clbit` of each measurement is its index among the measurements. */
  ops: Op[]
  measurements: number
  /**
   * By classical bit: 0, 1, `FIRST_OUTCOME` plus the index of the measurement whose outcome it holds, or
   * `UNDETERMINED` for a computed value, which `runDynamic` returns.
   */
  states: number[]
}

/** Receives the operations of a dynamic program one by one. */
export interface Sink {
  /** Called for every operation except measurements, in program order. */
  apply(op: Op): void
  /** Measures one qubit and returns the outcome. */
  measure(qubit: number): 0 | 1
}

/** Receives the operations of a dynamic program one by one, and may leave outcomes open. */
export interface OpenSink {
  /** Called for every operation except measurements, in program order. */
  apply(op: Op): void
  /** Measures one qubit; undefined when the outcome is not known yet. */
  measure(qubit: number): 0 | 1 | undefined
  /**
   * Executes the steps of one of two branches. Called for each condition whose branches consist of gates,
   * also for one that no open outcome decides: the calls of a sink do not depend on what is open. Without it,
   * such steps are passed to `apply`, and a condition that open outcomes decide ends the walk.
   */
  choose?(choice: OpenChoice): void
}

/** Two branches without measurements, of which outcomes choose one. */
export interface OpenChoice {
  /** Indices of the open measurements that decide; none when the branch is known. */
  outcomes: readonly number[]
  /** Whether `steps` are executed, or else `otherwise`: bit j of the index is the outcome `outcomes[j]`. */
  isTrue: readonly boolean[]
  steps: readonly Op[]
  otherwise: readonly Op[]
}
