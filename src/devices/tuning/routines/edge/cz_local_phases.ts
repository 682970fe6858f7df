import type { AcceptedFit, Estimate } from '../../../fitting/fit.ts'
import { phaseDifference } from '../../../fitting/models/cosine.ts'
import { checkOf } from '../../measure/accept.ts'
import {
  degreesOf,
  fringePhases,
  fringesOf,
  type PhaseProbe,
  quickPhases,
} from '../../measure/pair/fringes.ts'
import { PAIR_GATE, PAIR_PRIORS } from '../../measure/pair/pair.ts'
import { defineRoutine, type ElementReader, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
const PHASES = 25
/** Phase left on a qubit at which the check is out. */
const MAX_PHASE_DEG = 5

/**
 * Measures the phase that each qubit acquires in the gate while the other is in 0: that of a fringe around
 * the gate less that of one around a wait of the same length. The correction is minus this phase.
 */
export const czLocalPhases = defineRoutine({
  name: 'cz_local_phases',
  dependsOn: ['cz_calibration'],
  reads: PAIR_GATE,
  priors: [...PAIR_PRIORS, 'cz.parent_phase_correction', 'cz.child_phase_correction'],
  writes: ['cz.parent_phase_correction', 'cz.child_phase_correction'],
  needs: ['cz'],
  size: { points: PHASES * 4, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const { target, self } = context
    const duration = self.number('cz.square_duration')
    const phases = fringePhases(context, PHASES)
    const corrections: Estimate[] = []
    const fits: AcceptedFit<unknown>[] = []
    for (const [qubit, other] of endsBothWays(context)) {
      const probes = [
        probeOf(qubit, other, (schedule) => schedule.delay(qubit.name, duration)),
        probeOf(qubit, other, (schedule) => schedule.cz(target, { isRaw: true })),
      ]
      const [off, on] = yield* fringesOf(context, probes, phases, SHOTS)
      if (!off || !on) throw new RoutineError('no_data', 'A fringe was not measured')
      const phase = phaseDifference(off.values.phase, on.values.phase)
      corrections.push({ value: degreesOf(-phase.value), error: (phase.error * 180) / Math.PI })
      fits.push(on)
    }
    const [ofParent, ofChild] = corrections
    const common = { unit: 'deg', checkLimit: MAX_PHASE_DEG }
    return {
      parameters: {
        ...(ofParent && { 'cz.parent_phase_correction': { ...ofParent, ...common } }),
        ...(ofChild && { 'cz.child_phase_correction': { ...ofChild, ...common } }),
      },
      ...(fits[0] && { trace: fits[0].fit, quality: fits[0].quality }),
    }
  },
  *check(context) {
    const errors: number[] = []
    for (const [qubit, other] of endsBothWays(context)) {
      const probe = probeOf(qubit, other, (schedule) => schedule.cz(context.target))
      const [phase = Number.NaN] = yield* quickPhases(context, [probe], 2 * SHOTS)
      errors.push(Math.abs(degreesOf(phase)))
    }
    return checkOf(Math.max(...errors), MAX_PHASE_DEG)
  },
})

function endsBothWays({ parent, child }: RoutineContext) {
  return [
    [parent, child],
    [child, parent],
  ] as const
}

function probeOf(qubit: ElementReader, other: ElementReader, between: PhaseProbe['between']): PhaseProbe {
  return { qubit, other, state: 0, between }
}
