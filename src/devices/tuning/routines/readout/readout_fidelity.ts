import { DISCRIMINATION_PRIORS, storedShares } from '../../measure/discrimination.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { defineRoutine, RoutineError } from '../../routine.ts'

const SHOTS = 5_000
/** Difference of the assigned shares, in standard errors, below which the readout shows no state. */
const MIN_DIFFERENCE = 5

/**
 * Measures how often states 0 and 1 are assigned correctly by the stored discriminator, and how often 0 is
 * read as 1 beside the tones of the other qubits of the line.
 */
export const readoutFidelity = defineRoutine({
  name: 'readout_fidelity',
  dependsOn: ['two_state_discrimination'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, ...DISCRIMINATION_PRIORS],
  isReadAlone: true,
  // Where others share the line, beside their tones too.
  size: { points: 3, shots: SHOTS },
  *measure(context) {
    const [zero, one, beside] = yield* storedShares(context, SHOTS)
    const shots = context.shots(SHOTS)
    const fidelity = 1 - (zero + 1 - one) / 2
    const fidelityError = Math.sqrt((zero * (1 - zero) + one * (1 - one)) / shots) / 2
    // Laplace's rule keeps the error of a share of 0 or 1 from vanishing.
    const error = Math.max(fidelityError, 1 / (shots + 2))
    if (!(one - zero > 2 * MIN_DIFFERENCE * error)) {
      throw new RoutineError('no_signal', 'States 0 and 1 are assigned alike')
    }
    const assignment = [
      [1 - zero, zero],
      [1 - one, one],
    ]
    const isShared = context.lineMatesOf(context.target).length > 0
    return {
      benchmark: {
        metric: 'assignment',
        fidelity,
        error: 1 - fidelity,
        fidelityError: error,
        rawData: { assignment, ...(isShared && { one_beside_tones: beside }) },
      },
      quality: { points: 2 * shots },
    }
  },
})
