import type { AcceptedFit, Estimate } from '../../../fitting/fit.ts'
import { fitFringe } from '../../../fitting/models/cosine.ts'
import type { ScheduleBuilder } from '../../../pulse/builder.ts'
import type { Schedule } from '../../../pulse/schedule.ts'
import type { ElementReader, Measurement, RoutineContext } from '../../routine.ts'
import { accepted } from '../accept.ts'
import { populations } from '../references.ts'
import { forQubit } from './ends.ts'

const DEGREE = Math.PI / 180

/** A Ramsey experiment of one qubit of an edge around something that may turn its phase. */
export interface PhaseProbe {
  /** The qubit whose phase is measured. */
  readonly qubit: ElementReader
  /** The other qubit of the edge, and its state, 0 or 1. */
  readonly other: ElementReader
  readonly state: 0 | 1
  /** What happens between the two quarter turns. */
  between(schedule: ScheduleBuilder): void
}

/** What {@link fitFringe} finds. */
type Fringe = AcceptedFit<Record<'phase' | 'contrast' | 'offset', Estimate>>

/** Phases of the second quarter turn of a fringe, rad; `points` by default over a whole turn. */
export function fringePhases(context: RoutineContext, points: number): Float64Array {
  const stop = 360 - 360 / points
  return context.axis('phase', { start: 0, stop, points }).values.map((phase) => phase * DEGREE)
}

/** Measures a fringe of each probe, all of one qubit. @throws RoutineError when a fringe shows no phase. */
export function* fringesOf(
  context: RoutineContext,
  probes: readonly PhaseProbe[],
  phases: Float64Array,
  shots: number,
): Measurement<Fringe[]> {
  const qubit = probes[0]?.qubit ?? context.parent
  const points = probes.flatMap((probe) => Array.from(phases, (phase) => probed(context, probe, phase)))
  const found = yield* populations(forQubit(context, qubit), points, shots)
  const fringes: Fringe[] = []
  for (const at of probes.keys()) {
    const part = found.subarray(at * phases.length, (at + 1) * phases.length)
    fringes.push(accepted(yield* fitFringe(phases, part)))
  }
  return fringes
}

/** The phase of each probe (rad) from two quadratures, all of one qubit: a quick look. */
export function* quickPhases(
  context: RoutineContext,
  probes: readonly PhaseProbe[],
  shots: number,
): Measurement<number[]> {
  const qubit = probes[0]?.qubit ?? context.parent
  const points = probes.flatMap((probe) => [0, Math.PI / 2].map((phase) => probed(context, probe, phase)))
  const found = yield* populations(forQubit(context, qubit), points, shots)
  return probes.map((_, at) =>
    Math.atan2(2 * (found[2 * at + 1] ?? Number.NaN) - 1, 2 * (found[2 * at] ?? Number.NaN) - 1),
  )
}

function probed(context: RoutineContext, probe: PhaseProbe, phase: number): Schedule {
  const [qubit, other] = [probe.qubit.name, probe.other.name]
  const schedule = context
    .schedule()
    .rotate(other, probe.state * Math.PI)
    .barrier(qubit, other)
    .rotate(qubit, Math.PI / 2)
    .barrier(qubit, other)
  probe.between(schedule)
  return schedule
    .barrier(qubit, other)
    .rotate(qubit, Math.PI / 2, phase)
    .measure(qubit)
    .build()
}

/** An angle in (-180, 180] degrees of one in rad. */
export function degreesOf(angle: number): number {
  const turns = angle / (2 * Math.PI)
  return 360 * (turns - Math.ceil(turns - 0.5))
}
