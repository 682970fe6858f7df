import { projectOnPrincipalAxis } from '../../../fitting/complex-series.ts'
import { fitStep } from '../../../fitting/models/step.ts'
import { accepted, checkOf, rounded } from '../../measure/accept.ts'
import { SETTLING_T1 } from '../../measure/inputs.ts'
import { resetNs } from '../../measure/references.ts'
import { linewidthOf } from '../../measure/resonator-lines.ts'
import { acquire, defineRoutine, type RoutineContext } from '../../routine.ts'

const SHOTS = 1_000
const WINDOW_S = 2e-6
/** A sequencer opens the window a little after it has started the pulse, never with it, s. */
const DELAY_S = 4e-9
/** Distance from the resonator, in line widths, at which a pulse passes it unchanged. */
const DISTANCE = 8
/** Change of the arrival at which the check is out, s: four of its standard errors. */
const CHECK_LIMIT_S = 24e-9

/**
 * Measures when a readout pulse arrives: the window of later acquisitions starts there. The pulse is beside
 * the line of the resonator, which would give it another shape.
 */
export const timeOfFlight = defineRoutine({
  name: 'time_of_flight',
  dependsOn: ['resonator_spectroscopy'],
  reads: ['clock_freqs.readout', 'measure.pulse_amp'],
  priors: ['measure.acq_delay', 'resonator.linewidth', 'reset.duration', 'coherence.t1', SETTLING_T1],
  writes: ['measure.acq_delay'],
  size: { points: 1, shots: SHOTS },
  *measure(context) {
    const { values, fit, quality } = yield* arrival(context)
    const found = { ...rounded(values.arrival), unit: 's', checkLimit: CHECK_LIMIT_S }
    return { parameters: { 'measure.acq_delay': found }, trace: fit, quality }
  },
  *check(context) {
    const { values } = yield* arrival(context)
    return checkOf(values.arrival.value - context.self.number('measure.acq_delay'), CHECK_LIMIT_S)
  },
})

/** When a readout pulse beside the line arrives, in a trace of its signal. */
function* arrival(context: RoutineContext) {
  const { name, number } = context.self
  const [window = WINDOW_S] = context.axis('duration', [WINDOW_S]).values
  const frequency = number('clock_freqs.readout') + DISTANCE * linewidthOf(context)
  const schedule = context
    .schedule()
    .measure(name, { frequency, duration: window, delay: DELAY_S, window })
    .build()
  const shots = context.shots(SHOTS)
  const results = yield* acquire({
    kind: 'trace' as const,
    shots,
    reset_ns: resetNs(context),
    points: [schedule],
  })
  const { i, q } = results[0]?.[0] ?? { i: [], q: [] }
  const { values: signal } = projectOnPrincipalAxis({ re: i, im: q })
  const times = Array.from(i, (_, at) => DELAY_S + at * 1e-9)
  return accepted(yield* fitStep(times, signal, { name: 'signal', unit: 'V' }))
}
