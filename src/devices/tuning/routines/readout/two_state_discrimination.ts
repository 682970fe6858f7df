import { discriminate } from '../../../fitting/models/clouds.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { DISCRIMINATION_PRIORS, discriminatorPaths, storedShares } from '../../measure/discrimination.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { aloneAndBeside, TONE_SHIFTS, toneShifts } from '../../measure/tone-shifts.ts'
import { defineRoutine, type RoutineContext } from '../../routine.ts'

const SHOTS = 5_000
const CHECK_SHOTS = 500
/** Loss of fidelity against the stored assignment, without one the infidelity: the check is out above. */
const MAX_LOSS = 0.02
const MAX_INFIDELITY = 0.1

/**
 * Finds the rotation (degrees) and the threshold (V) that assign a shot to state 0 or 1, at the point of best
 * separation: after the rotation, the real part of state 1 is the larger. Where other qubits share the
 * readout line, it finds by how much the threshold moves with the tone of each.
 */
export const twoStateDiscrimination = defineRoutine({
  name: 'two_state_discrimination',
  dependsOn: ['ro_duration_optimization', 'n_rabi_oscillations'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, ...DISCRIMINATION_PRIORS, 'measure_2state.assignment'],
  optionalWrites: [
    'measure_2state.acq_rotation',
    'measure_2state.acq_threshold',
    'measure_2state.assignment',
    TONE_SHIFTS,
    'measure.acq_rotation',
    'measure.acq_threshold',
  ],
  isReadAlone: true,
  // Where others share the line, beside their tones too.
  size: { points: 3, shots: SHOTS },
  *measure(context) {
    const [zero, one, beside] = yield* aloneAndBeside(context, SHOTS)
    const { values, fit, quality } = accepted(yield* discriminate(zero ?? NOTHING, one ?? NOTHING))
    const paths = discriminatorPaths(context)
    const { rotation, threshold, assignment, fidelity } = values
    const shifts = zero && beside && (yield* toneShifts(context, { zero, beside, rotation: rotation.value }))
    return {
      parameters: {
        [paths.rotation]: { ...rotation, unit: 'deg', checkLimit: 10 },
        [paths.threshold]: { ...threshold, unit: 'V' },
        ...(context.self.has('measure_2state.assignment') && {
          'measure_2state.assignment': { value: assignment, error: fidelity.error },
        }),
        ...(shifts && { [TONE_SHIFTS]: { value: shifts, error: threshold.error, unit: 'V' } }),
      },
      trace: fit,
      quality: { ...quality, fidelity: fidelity.value },
    }
  },
  *check(context) {
    const [zero, one, beside] = yield* storedShares(context, CHECK_SHOTS)
    // Jobs read the qubits of a line together: what the tones of the others do counts as well.
    const infidelity = (Math.max(zero, beside) + 1 - one) / 2
    const stored = storedInfidelity(context)
    // A qubit that decays while it is read out is as good as it was.
    if (stored === undefined) return checkOf(infidelity, MAX_INFIDELITY)
    return checkOf(Math.max(0, infidelity - stored), MAX_LOSS)
  },
})

const NOTHING = { re: [], im: [] }

/** Mean of the off-diagonal entries of the stored assignment. */
function storedInfidelity({ self }: RoutineContext): number | undefined {
  const [zero, one] = self.table('measure_2state.assignment') ?? []
  if (!Array.isArray(zero) || !Array.isArray(one)) return undefined
  const mean = (Number(zero[1]) + Number(one[0])) / 2
  return Number.isFinite(mean) ? mean : undefined
}
