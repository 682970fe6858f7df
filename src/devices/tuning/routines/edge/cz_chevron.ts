import { fitChevron } from '../../../fitting/models/cz.ts'
import { fitLorentzian } from '../../../fitting/models/lorentzian.ts'
import { accepted, onGrid, rounded } from '../../measure/accept.ts'
import { DRIVE_PRIORS_OF_ENDS, DRIVEN_ENDS, isParametric } from '../../measure/pair/ends.ts'
import { type GatePulse, remainders } from '../../measure/pair/exchange.ts'
import { gateFrequencies } from '../../measure/pair/gate-sweep.ts'
import { defineRoutine, type Measurement, type RoutineContext } from '../../routine.ts'
import { checkReturn } from './cz_parametrization.ts'

const SHOTS = 500
/** Half width of the sweep around the resonance, Hz, or as a share of the amplitude, and its points. */
const REACH_HZ = 5e6
const REACH_PART = 0.2
const POINTS = 25
/**
 * Where an amplitude is searched that the file has wrong: of full scale, in steps of 1.3 %, half the width of
 * a line 300 MHz from resonance. The mean over the durations (s) has no fringes.
 */
const SEARCH = { start: 0.1, stop: 1, points: 178 }
const SEARCH_DURATIONS = [96e-9, 148e-9, 228e-9, 352e-9]
/** Half width of the sweep around an amplitude that was searched, as a share of it. */
const FOUND_PART = 0.1
const DURATIONS = { start: 24e-9, stop: 424e-9, points: 26 }

/**
 * Fits the exchange of |11⟩ and |20⟩ over detuning and duration. On resonance |11⟩ is back after 1/(2g), the
 * length of the gate. A gate with a tone is detuned by its frequency, one without by its amplitude, for which
 * no routine before this one looks: where the first attempt sees nothing, the next ones search all of them.
 */
export const czChevron = defineRoutine({
  name: 'cz_chevron',
  dependsOn: ['cz_parametrization'],
  reads: [...DRIVEN_ENDS, 'clock_freqs.cz', 'cz.square_amp', 'bias.parking_current'],
  priors: [...DRIVE_PRIORS_OF_ENDS, 'cz.square_duration'],
  writes: ['cz.square_duration'],
  optionalWrites: ['clock_freqs.cz', 'cz.square_amp'],
  needs: ['cz'],
  size: { points: POINTS * DURATIONS.points, shots: SHOTS, firstPart: 1 / 2, heralds: 2 },
  *measure(context) {
    const { axis, values: swept, pulseAt } = yield* detuned(context)
    const durations = context.axis('duration', DURATIONS).values.map(onGrid)
    const left: number[] = []
    for (const duration of durations) {
      const pulses = Array.from(swept, (value): GatePulse => ({ ...pulseAt(value), duration }))
      left.push(...(yield* remainders(context, pulses, SHOTS)))
    }
    const { values, fit, quality } = accepted(yield* fitChevron(swept, durations, left, axis))
    const { center, exchange } = values
    const period = 1 / (2 * exchange.value)
    return {
      parameters: {
        'cz.square_duration': {
          ...rounded({ value: period, error: (period * exchange.error) / exchange.value }),
          unit: 's',
          checkLimit: period / 10,
        },
        ...(axis === 'frequency'
          ? { 'clock_freqs.cz': { ...center, unit: 'Hz', checkLimit: (2 * exchange.value) / 3 } }
          : { 'cz.square_amp': { ...center, checkLimit: center.value / 50 } }),
      },
      trace: fit,
      quality: { ...quality, exchange: exchange.value, contrast: values.contrast.value },
    }
  },
  *check(context) {
    return yield* checkReturn(context)
  },
})

/** The axis by which the gate of the edge is detuned, around its present value or a better one. */
function* detuned(context: RoutineContext) {
  const { self, attempt } = context
  const stored = self.number('cz.square_amp')
  if (isParametric(context)) {
    const center = self.number('clock_freqs.cz')
    const values = gateFrequencies(context, { center, half: REACH_HZ, points: POINTS })
    const pulseAt = (frequency: number) => ({ frequency, amplitude: stored })
    return { axis: 'frequency' as const, values, pulseAt }
  }
  const isFirst = attempt.number === 1
  const factor = isFirst ? 1 : (yield* searchedAmplitude(context, stored)) / stored
  const part = isFirst ? REACH_PART : FOUND_PART
  const range = { start: factor * (1 - part), stop: factor * (1 + part), points: POINTS }
  const values = context.axis('amplitude', range).values.map((each) => each * stored)
  return {
    axis: 'amplitude' as const,
    values,
    pulseAt: (amplitude: number) => ({ frequency: 0, amplitude }),
  }
}

/** The amplitude at which |11⟩ loses most to |20⟩: the center of a line over its square. */
function* searchedAmplitude(context: RoutineContext, stored: number): Measurement<number> {
  const [start, stop] = [SEARCH.start / stored, SEARCH.stop / stored]
  const range = { start, stop, points: SEARCH.points, scale: 'log' as const }
  const amplitudes = context.axis('amplitude', range).values.map((each) => each * stored)
  const sums = new Float64Array(amplitudes.length)
  for (const duration of SEARCH_DURATIONS) {
    const pulses = Array.from(amplitudes, (amplitude): GatePulse => ({ frequency: 0, amplitude, duration }))
    const left = yield* remainders(context, pulses, SHOTS)
    for (const [at, sum] of sums.entries()) sums[at] = sum + 1 - (left[at] ?? Number.NaN)
  }
  const lost = sums.map((sum) => sum / SEARCH_DURATIONS.length)
  const squares = amplitudes.map((amplitude) => amplitude ** 2)
  const { values } = accepted(yield* fitLorentzian(squares, lost, undefined, SQUARE))
  return Math.sqrt(values.center.value)
}

const SQUARE = { name: 'square of the amplitude', unit: '' }
