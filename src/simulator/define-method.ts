import type { Sink } from '../qasm/index.ts'
import type { Engine } from './kernel/engine.ts'
import type { NoiseModel } from './noise/noise-model.ts'
import type { Rng } from './numeric/random.ts'
import type { ReadoutError } from './readout/readout.ts'
import type { ReducedCircuit } from './reduction/reduce-circuit.ts'
import type { Tally } from './tally/tally.ts'
import type { PhaseTimer } from './timing/phase-timer.ts'
import type { TimeBudget } from './timing/time-budget.ts'

/** One circuit with bound parameters, as every method gets it. */
export interface Workload {
  /** Qubits the program declares. */
  qubits: number
  clbits: number
  shots: number
  /** What the device adds; absent for an exact simulation. The channels of gates are steps of `reduced` already. */
  noise: NoiseModel | undefined
  /** What its outcomes depend on; absent when outcomes steer the program, which then has to be walked. */
  reduced: ReducedCircuit | undefined
  /** Carries out the program once, asking `sink` for every outcome, and returns its classical bits. */
  walk(sink: Sink): Uint8Array
}

/** What a simulation may take. */
export interface ResourceLimits {
  /** Qubits of a state that is written out amplitude by amplitude. */
  stateQubits: number
  /** Memory, in bytes. */
  readonly bytes: number
  /** Of that for copies of states from which shots part, in bytes: more saves time and changes no outcome. */
  stateCopyBytes: number
  /** Threads for a large state. */
  threads: number
  /** Largest bond between tensors of a matrix product state. */
  maxBondDimension: number
}

/** Why a method cannot run a workload. */
export interface Refusal {
  /** A stable code for clients, such as `too_many_qubits`. */
  code: string
  /** Follows the name of the method and a colon: `needs 30 qubits, at most 27 fit`. */
  reason: string
}

/** What a method works with while it runs one workload. */
export interface MethodRun {
  /** Where outcomes go: bits of every shot, in any order and in groups. */
  tally: Tally
  /** How often a measurement which steers the program, or stands in its middle, is reported wrongly. */
  readoutErrorOf(qubit: number): ReadoutError
  /** Draws depend on the seed, the circuit and the shot alone: never on threads or on the order of work. */
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  /** Counts work, ends it when its time is over and lets a cancellation be heard. */
  timeBudget: TimeBudget
  /** Computes with states written out amplitude by amplitude; it holds one at a time. */
  engine: Engine
  /** Where its time goes. */
  phaseTimer: PhaseTimer
  limits: ResourceLimits
}

/** A way to simulate circuits. */
export interface Method {
  /** The value of the option `method`, and of `method` in results. */
  name: string
  /** Whether this method is to be taken before those that come earlier in the list but do not prefer the workload. */
  prefers?(workload: Workload): boolean
  /** Why it cannot run the workload, before anything is allocated; undefined when it can. */
  refuse(workload: Workload, limits: ResourceLimits): Refusal | undefined
  /** Qubits of the state it writes out amplitude by amplitude, 0 for none. Small ones are run side by side. */
  stateQubits(workload: Workload): number
  /** Estimated time, in s: a job that cannot end within its limit is refused before it starts. */
  estimateSeconds(workload: Workload, limits: ResourceLimits): number
  /** Runs every shot into `run.tally`. Returns what the result should say about it, such as `truncation`. */
  run(workload: Workload, run: MethodRun): Promise<Record<string, unknown>>
}

/** Declares a simulation method; it becomes one by its line in `methods/index.ts`. */
export function defineMethod<const M extends Method>(method: M): M {
  return method
}
