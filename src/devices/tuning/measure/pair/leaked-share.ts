import type { Complex } from '../../../bench/instrument.ts'
import { type ComplexSeries, meanOfSeries } from '../../../fitting/complex-series.ts'
import type { Measurement, RoutineContext } from '../../routine.ts'
import { allShotsOf } from '../shots.ts'
import { orderedEnds } from './ends.ts'
import { readBoth } from './joint-readout.ts'

const SHOTS = 5_000
/** Smallest area that the signals of 0, 1 and 2 span, in squares of the distance of 0 and 1. */
const MIN_AREA = 0.1

/** Finds the share of level 2 of the upper qubit from the mean of its shots. */
export type LeakedShare = (shots: readonly ComplexSeries[]) => number

/** What a pulse to level 2 needs, of the upper qubit. */
export const LEVEL_2_PRIORS = ['clock_freqs.f12', 'r12.ef_amp180', 'r12.ef_motzoi', 'r12.ef_duration'].map(
  (path) => `end:${path}`,
)

/**
 * Measures the mean signals of the upper qubit in 0, 1 and 2: any other mean is one mixture of the three.
 * Undefined for a qubit without a calibrated pulse to 2, or when the three lie on a line.
 */
export function* leakedShare(context: RoutineContext): Measurement<LeakedShare | undefined> {
  const { high } = orderedEnds(context)
  const isReady = ['clock_freqs.f12', 'r12.ef_amp180'].every((path) => (high.optional(path) ?? 0) > 0)
  if (!isReady) return undefined
  const points = [0, 1, 2].map((level) => {
    const schedule = context.schedule()
    if (level > 0) schedule.rotate(high.name, Math.PI)
    if (level > 1) schedule.rotate12(high.name, Math.PI)
    return readBoth(schedule, context)
  })
  const which = high.name === context.parent.name ? 0 : 1
  const { found } = yield* allShotsOf(context, points, context.shots(SHOTS), { mayHerald: true })
  const meanOfUpper = ({ [which]: shots }: readonly ComplexSeries[]) =>
    shots ? meanOfSeries(shots) : NOWHERE
  const [zero = NOWHERE, one = NOWHERE, two = NOWHERE] = found.map(meanOfUpper)
  const across = minus(one, zero)
  const area = cross(across, minus(two, zero))
  if (!(Math.abs(area) > MIN_AREA * (across.re ** 2 + across.im ** 2))) return undefined
  return (shots) => cross(across, minus(meanOfUpper(shots), zero)) / area
}

const NOWHERE: Complex = { re: Number.NaN, im: Number.NaN }

function minus(a: Complex, b: Complex): Complex {
  return { re: a.re - b.re, im: a.im - b.im }
}

function cross(a: Complex, b: Complex): number {
  return a.re * b.im - a.im * b.re
}
