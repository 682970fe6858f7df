import { discriminate, separationScore } from '../../../fitting/models/clouds.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { statesAt, TWO_STATE_PRIORS } from '../../measure/discrimination.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { linewidthOf } from '../../measure/resonator-lines.ts'
import { defineRoutine, RoutineError } from '../../routine.ts'
import {
  bestOperatingPoint,
  type OperatingPointScan,
  operatingPointValues,
  sizeOfScan,
} from './operating-point.ts'

const SCAN: OperatingPointScan = {
  states: 2,
  shots: 1_000,
  farLines: ['resonator.readout_1'],
  reach: 1.5,
  frequencies: 11,
  amplitudes: { start: 0.25, stop: 1.4, points: 9 },
}
const MIN_FIDELITY = 0.8
/** A score of a few shots varies by the number of decays among them: with 2,000 by 5 %, with 300 by 20 %. */
const CHECK_SHOTS = 2_000
/** Smallest score of the stored point, relative to the best of its neighbors. */
const CHECK_SHARE = 0.8

/**
 * Finds the frequency and the power at which readout separates states 0 and 1 best, beside those of the
 * largest magnitude, which other routines use and which stay as they are.
 */
export const roTwoStateOptimization = defineRoutine({
  name: 'ro_two_state_optimization',
  dependsOn: ['resonator_spectroscopy_1'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, ...TWO_STATE_PRIORS, 'resonator.linewidth', 'resonator.readout_1'],
  writes: ['measure_2state.frequency', 'measure_2state.pulse_amp'],
  needs: ['measure_2state'],
  isReadAlone: true,
  size: sizeOfScan(SCAN),
  *measure(context) {
    const best = yield* bestOperatingPoint(context, SCAN)
    const choice = { frequency: best.frequency.value, amplitude: best.amplitude.value }
    const [states = []] = yield* statesAt(context, [choice], SCAN)
    const read = accepted(yield* discriminate(states[0] ?? NOTHING, states[1] ?? NOTHING))
    const fidelity = read.values.fidelity.value
    const details = { ...(best.trace && { trace: best.trace }), quality: { ...best.quality, fidelity } }
    if (!(fidelity > MIN_FIDELITY)) {
      const message = `The assignment fidelity at the best point is ${fidelity.toFixed(3)}; needed is ${MIN_FIDELITY}`
      throw new RoutineError('no_signal', message, details)
    }
    return { parameters: operatingPointValues(context, 'measure_2state', best), ...details }
  },
  *check(context) {
    const frequency = context.self.number('measure_2state.frequency')
    const amplitude = context.self.number('measure_2state.pulse_amp')
    const step = linewidthOf(context) / 2
    const choices = [
      { frequency, amplitude },
      { frequency: frequency - step, amplitude },
      { frequency: frequency + step, amplitude },
    ]
    const found = yield* statesAt(context, choices, { states: 2, shots: CHECK_SHOTS })
    const [stored = 0, ...beside] = found.map(separationScore)
    const best = Math.max(stored, ...beside)
    return checkOf(1 - stored / best, 1 - CHECK_SHARE)
  },
})

const NOTHING = { re: [], im: [] }
