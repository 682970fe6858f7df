import { beatOf } from '../../../fitting/models/beating.ts'
import { fitDampedCosine } from '../../../fitting/models/damped-cosine.ts'
import { accepted, onGrid } from '../../measure/accept.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
const DEFAULT_T2_STAR_S = 15e-6
/** The window in units of a known T2*, and the factor by which it changes when it does not fit. */
const WINDOW_IN_T2 = 3
const STEP = 2.5
/** Fringes in the window: enough to tell the decay from the oscillation. */
const FRINGES = 5
/** T2* is at most 2 T1; an estimate may exceed that by this many standard errors. */
const MAX_SIGMAS = 3

/** Measures T2*: how long Ramsey fringes last, of a drive that is detuned by a few fringes. */
export const t2 = defineRoutine({
  name: 't2',
  dependsOn: ['ramsey_correction', 't1'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'coherence.t1', 'coherence.t2_star'],
  optionalWrites: ['coherence.t2_star'],
  size: { points: 61, shots: SHOTS },
  *measure(context) {
    const { self, attempt } = context
    const known = self.optional('coherence.t2_star') ?? DEFAULT_T2_STAR_S
    const power = attempt.failures.includes('edge_of_sweep') ? 1 : -attempt.failures.length
    const stop = WINDOW_IN_T2 * known * STEP ** power
    const delays = context.axis('delay', { start: 4e-9, stop, points: 61 }).values.map(onGrid)
    const last = delays.at(-1) ?? stop
    const [detuning = 0] = context.axis('detuning', [FRINGES / last]).values
    const frequency = self.number('clock_freqs.f01') - detuning
    const { name } = self
    const points = Array.from(delays, (delay) =>
      context
        .schedule()
        .rotate(name, Math.PI / 2, 0, { frequency })
        .delay(name, delay)
        .rotate(name, Math.PI / 2, 0, { frequency })
        .measure(name)
        .build(),
    )
    const found = yield* populations(context, points, SHOTS)
    const t1 = self.optional('coherence.t1')
    const { values, fit, quality } = accepted(
      yield* fitDampedCosine(delays, found, {
        wanted: 'decay',
        implausible({ decay }) {
          if (t1 === undefined || decay.value - MAX_SIGMAS * decay.error <= 2 * t1) return undefined
          return `T2* of ${decay.value} s is above 2 T1 = ${2 * t1} s`
        },
      }),
    )
    const fringe = { times: delays, signal: found, frequency: values.frequency.value }
    const distance = yield* beatOf([{ ...fringe, decay: values.decay.value }])
    if (distance !== undefined) {
      const message = `The fringes beat: two frequencies are ${Math.round(distance / 1e3)} kHz apart`
      throw new RoutineError('unresolved', message, { trace: fit, quality })
    }
    return { parameters: { 'coherence.t2_star': { ...values.decay, unit: 's' } }, trace: fit, quality }
  },
})
