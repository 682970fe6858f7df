import type { ScheduleBuilder } from '../../../pulse/builder.ts'
import type { Measurement, RoutineContext } from '../../routine.ts'
import { populations } from '../references.ts'
import { forQubit, orderedEnds } from './ends.ts'

/** A gate pulse with values other than those of the device file. */
export type GatePulse = NonNullable<Parameters<ScheduleBuilder['cz']>[1]>

/** A schedule that brings both qubits of an edge to state 1. */
function bothTurned(context: RoutineContext): ScheduleBuilder {
  const [parent, child] = [context.parent.name, context.child.name]
  return context.schedule().rotate(parent, Math.PI).rotate(child, Math.PI).barrier(parent, child)
}

/**
 * Measures the population that is left in |11⟩ after each gate pulse, or `count` of them. The exchange with
 * |20⟩ empties state 1 of the lower qubit, so that qubit alone is read: no state 2 is involved, nor the
 * readout of a neighbor.
 */
export function* remainders(
  context: RoutineContext,
  pulses: readonly GatePulse[],
  shots: number,
  count = 1,
): Measurement<Float64Array> {
  const { low } = orderedEnds(context)
  const points = pulses.map((pulse) => {
    const schedule = bothTurned(context)
    for (let played = 0; played < count; played++) schedule.cz(context.target, { ...pulse, isRaw: true })
    return schedule.measure(low.name).build()
  })
  return yield* populations(forQubit(context, low), points, shots)
}
