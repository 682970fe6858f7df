import { assignToCenters, fitClouds } from '../../../fitting/models/clouds.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { assertSignal, statesAt, THREE_STATE_PRIORS } from '../../measure/discrimination.ts'
import { DRIVE_12_PRIORS, DRIVEN_12 } from '../../measure/inputs.ts'
import { defineRoutine, RoutineError } from '../../routine.ts'
import {
  bestOperatingPoint,
  type OperatingPointScan,
  operatingPointValues,
  sizeOfScan,
} from './operating-point.ts'

const SCAN: OperatingPointScan = {
  states: 3,
  shots: 1_000,
  farLines: ['resonator.readout_2', 'resonator.readout_1'],
  reach: 2,
  frequencies: 9,
  amplitudes: { start: 0.4, stop: 1.4, points: 7 },
}
const SHOTS = 5_000
const CHECK_SHOTS = 2_000
/** Loss of the worst diagonal entry of the assignment at which the check is out. */
const MAX_LOSS = 0.03

/**
 * Finds the readout point at which the closest two of the states 0, 1 and 2 are separated best, and the
 * centers of their shots there.
 */
export const threeStateDiscrimination = defineRoutine({
  name: 'three_state_discrimination',
  dependsOn: ['n_rabi_12_oscillations', 'resonator_spectroscopy_2'],
  reads: DRIVEN_12,
  priors: [
    ...DRIVE_12_PRIORS,
    ...THREE_STATE_PRIORS,
    'resonator.linewidth',
    'resonator.readout_1',
    'resonator.readout_2',
    ...['centroids', 'assignment'].map((key) => `measure_3state.${key}`),
  ],
  writes: ['measure_3state.frequency', 'measure_3state.pulse_amp'],
  optionalWrites: ['measure_3state.centroids', 'measure_3state.assignment'],
  needs: ['measure_3state', 'r12'],
  isReadAlone: true,
  size: sizeOfScan(SCAN),
  *measure(context) {
    const best = yield* bestOperatingPoint(context, SCAN)
    const choice = { frequency: best.frequency.value, amplitude: best.amplitude.value }
    const [states = []] = yield* statesAt(context, [choice], { states: 3, shots: SHOTS })
    const { values, fit, quality } = accepted(yield* fitClouds(states))
    return {
      parameters: {
        ...operatingPointValues(context, 'measure_3state', best),
        'measure_3state.centroids': { value: values.centroids, unit: 'V' },
        'measure_3state.assignment': { value: values.assignment },
      },
      trace: fit,
      quality: { ...quality, ...best.quality },
    }
  },
  *check(context) {
    const centers = context.self.table('measure_3state.centroids')?.map(pointOf)
    const assignment = context.self.table('measure_3state.assignment')
    if (!centers || !assignment) throw new RoutineError('not_set', 'No three states were measured')
    const [states = []] = yield* statesAt(context, [{}], { states: 3, shots: CHECK_SHOTS })
    assertSignal(states)
    const losses = assignToCenters(states, centers).map(
      (shares, state) => entryOf(assignment[state], state) - (shares[state] ?? Number.NaN),
    )
    return checkOf(Math.max(0, ...losses), MAX_LOSS)
  },
})

function entryOf(row: unknown, at: number): number {
  return Array.isArray(row) ? Number(row[at]) : Number.NaN
}

function pointOf(row: unknown): [number, number] {
  return [entryOf(row, 0), entryOf(row, 1)]
}
