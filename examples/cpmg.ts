/**
 * A routine of one's own: the coherence time with four refocusing pulses (Carr-Purcell-Meiboom-Gill, Rev.
 * Sci. Instrum. 29, 688, 1958). Name it in calibration.yml, relative to that file:
 *
 *     routines:
 *       ./cpmg.ts#cpmg: {after: t2_echo, shots: 2000, delay: {start: 0, stop: 80.0e-6, points: 41}}
 *
 * The program provides `svc/devices`; nothing has to be installed.
 */
import { accepted, defineRoutine, fitExponential, populations, type RoutineContext } from 'svc/devices'

const SHOTS = 1_000
const PULSES = 4
/** Window in units of the echo time, and where that is unknown, s. */
const WINDOW_IN_T2 = 4
const DEFAULT_WINDOW_S = 100e-6
/** Instruments place pulses on a grid, s. */
const GRID_S = 4e-9

export const cpmg = defineRoutine({
  name: 'cpmg',
  kind: 'qubit',
  // What has to be known: a qubit whose value is missing is reported, and the routine does not run on it.
  reads: ['clock_freqs.f01', 'rxy.amp180'],
  priors: ['coherence.t2_echo'],
  // The device file has no such parameter: it is reported, and kept in the history of the server.
  optionalWrites: ['coherence.t2_cpmg'],
  axes: { delay: { unit: 's', min: 0, max: 1 } },
  size: { points: 41, shots: SHOTS },
  *measure(context) {
    const echo = context.self.optional('coherence.t2_echo')
    const stop = echo === undefined ? DEFAULT_WINDOW_S : WINDOW_IN_T2 * echo
    const waits = context
      .axis('delay', { start: 0, stop, points: 41 })
      .values.map((delay) => Math.round(delay / (2 * PULSES * GRID_S)) * GRID_S)
    const delays = waits.map((wait) => 2 * PULSES * wait)
    const points = Array.from(waits, (wait) => refocused(context, wait))
    // Fails the routine on this qubit unless the fit passes all tests; another attempt may follow.
    const { values, fit, quality } = accepted(
      yield* fitExponential(delays, yield* populations(context, points, SHOTS)),
    )
    return { parameters: { 'coherence.t2_cpmg': { ...values.decay, unit: 's' } }, trace: fit, quality }
  },
})

/** X90, the pulses about Y with `wait` before and after each, X90: a coherent qubit ends in state 1. */
function refocused({ self, schedule }: RoutineContext, wait: number) {
  const builder = schedule().rotate(self.name, Math.PI / 2)
  for (let pulse = 0; pulse < PULSES; pulse++) {
    builder
      .delay(self.name, wait)
      .rotate(self.name, Math.PI, Math.PI / 2)
      .delay(self.name, wait)
  }
  return builder
    .rotate(self.name, Math.PI / 2)
    .measure(self.name)
    .build()
}
