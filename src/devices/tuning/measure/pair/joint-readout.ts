import { type ComplexSeries, joinSeries } from '../../../fitting/complex-series.ts'
import { type Discriminator, discriminate } from '../../../fitting/models/clouds.ts'
import type { ScheduleBuilder } from '../../../pulse/builder.ts'
import type { Schedule } from '../../../pulse/schedule.ts'
import type { Measurement, RoutineContext } from '../../routine.ts'
import { accepted } from '../accept.ts'
import { allShotsOf } from '../shots.ts'
import { preparedPair } from './pair.ts'

const REFERENCE_SHOTS = 5_000
const STATES = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
] as const
const NOTHING: ComplexSeries = { re: [], im: [] }

/** How the shots of both qubits of an edge are assigned, the parent first. */
export interface JointReadout {
  /** Per qubit the probability of reading k after preparing j, one row per prepared state. */
  readonly assignments: readonly (readonly (readonly number[])[])[]
  /** Per qubit: rotation (rad) and threshold of its real part. */
  readonly axes: readonly { readonly rotation: number; readonly threshold: number }[]
  /** Whether the shots of the states began with a reading. */
  readonly isHeralded: boolean
}

/** Both qubits of an edge read at the same time, at their points of best separation. */
export function readBoth(schedule: ScheduleBuilder, { parent, child }: RoutineContext): Schedule {
  return schedule
    .barrier(parent.name, child.name)
    .measure(parent.name, { point: 'measure_2state' })
    .measure(child.name, { point: 'measure_2state' })
    .build()
}

/**
 * Reads all four states of a pair together: how well each qubit is read beside the other, whose state and
 * signal leave a trace in its own.
 */
export function* jointReadout(context: RoutineContext): Measurement<JointReadout> {
  const points = STATES.map((states) => readBoth(preparedPair(context, states), context))
  const options = { mayHerald: true }
  const { found, isHeralded } = yield* allShotsOf(context, points, context.shots(REFERENCE_SHOTS), options)
  const fits: Discriminator[] = []
  for (const qubit of [0, 1]) {
    const [zero = NOTHING, one = NOTHING] = [0, 1].map((state) =>
      joinSeries(
        found.flatMap((shots, at) => (STATES[at]?.[qubit] === state ? [shots[qubit] ?? NOTHING] : [])),
      ),
    )
    fits.push(accepted(yield* discriminate(zero, one)).values)
  }
  return {
    isHeralded,
    assignments: fits.map(({ assignment }) => assignment),
    axes: fits.map(({ rotation, threshold }) => ({
      rotation: (rotation.value * Math.PI) / 180,
      threshold: threshold.value,
    })),
  }
}

/** Counts of 00, 01, 10 and 11 of a point that reads both qubits. */
export function countsOf(
  [parent, child]: readonly ComplexSeries[],
  { axes }: Pick<JointReadout, 'axes'>,
): number[] {
  const counts = [0, 0, 0, 0]
  const [ofParent, ofChild] = axes
  const shots = parent?.re.length ?? 0
  for (let shot = 0; shot < shots; shot++) {
    const place = 2 * readingOf(parent, shot, ofParent) + readingOf(child, shot, ofChild)
    counts[place] = (counts[place] ?? 0) + 1
  }
  return counts
}

function readingOf(
  series: ComplexSeries | undefined,
  shot: number,
  axis: JointReadout['axes'][number] | undefined,
): number {
  const { rotation, threshold } = axis ?? { rotation: 0, threshold: 0 }
  const real = Math.cos(rotation) * (series?.re[shot] ?? 0) - Math.sin(rotation) * (series?.im[shot] ?? 0)
  return real >= threshold ? 1 : 0
}
