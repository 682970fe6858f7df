import type { Acquisitions } from '../bench/instrument.ts'
import type { FitTrace, Quality } from '../fitting/fit.ts'
import type { ErrorBound } from '../fitting/models/benchmarking/decay-bound.ts'
import type { Pause } from '../fitting/steps.ts'
import type { ScheduleBuilder } from '../pulse/builder.ts'
import type { AcquisitionKind, Program } from '../pulse/schedule.ts'
import type { Heralds } from './herald.ts'
import { type Axis, routineNamed, type TargetKind } from './routine-names.ts'

/** What a measurement asks for next. */
export type Step =
  /** Measurements side by side share a program where they can, unless one of them is played alone. */
  | { readonly kind: 'acquire'; readonly program: Program; readonly isAlone?: boolean }
  /** Ramps the current of a coupler; the walk restores it when the measurement ends for whatever reason. */
  | { readonly kind: 'ramp'; readonly edge: string; readonly amps: number }
  /** Reads the current of a coupler, and how far it can be moved. */
  | { readonly kind: 'current'; readonly edge: string }
  /**
   * Waits for work outside of this process, within the time limit of the routine, at whose end the signal
   * aborts. A `RoutineError` that it throws is thrown into the measurement.
   */
  | { readonly kind: 'wait'; work(signal: AbortSignal): Promise<unknown> }
  | Pause

/**
 * A current that a coupler feels, A: its own and the flux that other couplers share with it; and the largest
 * magnitude that it can be given.
 */
export interface HeldCurrent {
  readonly amps: number
  readonly limit: number
}

/** The reply to a step. */
export interface StepReply {
  readonly acquisitions?: Acquisitions
  readonly current?: HeldCurrent
  /** What the work returned. */
  readonly result?: unknown
}

/**
 * A measurement as a coroutine: it yields steps, receives their replies and returns what it found. It has no
 * access to instruments, so the walk may run those of several targets together.
 */
export type Measurement<Found> = Generator<Step, Found, StepReply>

/** A value of the device file: a number, or a list or table of numbers. */
export type FoundNumber = number | readonly number[] | readonly (readonly number[])[]

/** A parameter that a routine found. */
export interface FoundValue {
  readonly value: FoundNumber
  /** Standard error, in the unit of the value. */
  readonly error?: number
  /** Such as `Hz`; empty or absent for a number without unit. */
  readonly unit?: string
  /** The change of the value from which on the check of the routine is `out`, in the unit of the value. */
  readonly checkLimit?: number
  /** The standard error that suffices; by default it follows from the limit of the check, or the value. */
  readonly wantedError?: number
}

/** A figure of merit that a benchmark found. Further numbers are reported as they are. */
export interface Benchmark {
  /** What `fidelity` is: `average_gate`, `assignment`. */
  readonly metric: string
  readonly fidelity?: number
  /** 1 - fidelity, or the score of a benchmark without fidelity. */
  readonly error?: number
  /** Standard error of the fidelity. */
  readonly fidelityError?: number
  /** In place of fidelity and error, where the error is smaller than what the benchmark resolves. */
  readonly upperBound?: ErrorBound
  /** s. */
  readonly gateDuration?: number
  /** Population that leaves the qubit per gate. */
  readonly leakage?: number
  /** Standard error of the leakage. */
  readonly leakageError?: number
  /** Error per gate that is due to loss of coherence (purity). */
  readonly incoherent?: number
  readonly rawData?: unknown
}

/** What a measurement found on one target. */
export interface Finding {
  /** By path in the device file: `clock_freqs.f01`. */
  readonly parameters?: Readonly<Record<string, FoundValue>>
  readonly benchmark?: Benchmark
  readonly trace?: FitTrace
  /** Numbers by which the fit was accepted; they outlive the trace in the report. */
  readonly quality?: Quality
  /**
   * Population that a calibrated gate leaves outside its states, averaged over them; for the error budget.
   */
  readonly leakage?: number
  /** Standard error of that population. */
  readonly leakageError?: number
  /** True when the measurement is valid but cannot improve on the present value, which is kept. */
  readonly unresolved?: boolean
  /** What the rest of the run assumes, by path; neither reported nor written. */
  readonly assumed?: Readonly<Record<string, number>>
  /** Remarks for the report. */
  readonly notes?: readonly string[]
}

interface ErrorDetails {
  trace?: FitTrace
  quality?: Quality
  isCertain?: boolean
}

/** Why a measurement found nothing on one target. */
export class RoutineError extends Error {
  override readonly name = 'RoutineError'
  /**
   * Stable: `no_data`, `no_signal`, `unresolved`, `edge_of_sweep`, `implausible`, `not_set`, … With
   * `declined` the target cannot have what the routine calibrates: it is skipped, with all that reads what is
   * missing.
   */
  readonly code: string
  /** What was measured nevertheless. */
  readonly trace: FitTrace | undefined
  readonly quality: Quality | undefined
  /** True when more shots would say the same; another attempt may not. */
  readonly isCertain: boolean

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message)
    this.isCertain = details.isCertain ?? false
    this.code = code
    this.trace = details.trace
    this.quality = details.quality
  }
}

/** Outcome of the check of one routine on one target. */
export interface CheckOutcome {
  readonly state: 'in' | 'out'
  /** Deviation in units of the limit: above 1 is `out`. */
  readonly margin: number
}

/** Values of one element of the chip, as known at this moment of the run. */
export interface ElementReader {
  readonly name: string
  /** @throws RoutineError `not_set` when the value is absent or was never measured. */
  number(path: string): number
  /** The value, or undefined when it is absent or was never measured. */
  optional(path: string): number | undefined
  /** A list or table of numbers, or undefined. */
  table(path: string): readonly unknown[] | undefined
  /** Whether the element can hold a value at this path. */
  has(path: string): boolean
}

/** Which try of a node this is. */
export interface Attempt {
  /** Counted from 1. */
  readonly number: number
  /** Codes of the failed attempts before, oldest first. */
  readonly failures: readonly string[]
  /** By axis, the end of the sweep before at which its best point was: the sweep is repeated around it. */
  readonly around?: Readonly<Record<string, number>>
  /** Part of the shots that it takes: a first look, which counts when its errors are small enough. */
  readonly shotPart?: number
}

/** Values to sweep, in the order of the sweep. */
export interface SweepAxis {
  readonly name: string
  readonly values: Float64Array
}

/** A range from `start` to `stop` with both ends. */
export interface SweepRange {
  readonly start: number
  readonly stop: number
  readonly points: number
  readonly scale?: 'lin' | 'log'
}

/** What a measurement may read. */
export interface RoutineContext {
  /** Name of the qubit or edge. */
  readonly target: string
  /** The target, and for an edge its ends. */
  readonly self: ElementReader
  readonly parent: ElementReader
  readonly child: ElementReader
  /** The values of any qubit. */
  element(qubit: string): ElementReader
  /** All qubits of the chip, in the order of the device file. */
  readonly qubits: readonly string[]
  /** The other qubits of the readout line of a qubit that have a readout and can be read at the same time. */
  lineMatesOf(qubit: string): readonly string[]
  /** The qubits of all targets that are measured together, this one among them. */
  readonly together: readonly ElementReader[]
  readonly attempt: Attempt
  /** An empty schedule for the elements of the chip. */
  schedule(): ScheduleBuilder
  /**
   * The values to sweep: on the first attempt those of `calibration.yml` if it has this axis, otherwise the
   * derived ones. They are cut to what the hardware plays or holds: the band of the line, the range of the
   * current source, full scale. `of` is the qubit or edge whose line that is; the target, if absent.
   * @throws RoutineError `out_of_range` when nothing is left.
   */
  axis(name: string, derived: SweepRange | readonly number[], of?: string): SweepAxis
  /** Shots per point: those of `calibration.yml`, otherwise the given number. */
  shots(derived: number): number
  /** Where shots may begin with a reading: what the run knows of that. Without it, they wait. */
  readonly heralds?: Heralds | undefined
  /** What is left of the time limit of the routine, s. A program that is longer extends it. */
  secondsLeft(): number
  /** A setting of the routine in `calibration.yml`. */
  setting(name: string): unknown
}

interface Declaration {
  /** `^[a-z][a-z0-9_]*$`. A built-in name has its kind, aliases and axes from `routine-names.ts`. */
  name: string
  kind?: TargetKind
  /** Routines that come before; an edge depends on a qubit's routine for both of its ends. */
  dependsOn?: readonly string[]
  /** Paths that must be set. `end:` in front means: of both qubits of the edge. */
  reads?: readonly string[]
  /** Paths of which a value is used when there is one: start values and windows. */
  priors?: readonly string[]
  /** Paths that the routine finds. */
  writes?: readonly string[]
  /** The same, written only where the element has them. */
  optionalWrites?: readonly string[]
  /** Submodules and paths without which the element declines. */
  needs?: readonly string[]
  /** True when what it writes has a producer before it, so that its failure keeps a valid value. */
  refiner?: boolean
  /**
   * True when its result depends on what else is read on the line: it finds or judges how single shots are
   * told apart, and is measured without the tones of others. So is every routine of a resonator.
   */
  isReadAlone?: boolean
  /** Axes whose range `calibration.yml` may set. */
  axes?: Readonly<Record<string, Axis>>
  /** The part of a target that may be dead where the routine sees nothing: `drive`. */
  suspect?: string
  /** Points and shots of the default sweep, for the estimate of the duration. */
  size: {
    readonly points: number
    readonly shots: number
    /** Part of the wait for a full reset before each of them; all of it by default. */
    readonly wait?: number
    /**
     * Part of the shots with which each attempt begins; it takes all of them where the errors of the values
     * are too large then, or none is found. All of them by default.
     */
    readonly firstPart?: number
    /** Number of qubits that a reading finds in 0 at the start of a shot, where waits are long. */
    readonly heralds?: number
  }
  /** @throws RoutineError when the target shows no valid result. */
  measure(context: RoutineContext): Measurement<Finding>
  /** A quick look at whether the present values still hold. Any error means that it could not decide. */
  check?(context: RoutineContext): Measurement<CheckOutcome>
}

/** A routine of the calibration graph; see `defineRoutine`. */
export interface Routine extends Readonly<Required<Omit<Declaration, 'check'>>> {
  readonly aliases: readonly string[]
  /** True for a routine that judges the chip and finds no parameters. */
  readonly isBenchmark: boolean
  readonly check?: NonNullable<Declaration['check']>
}

/**
 * Declares a routine. One that writes nothing is a benchmark.
 * @throws TypeError for an invalid name, a missing kind, or a refiner that writes nothing.
 */
export function defineRoutine(declared: Declaration): Routine {
  const { name, writes = [], optionalWrites = [], refiner = false, check } = declared
  const { isReadAlone = false } = declared
  const listed = routineNamed(name)
  const kind = declared.kind ?? listed?.kind
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new TypeError(`routine name "${name}" must be lower-case letters, digits and underscores`)
  }
  if (!kind) throw new TypeError(`${name} needs a kind: resonator, qubit or edge`)
  const isBenchmark = writes.length + optionalWrites.length === 0
  if (refiner && isBenchmark) throw new TypeError(`${name} is a refiner and must write a parameter`)
  return {
    dependsOn: [],
    reads: [],
    priors: [],
    needs: [],
    suspect: '',
    axes: listed?.axes ?? {},
    ...declared,
    kind,
    aliases: listed?.aliases ?? [],
    isBenchmark,
    writes,
    optionalWrites,
    refiner,
    isReadAlone: isReadAlone || kind === 'resonator',
    ...(check && { check }),
  }
}

/** Runs a program, alone if wanted, and waits for its acquisitions. */
export function* acquire<Kind extends AcquisitionKind>(
  program: Program<Kind>,
  { isAlone = false } = {},
): Measurement<Acquisitions<Kind>> {
  const { acquisitions } = yield { kind: 'acquire', program, isAlone }
  if (!acquisitions) throw new TypeError('the reply to a program has no acquisitions')
  return acquisitions as Acquisitions<Kind>
}

/** Reads the current of a coupler. */
export function* currentOf(edge: string): Measurement<HeldCurrent> {
  const { current } = yield { kind: 'current', edge }
  if (!current) throw new TypeError('the reply to a current has no value')
  return current
}

/** Ramps the current of a coupler to a value in A. */
export function* rampTo(edge: string, amps: number): Measurement<void> {
  yield { kind: 'ramp', edge, amps }
}
