import { boundAbove } from '../../../fitting/models/benchmarking/decay-bound.ts'
import { fitProcess } from '../../../fitting/models/process-tomography.ts'
import { accepted } from '../../measure/accept.ts'
import { countsOf, jointReadout, readBoth } from '../../measure/pair/joint-readout.ts'
import { CORRECTED_GATE, JOINT_PRIORS } from '../../measure/pair/pair.ts'
import { allShotsOf } from '../../measure/shots.ts'
import { defineRoutine, type RoutineContext } from '../../routine.ts'

const SHOTS = 1_024
/** Standard errors that an error has to be above zero to be a value. */
const RESOLVED = 2
/** Angle and axis (rad) of the pulses that prepare 0, 1, + and +i. */
const PREPARATIONS = [
  [0, 0],
  [Math.PI, 0],
  [Math.PI / 2, Math.PI / 2],
  [-Math.PI / 2, 0],
] as const
/** The same of those that bring the axes x, y and z to the measured one. */
const BASES = [
  [-Math.PI / 2, Math.PI / 2],
  [Math.PI / 2, 0],
  [0, 0],
] as const

/**
 * Measures all that the gate does: 16 preparations of both qubits, each read in 9 bases. The fidelity
 * includes the errors of the pulses around the gate; those of the readout are corrected for.
 */
export const processTomography = defineRoutine({
  name: 'process_tomography',
  dependsOn: ['cz_local_phases'],
  reads: CORRECTED_GATE,
  priors: JOINT_PRIORS,
  needs: ['cz'],
  size: { points: PREPARATIONS.length ** 2 * BASES.length ** 2, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const readout = yield* jointReadout(context)
    const { assignments } = readout
    const bases = pairsOf(BASES)
    const points = pairsOf(PREPARATIONS).flatMap((preparation) =>
      bases.map((basis) => setting(context, preparation, basis)),
    )
    const { found } = yield* allShotsOf(context, points, context.shots(SHOTS), { mayHerald: true })
    const all = found.map((shots) => countsOf(shots, readout))
    const counts = PREPARATIONS.flatMap((_, left) =>
      PREPARATIONS.map((__, right) => {
        const first = (left * PREPARATIONS.length + right) * bases.length
        return all.slice(first, first + bases.length)
      }),
    )
    const { values, fit, quality } = accepted(yield* fitProcess({ counts, assignments }))
    const { value, error } = values.fidelity
    const fidelity = Math.min(1, value)
    const isResolved = 1 - value > RESOLVED * error
    return {
      benchmark: {
        metric: 'average_gate',
        ...(isResolved
          ? { fidelity, error: 1 - fidelity, fidelityError: error }
          : { upperBound: boundAbove({ value: 1 - value, error }) }),
        gateDuration: context.self.number('cz.square_duration'),
        rawData: { transfer: values.transfer },
      },
      trace: fit,
      quality: {
        ...quality,
        process_fidelity: values.process_fidelity.value,
        physical_fidelity: values.physical_fidelity.value,
      },
    }
  },
})

type Turn = readonly [angle: number, axis: number]

/** All pairs, the second of which changes fastest. */
function pairsOf(turns: readonly Turn[]): (readonly [Turn, Turn])[] {
  return turns.flatMap((left) => turns.map((right) => [left, right] as const))
}

function setting(context: RoutineContext, preparation: readonly [Turn, Turn], basis: readonly [Turn, Turn]) {
  const { parent, child, target } = context
  const schedule = context.schedule()
  schedule.rotate(parent.name, ...preparation[0]).rotate(child.name, ...preparation[1])
  schedule.cz(target)
  schedule.rotate(parent.name, ...basis[0]).rotate(child.name, ...basis[1])
  return readBoth(schedule, context)
}
