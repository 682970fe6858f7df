import type { ScheduleBuilder } from '../../../pulse/builder.ts'
import type { RoutineContext } from '../../routine.ts'
import { TWO_STATE_PRIORS } from '../discrimination.ts'
import { DRIVE_PRIORS_OF_ENDS, DRIVEN_ENDS } from './ends.ts'

/** A gate of an edge as it is played, with calibrated pulses of both qubits. */
export const PAIR_GATE = ['cz.square_amp', 'cz.square_duration', ...DRIVEN_ENDS]

/** What an edge and its qubits may have beside that; a gate without carrier has no frequency. */
export const PAIR_PRIORS = ['clock_freqs.cz', ...DRIVE_PRIORS_OF_ENDS]

/** The gate with the corrections of the phases that it leaves on its qubits. */
export const CORRECTED_GATE = [...PAIR_GATE, 'cz.parent_phase_correction', 'cz.child_phase_correction']

/** What the joint readout of both qubits may use. */
export const JOINT_PRIORS = [...PAIR_PRIORS, ...TWO_STATE_PRIORS.map((path) => `end:${path}`)]

/** Brings both qubits of an edge to 0 or 1, ready for a gate at the same time. */
export function preparedPair(
  context: RoutineContext,
  states: readonly [parent: number, child: number],
): ScheduleBuilder {
  const { parent, child } = context
  return context
    .schedule()
    .rotate(parent.name, states[0] * Math.PI)
    .rotate(child.name, states[1] * Math.PI)
    .barrier(parent.name, child.name)
}
