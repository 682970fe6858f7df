import type { Complex } from '../../bench/instrument.ts'
import { meanOfSeries } from '../../fitting/complex-series.ts'
import { PROGRAM_LIMITS } from '../../pulse/check-program.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import { acquire, type ElementReader, type Measurement, type RoutineContext } from '../routine.ts'
import { heraldedShots } from './heralded.ts'
import { SETTLING_T1 } from './inputs.ts'
import { TRANSITION_01, TransitionSchedule } from './transition.ts'

/** Wait before each repetition where the element has none, s. */
const DEFAULT_RESET_S = 200e-6

/** Least wait in units of T1: 2 % of a state are left. A shorter one mixes each shot with the one before. */
export const RESET_IN_T1 = 4

/** Waits between shots that are shorter than this many T1 leave more than 5 % of a state. */
export const MIN_RESET_IN_T1 = 3

/**
 * The wait before each repetition that a qubit needs by its device file, and by its T1 where that is known,
 * s.
 */
export function resetOf(duration: number | undefined, t1: number | undefined): number {
  return Math.max(duration ?? DEFAULT_RESET_S, RESET_IN_T1 * (t1 ?? 0))
}

/**
 * Parts of the wait for a full reset that suffice between the shots of a sweep for a line. What a pulse at
 * one frequency leaves, some 20 % after a third of five T1, goes to the point after it: a line seems later by
 * a quarter of a step, and is as wide. A sweep of a readout alone excites nothing; its resonator empties
 * within microseconds.
 */
export const LINE_WAITS = { ofDrive: 1 / 3, ofReadout: 1 / 15 } as const

/** How long a measurement waits before each repetition. */
interface WaitOptions {
  /** Relaxation time of the target where its measurement already knows better, s. */
  readonly t1?: number | undefined
  /** Part of the full reset; all of it by default. */
  readonly part?: number
  /** Whether shots may begin with a reading instead of a long wait. */
  readonly mayHerald?: boolean
}

/** What is measured together waits as long as the longest, up to this many of its own waits. */
const MAX_LONGER = 2

/**
 * Wait before each repetition, in which a qubit returns to its ground state, ns. Programs with one wait run
 * at the same time: a qubit waits for those that are measured together with it, if not much longer.
 */
export function resetNs(
  { parent, child, together }: RoutineContext,
  { t1, part = 1 }: WaitOptions = {},
): number {
  const waitOf = (qubit: ElementReader, own = settlingT1(qubit)) =>
    resetOf(qubit.optional('reset.duration'), own)
  const own = Math.max(waitOf(parent, t1), waitOf(child, t1))
  const others = together.map((qubit) => waitOf(qubit)).filter((wait) => wait <= MAX_LONGER * own)
  return Math.min(PROGRAM_LIMITS.resetNs, Math.round(part * Math.max(own, ...others) * 1e9))
}

/** Measures the mean signal at each point; every schedule reads one qubit. */
export function* averages(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
  wait: WaitOptions = {},
): Measurement<Complex[]> {
  return (yield* startedAverages(context, points, shots, wait)).values
}

/** The same, and whether each shot began with a reading. */
function* startedAverages(
  context: RoutineContext,
  points: readonly Schedule[],
  derived: number,
  wait: WaitOptions,
): Measurement<{ values: Complex[]; isHeralded: boolean }> {
  const shots = context.shots(derived)
  const waitNs = resetNs(context)
  const heralded = wait.mayHerald ? yield* heraldedShots(context, points, { shots, waitNs }) : undefined
  if (heralded)
    return { values: heralded.map(([first]) => (first ? meanOfSeries(first) : NOTHING)), isHeralded: true }
  const program = { kind: 'average' as const, shots, reset_ns: resetNs(context, wait), points }
  const results = yield* acquire(program)
  return { values: results.map(([first]) => first ?? NOTHING), isHeralded: false }
}

/** The longest T1 of a qubit that is known, s. */
export function settlingT1(qubit: ElementReader): number | undefined {
  const known = [qubit.optional(SETTLING_T1), qubit.optional('coherence.t1')].filter((t1) => t1 !== undefined)
  return known.length > 0 ? Math.max(...known) : undefined
}

/** Calibrations wait longer where the file has too short a reset; jobs do not. */
export function notesOnReset({ self }: RoutineContext, t1: number): string[] {
  const given = self.optional('reset.duration')
  if (given === undefined || given >= MIN_RESET_IN_T1 * t1) return []
  const [microseconds, needed] = [given, RESET_IN_T1 * t1].map((seconds) => Math.ceil(seconds * 1e6))
  return [
    `reset.duration of ${microseconds} µs is shorter than ${RESET_IN_T1} T1: shots of jobs begin with what the one before has left; set ${needed} µs`,
  ]
}

/**
 * Measures the population of the upper state of a transition at each point: the signal on the line from that
 * of the lower state to that after the present pi pulse, both measured with the points. Points of a qubit
 * without a signal are not finite.
 */
export function* populations(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
  transition = TRANSITION_01,
  wait: WaitOptions = {},
): Measurement<Float64Array> {
  return (yield* startedPopulations(context, points, shots, transition, wait)).found
}

function* startedPopulations(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
  transition = TRANSITION_01,
  wait: WaitOptions = {},
): Measurement<{ found: Float64Array; isHeralded: boolean }> {
  const references = [0, Math.PI].map((angle) =>
    new TransitionSchedule(context, transition).turn(angle).read(),
  )
  const all = [...references, ...points]
  const options = { mayHerald: wait.t1 === undefined && wait.part === undefined, ...wait }
  const { values, isHeralded } = yield* startedAverages(context, all, shots, options)
  const [zero = NOTHING, one = NOTHING, ...rest] = values
  return { found: Float64Array.from(rest, (value) => positionBetween(zero, one, value)), isHeralded }
}

/**
 * {@link populations} after random sequences, without what each repetition finds left of the one before:
 * after a wait of four T1, that would shrink the signal of state 1 by 2 % and make all errors look 4 %
 * larger. Unchanged where T1 is unknown, or where each shot began with a reading.
 */
export function* sequencePopulations(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
): Measurement<Float64Array> {
  const { found, isHeralded } = yield* startedPopulations(context, points, shots)
  if (isHeralded) return found
  const t1 = context.self.optional('coherence.t1')
  const left = t1 === undefined ? 0 : Math.exp((-resetNs(context) * 1e-9) / t1)
  return found.map((population) => withoutRemainder(population, left))
}

/**
 * The population that a sequence leaves of the ground state. Sequences move the polarization P of their start
 * to pP on average. With the share e of the last repetition in the state at the start, a population of
 * (1 + e)(1 − p) / 2(1 − pe) is measured, relative to references that have the same: its inverse.
 */
function withoutRemainder(population: number, left: number): number {
  return (population * (1 - left)) / (1 + left - 2 * population * left)
}

const NOTHING: Complex = { re: Number.NaN, im: Number.NaN }

/** Where a value lies on the line through two others: 0 at `from`, 1 at `to`. */
function positionBetween(from: Complex, to: Complex, value: Complex): number {
  const [x, y] = [to.re - from.re, to.im - from.im]
  return ((value.re - from.re) * x + (value.im - from.im) * y) / (x * x + y * y)
}

/** Values as two series. */
export function seriesOf(values: readonly Complex[]): { re: number[]; im: number[] } {
  return { re: values.map(({ re }) => re), im: values.map(({ im }) => im) }
}
