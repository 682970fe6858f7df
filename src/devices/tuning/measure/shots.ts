import type { ComplexSeries } from '../../fitting/complex-series.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import { acquire, type Measurement, type RoutineContext } from '../routine.ts'
import { heraldedShots } from './heralded.ts'
import { resetNs } from './references.ts'

/** Bins of an acquisition memory: points times shots of one program. */
const MAX_BINS = 131_072

interface ShotOptions {
  /** Whether shots may begin with a reading instead of a long wait: their number is about that, then. */
  readonly mayHerald?: boolean
}

/** Every shot of each acquisition at each point, and what it started from. */
interface StartedShots {
  /** `[point][acquisition]` */
  readonly found: ComplexSeries[][]
  /** Whether each shot began with a reading instead of a wait. */
  readonly isHeralded: boolean
}

/** Measures every shot at each point; every schedule reads one qubit. */
export function* shotsOf(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
  options: ShotOptions = {},
): Measurement<ComplexSeries[]> {
  const { found } = yield* allShotsOf(context, points, shots, options)
  return found.map(([first]) => first ?? { re: [], im: [] })
}

/** Measures every shot of each acquisition at each point, split into programs that fit the memory. */
export function* allShotsOf(
  context: RoutineContext,
  points: readonly Schedule[],
  shots: number,
  { mayHerald = false }: ShotOptions = {},
): Measurement<StartedShots> {
  const waitNs = resetNs(context)
  const heralded = mayHerald ? yield* heraldedShots(context, points, { shots, waitNs }) : undefined
  if (heralded) return { found: heralded, isHeralded: true }
  const size = Math.max(1, Math.floor(MAX_BINS / shots))
  const found: ComplexSeries[][] = []
  for (let from = 0; from < points.length; from += size) {
    const part = points.slice(from, from + size)
    const results = yield* acquire({
      kind: 'shots' as const,
      shots,
      reset_ns: waitNs,
      points: part,
    })
    for (const point of results) found.push(point.map(({ i, q }) => ({ re: i, im: q })))
  }
  return { found, isHeralded: false }
}

/** A schedule that brings a qubit to a state: 0, 1, or 2 by way of 1. */
export function prepared(context: RoutineContext, state: number) {
  const { name } = context.self
  const schedule = context.schedule()
  if (state > 0) schedule.rotate(name, Math.PI)
  if (state > 1) schedule.rotate12(name, Math.PI)
  return schedule
}
