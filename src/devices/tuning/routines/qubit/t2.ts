import { squaresAboutMean } from '../../../fitting/acceptance.ts'
import type { FitTrace } from '../../../fitting/fit.ts'
import { apartText, beatOf } from '../../../fitting/models/beating.ts'
import { fitFringeDecay } from '../../../fitting/models/fringe-decay.ts'
import { findDecay, saneMean } from '../../measure/decay-window.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, RoutineError } from '../../routine.ts'

const SHOTS = 2_000
const POINTS = 61
const DEFAULT_T2_STAR_S = 15e-6
/** The window in units of a known T2*. */
const WINDOW_IN_T2 = 3
/** Fringes in the window: enough to tell the decay from the oscillation. */
const FRINGES = 5
/** Root mean square of fringes from their mean that are still seen. */
const VISIBLE = 0.15
/** T2* is at most 2 T1; an estimate may exceed that by this many standard errors. */
const MAX_SIGMAS = 3

/**
 * Measures T2*: the time after which 1/e of the fringes is left that a drive shows which is detuned by a few
 * of them. They may decay exponentially, as a Gaussian or as the product of both.
 */
export const t2 = defineRoutine({
  name: 't2',
  dependsOn: ['ramsey_correction', 't1'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'coherence.t2_star'],
  optionalWrites: ['coherence.t2_star'],
  size: { points: POINTS, shots: SHOTS, firstPart: 1 / 4, heralds: 1 },
  *measure(context) {
    const { self } = context
    const { name } = self
    const known = self.optional('coherence.t2_star') ?? DEFAULT_T2_STAR_S
    const t1 = self.optional('coherence.t1')
    const stored = self.number('clock_freqs.f01')
    // How far the qubit is above that, as the windows so far have shown; it matters in long ones.
    let offset = 0
    function* measure(delays: Float64Array) {
      const last = delays.at(-1) ?? WINDOW_IN_T2 * known
      const [detuning = 0] = context.axis('detuning', [FRINGES / last]).values
      const frequency = stored + offset - detuning
      const points = Array.from(delays, (delay) =>
        context
          .schedule()
          .rotate(name, Math.PI / 2, 0, { frequency })
          .delay(name, delay)
          .rotate(name, Math.PI / 2, 0, { frequency })
          .measure(name)
          .build(),
      )
      const signal = yield* populations(context, points, SHOTS)
      const fit = yield* fitFringeDecay(delays, signal, {
        implausible({ decay }) {
          if (t1 === undefined || decay.value - MAX_SIGMAS * decay.error <= 2 * t1) return undefined
          return `T2* of ${decay.value} s is above 2 T1 = ${2 * t1} s`
        },
      })
      const isSeen = fit.ok || fit.code === 'edge_of_sweep'
      offset += (isSeen ? (frequencyOf(fit.fit) ?? detuning) : detuning) - detuning
      return { fit, signal, hint: hintOf(signal) }
    }
    const search = { points: POINTS, start: 4e-9, window: WINDOW_IN_T2 * known, measure }
    const { fit: accepted, signal, delays } = yield* findDecay(context, search)
    const { values, fit, quality } = accepted
    const fringe = { times: delays, signal, frequency: values.frequency.value }
    const distances = yield* beatOf([{ ...fringe, decay: values.decay.value }])
    if (distances) {
      const message = `The fringes beat: two frequencies are ${apartText(distances)}`
      throw new RoutineError('unresolved', message, { trace: fit, quality })
    }
    const { value: share } = values.exponential_share
    return {
      parameters: { 'coherence.t2_star': { ...values.decay, unit: 's' } },
      trace: fit,
      quality: { ...quality, exponential_share: share },
    }
  },
})

/** The frequency of fringes, also of those whose decay was not accepted, Hz. */
function frequencyOf(trace: FitTrace | undefined): number | undefined {
  return trace?.kind === 'line' ? trace.params?.['frequency']?.[0] : undefined
}

/** Fringes that still oscillate at the end decay later than the window, others before they are seen. */
function hintOf(signal: Float64Array): 'later' | 'earlier' | undefined {
  if (saneMean(signal) === undefined) return undefined
  const end = signal.slice(Math.floor((2 * signal.length) / 3))
  return Math.sqrt(squaresAboutMean(end) / end.length) > VISIBLE ? 'later' : 'earlier'
}
