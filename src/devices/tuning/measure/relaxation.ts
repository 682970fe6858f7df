import type { Complex } from '../../bench/instrument.ts'
import { meanOfSeries } from '../../fitting/complex-series.ts'
import type { Estimate } from '../../fitting/fit.ts'
import type { Finding, Measurement, RoutineContext } from '../routine.ts'
import { onGrid } from './accept.ts'
import { SETTLING_T1 } from './inputs.ts'
import { averages, notesOnReset, RESET_IN_T1, resetNs, seriesOf, settlingT1 } from './references.ts'

const SHOTS = 1_000
const REPEATS = 3
/** Share of an excited state that may be left after the wait between shots. */
const MAX_LEFT = 0.05
/** What is left has to exceed that by this many standard errors. */
const SIGMAS = 2
/** A larger share says only that T1 is much longer than the wait. */
const LARGE_SHARE = 0.6
/** T1 that is assumed then, in units of the wait. */
const MUCH_LONGER = 4
/** What a full reset leaves by a T1 that is known roughly. */
export const AFTER_RESET: Estimate = { value: Math.exp(-RESET_IN_T1), error: Math.exp(-RESET_IN_T1) }
/** Wait between the shots of the test, in units of the one that is tested. */
const TEST_WAIT = 2
/** Longest tested wait, s: a schedule has at most 100 ms. */
const MAX_WAIT_S = 30e-3

/** What is left after a wait. */
interface WaitTest {
  /** Share of an excitation. */
  readonly left: Estimate
  /** For a wait that is not long enough. */
  readonly longer: Relaxation | undefined
}

/** A relaxation time that explains what was left after a wait. */
interface Relaxation {
  /** s */
  readonly t1: number
  /** True when T1 may be longer still. */
  readonly isLeast: boolean
}

/**
 * Whether the wait between shots lets a qubit return to its ground state: what a pulse of the given amplitude
 * excites, read immediately and after the wait, between shots that wait longer. After a short wait each shot
 * begins with what the one before has left, and a sweep of pulses oscillates with half of its period.
 * @param t1 assumed relaxation time, from which the wait follows, s; that of the element by default
 */
export function* testWait(context: RoutineContext, amplitude: number, t1?: number): Measurement<WaitTest> {
  const wait = resetNs(context, { t1 }) * 1e-9
  if (wait > MAX_WAIT_S) return { left: AFTER_RESET, longer: undefined }
  const { name } = context.self
  const excited = () => context.schedule().rotate(name, Math.PI, 0, { amplitude })
  const points = Array.from({ length: REPEATS }, () => [
    context.schedule().measure(name).build(),
    excited().measure(name).build(),
    excited().delay(name, onGrid(wait)).measure(name).build(),
  ]).flat()
  const values = yield* averages(context, points, SHOTS, { t1: (TEST_WAIT * wait) / RESET_IN_T1 })
  const left = leftShare(values)
  if (!(left.value - SIGMAS * left.error > MAX_LEFT)) return { left, longer: undefined }
  const isLeast = left.value > LARGE_SHARE
  return { left, longer: { t1: isLeast ? MUCH_LONGER * wait : -wait / Math.log(left.value), isLeast } }
}

/**
 * The T1 by which the wait between shots is long enough, for a sweep with a known amplitude: found by tests
 * of ever longer waits where no T1 is known, s.
 * @returns undefined where one is known, or where the present wait is long enough
 */
export function* testedT1(context: RoutineContext, amplitude: number): Measurement<number | undefined> {
  if (settlingT1(context.self) !== undefined) return undefined
  let t1: number | undefined
  for (;;) {
    const { longer } = yield* testWait(context, amplitude, t1)
    t1 = longer?.t1 ?? t1
    if (!longer?.isLeast) return t1
  }
}

/** What a finding says of a T1 that was found by the wait between shots; nothing when there is none. */
export function foundByWait(
  context: RoutineContext,
  t1: number | undefined,
): Pick<Finding, 'assumed' | 'notes'> {
  if (t1 === undefined) return {}
  // The measurement of T1 has the note on elements that have one.
  const notes = context.self.has('coherence.t1') ? [] : notesOnReset(context, t1)
  return { assumed: { [SETTLING_T1]: t1 }, ...(notes.length > 0 && { notes }) }
}

/** Share of the excitation that is left, from repeated values of the ground state, excited, and later. */
function leftShare(values: readonly Complex[]): Estimate {
  const kinds = [0, 1, 2].map((kind) => values.filter((_, at) => at % 3 === kind))
  const [ground, excited, later] = kinds.map((each) => meanOfSeries(seriesOf(each))) as [
    Complex,
    Complex,
    Complex,
  ]
  const [x, y] = [excited.re - ground.re, excited.im - ground.im]
  const size = x * x + y * y
  const along = ({ re, im }: Complex) => ((re - ground.re) * x + (im - ground.im) * y) / size
  const value = along(later)
  const squares = kinds.flatMap((each) => {
    const middle = along(meanOfSeries(seriesOf(each)))
    return each.map((one) => (along(one) - middle) ** 2)
  })
  const spread = squares.reduce((sum, each) => sum + each, 0) / (values.length - kinds.length)
  // The later value, and both references with their shares in it.
  const weight = 1 + value ** 2 + (1 - value) ** 2
  return { value, error: Math.sqrt((spread * weight) / REPEATS) }
}
