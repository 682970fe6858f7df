import { fitExponential } from '../../../fitting/models/exponential.ts'
import { accepted, checkOf, onGrid } from '../../measure/accept.ts'
import { findDecay, saneMean } from '../../measure/decay-window.ts'
import { DRIVE_PRIORS, DRIVEN, SETTLING_T1 } from '../../measure/inputs.ts'
import { MIN_RESET_IN_T1, notesOnReset, populations, resetNs, settlingT1 } from '../../measure/references.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine, type RoutineContext } from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 41
const DEFAULT_WINDOW_S = 200e-6
/** The window in units of a known T1. */
const WINDOW_IN_T1 = 5
/** Longest deviation of the population after one T1 from 1/e. */
const CHECK_LIMIT = 0.12
/** Relative change of T1 that causes it. */
const RELATIVE_LIMIT = 0.3

/** Measures the relaxation time: the population that is left some time after a pi pulse. */
export const t1 = defineRoutine({
  name: 't1',
  dependsOn: ['rabi_oscillations'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  optionalWrites: ['coherence.t1'],
  size: { points: POINTS, shots: SHOTS, firstPart: 1 / 2 },
  *measure(context) {
    const known = settlingT1(context.self)
    function* measure(delays: Float64Array, t1 = longestShown(delays, known)) {
      const points = Array.from(delays, (delay) => decayed(context, delay))
      const found = yield* populations(context, points, SHOTS, TRANSITION_01, { t1 })
      return { fit: yield* fitExponential(delays, found), hint: hintOf(found) }
    }
    // Where nothing is known, the wait of the device file is some five T1.
    const usual = Math.max(DEFAULT_WINDOW_S, (context.self.optional('reset.duration') ?? 0) / 2)
    const window = known === undefined ? usual : WINDOW_IN_T1 * known
    const search = yield* findDecay(context, { points: POINTS, start: 0, window, measure })
    const rough = search.fit.values.decay.value
    // A qubit that has not relaxed before the next shot seems to relax in another time.
    const isMixed = resetNs(context) * 1e-9 < MIN_RESET_IN_T1 * rough
    const last = isMixed ? accepted((yield* measure(search.delays, rough)).fit) : search.fit
    const { values, fit, quality } = last
    const { decay } = values
    const checkLimit = RELATIVE_LIMIT * decay.value
    return {
      parameters: { 'coherence.t1': { ...decay, unit: 's', checkLimit } },
      assumed: { [SETTLING_T1]: Math.max(decay.value, known ?? 0) },
      trace: fit,
      quality,
      notes: notesOnReset(context, decay.value),
    }
  },
  *check(context) {
    const delay = onGrid(context.self.number('coherence.t1'))
    const [left = Number.NaN] = yield* populations(context, [decayed(context, delay)], SHOTS)
    return checkOf(left - Math.exp(-1), CHECK_LIMIT)
  },
})

/** The wait between shots grows with the window: a qubit that cannot relax in between shows no T1. */
function longestShown(delays: Float64Array, known = 0): number {
  return Math.max(known, (delays.at(-1) ?? 0) / WINDOW_IN_T1)
}

/**
 * A population that stays near 1 decays later than the window, one near 0 before its second point. One that
 * is nothing but noise may be that of a qubit that does not relax between shots.
 */
function hintOf(found: Float64Array): 'later' | 'earlier' {
  const mean = saneMean(found)
  return mean === undefined || mean > 0.5 ? 'later' : 'earlier'
}

function decayed(context: RoutineContext, delay: number) {
  const { name } = context.self
  return context.schedule().rotate(name, Math.PI).delay(name, delay).measure(name).build()
}
