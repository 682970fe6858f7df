import type { LeavableSink, OpenSink, Position } from '../qasm/index.ts'
import type { ExactValues } from './exact/exact-sums.ts'
import type { Observable } from './exact/observables.ts'
import type { Engine } from './kernel/engine.ts'
import type { Precision } from './kernel/layout.ts'
import type { NoiseModel } from './noise/noise-model.ts'
import type { Rng } from './numeric/random.ts'
import type { ReadoutError } from './readout/readout.ts'
import type { QubitPlaces } from './reduction/qubit-places.ts'
import type { ReducedCircuit } from './reduction/reduce-circuit.ts'
import type { ResultBudget } from './tally/result-budget.ts'
import type { Tally } from './tally/tally.ts'
import type { TimeBudget, WorkCounter } from './timing/time-budget.ts'

/** One circuit with bound parameters and shots: the input of every method. */
export interface Workload {
  clbits: number
  shots: number
  /**
   * Noise of the device; absent for an exact simulation. `reduced` already contains the channels of gates.
   */
  noise: NoiseModel | undefined
  /** The part its outcomes depend on; absent for a program with feedback, which has to be walked. */
  reduced: ReducedCircuit | undefined
  /**
   * Qubits that influence an outcome, ascending. For a program with feedback: those that a trial walk
   * changed; other outcomes may lead to others.
   */
  usedQubits: readonly number[]
  /** Places for the qubits of a walk; the used qubits have the first ones. */
  createPlaces(): QubitPlaces
  /** Asks for exact values in place of outcomes of shots. */
  exact?: ExactRequest | undefined
  /** Precision of the amplitudes. */
  precision: Precision
  /**
   * Executes the program with the outcomes that `sink` returns, once or on from a position; returns the
   * classical bits.
   */
  walk(sink: LeavableSink, from?: Position): Uint8Array
  /**
   * Executes the program once with outcomes that may be open; returns the states of the classical bits, or
   * undefined when an open outcome decides what comes next: see `runOpen`.
   */
  walkOpen(sink: OpenSink): Int32Array | undefined
}

/** Memory, threads and sizes that a simulation may use. */
export interface ResourceLimits {
  /** Maximum number of qubits of a statevector. */
  stateQubits: number
  /** Memory, in bytes. */
  readonly bytes: number
  /**
   * The part of it for copies of states at which shots branch, in bytes: more saves time and changes no
   * outcome.
   */
  stateCopyBytes: number
  /** Threads for a large state. */
  threads: number
  /** Maximum bond dimension of a matrix product state. */
  maxBondDimension: number
  /** Ends long decisions about a method at the deadline. */
  work: WorkCounter
}

/** The reason why a method cannot run a workload. */
export interface Refusal {
  /** A stable code for clients, such as `too_many_qubits`. */
  code: string
  /** Printed after the name of the method and a colon: `needs 30 qubits, at most 27 fit`. */
  reason: string
}

/**
 * Refuses a workload of `needed` qubits where at most `most` fit; `remedy` says with what more of them do.
 */
export function refuseQubits(needed: number, most: number, remedy = ''): Refusal | undefined {
  if (needed <= most) return undefined
  return { code: 'too_many_qubits', reason: `needs ${needed} qubits, at most ${most} fit${remedy}` }
}

/** What a method uses while it runs one workload. */
export interface MethodRun {
  /** Collects the outcomes of all shots, in any order and in groups. */
  tally: Tally
  /** Readout error of a mid-circuit measurement; the tally applies those of the final measurements. */
  readoutErrorOf(qubit: number): ReadoutError
  /** Draws depend on seed, circuit and shot only: never on threads or on the order of work. */
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  /**
   * Counts work, ends it at the deadline and yields to the event loop, so that a job can be cancelled. A
   * method names the parts of its work.
   */
  timeBudget: TimeBudget
  /** Computes with statevectors; its memory contains one at a time. */
  engine: Engine
  limits: ResourceLimits
}

/** What is asked of the state at the end, over all outcomes. */
export interface ExactRequest {
  /** Pauli sums of which the mean is asked for; without any, the probabilities of the outcomes are. */
  observables: readonly Observable[]
}

/** What a workload with exact values reads at its end. */
export function measuredOf({ exact, reduced }: Workload) {
  return { observables: exact?.observables ?? [], terminal: reduced?.terminal ?? [] }
}

/** What a method uses while it computes exact values. */
export interface ExactRun extends Pick<MethodRun, 'readoutErrorOf' | 'timeBudget' | 'engine' | 'limits'> {
  resultBudget: ResultBudget
}

export interface ExactOutcome {
  values: ExactValues
  /** False for values of an approximation, whose error the metadata state. */
  isExact: boolean
  /** Additional metadata of the result. */
  metadata: Record<string, unknown>
}

/** How a method computes exact values. */
interface ExactMethod {
  /** As `refuse` of the method. */
  refuse(workload: Workload, limits: ResourceLimits): Refusal | undefined
  /** @throws UnsuitableMethodError for a workload that turns out to be too large. */
  run(workload: Workload, run: ExactRun): Promise<ExactOutcome>
}

/** A simulation method. */
export interface Method {
  /** The value of the option `method`, and of `method` in results. */
  name: string
  /**
   * Whether automatic choice takes this method before earlier methods in the list that do not prefer the
   * workload.
   */
  prefers?(workload: Workload): boolean
  /** The reason why it cannot run the workload, found before anything is allocated; undefined when it can. */
  refuse(workload: Workload, limits: ResourceLimits): Refusal | undefined
  /** Whether it can store amplitudes in single precision. */
  hasSinglePrecision?: boolean
  /** Exact values; absent for a method that draws outcomes only. */
  exact?: ExactMethod
  /** Qubits of the statevector it needs, 0 for none. Circuits with small ones run in parallel. */
  stateQubits(workload: Workload): number
  /** Estimated time, in s: a job that cannot end within its time limit is refused before it starts. */
  estimateSeconds(workload: Workload, limits: ResourceLimits): number
  /**
   * Runs every shot into `run.tally`. Returns additional metadata of the result, such as `truncation`.
   * @throws UnsuitableMethodError for a program with feedback whose outcomes lead to a step that the method
   * cannot run.
   */
  run(workload: Workload, run: MethodRun): Promise<Record<string, unknown>>
}

/** Declares a simulation method; `methods/index.ts` lists all of them. */
export function defineMethod<const M extends Method>(method: M): M {
  return method
}
