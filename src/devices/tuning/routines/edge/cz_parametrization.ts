import { fitCzSpectroscopy } from '../../../fitting/models/cz.ts'
import { accepted, checkOf, onGrid } from '../../measure/accept.ts'
import { DRIVE_PRIORS_OF_ENDS, DRIVEN_ENDS, gateGap, orderedEnds } from '../../measure/pair/ends.ts'
import { type GatePulse, remainders } from '../../measure/pair/exchange.ts'
import { gateFrequencies } from '../../measure/pair/gate-sweep.ts'
import { defineRoutine, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 500
const AMPLITUDES = { start: 0.1, stop: 0.95, points: 21 }
/** Half width of the sweep around the gap by attempt, Hz, and its points. */
const REACH = [
  { half: 15e6, points: 25 },
  { half: 30e6, points: 49 },
] as const
/** Lengths of the pulses, s: the mean over them is that of a driven transition, without its fringes. */
const DURATIONS = [96e-9, 148e-9, 228e-9, 352e-9]
/** Shortest gate to aim at, s, and share of the sweep that its resonance keeps from its ends. */
const SHORTEST_GATE_S = 60e-9
const MARGIN = 0.1
/**
 * The check plays the gate this often, because one alone hides what it misses in second order; and one alone,
 * because three return as well at 4/3 of its rate.
 */
const CHECK_GATES = 3
/** Part of the population that may be missing then. */
const MAX_LOSS = 0.1
/** Part of it that may stay after half a gate. */
const MAX_STAY = 0.5
const CHECK_SHOTS = 2_000

/**
 * Finds the frequency at which a tone on the coupler exchanges |11⟩ and |20⟩, and the amplitude of the gate.
 * A stronger tone exchanges faster and moves the resonance; the strongest one that is seen inside the sweep
 * and does not make the gate shorter than 60 ns is chosen.
 */
export const czParametrization = defineRoutine({
  name: 'cz_parametrization',
  dependsOn: ['coupler_anticrossing', 'two_state_discrimination', 'qubit_12_spectroscopy'],
  reads: [...DRIVEN_ENDS, 'end:clock_freqs.f12', 'bias.parking_current'],
  priors: [...DRIVE_PRIORS_OF_ENDS, 'clock_freqs.cz', 'cz.square_amp', 'cz.square_duration'],
  writes: ['clock_freqs.cz', 'cz.square_amp'],
  needs: ['clock_freqs.cz'],
  size: { points: 21 * 25 * DURATIONS.length, shots: SHOTS, firstPart: 1 / 8, heralds: 2 },
  *measure(context) {
    const gap = gateGap(orderedEnds(context))
    const { half, points } = REACH[Math.min(context.attempt.number, REACH.length) - 1] ?? REACH[0]
    const frequencies = gateFrequencies(context, { center: gap, half, points })
    const amplitudes = context.axis('amplitude', AMPLITUDES).values
    const transfer: number[] = []
    for (const amplitude of amplitudes) {
      const pulses = Array.from(frequencies).flatMap((frequency) =>
        DURATIONS.map((duration): GatePulse => ({ frequency, amplitude, duration })),
      )
      const left = yield* remainders(context, pulses, SHOTS)
      for (const at of frequencies.keys()) transfer.push(1 - meanOf(left, at * DURATIONS.length))
    }
    const { values, fit, quality } = accepted(yield* fitCzSpectroscopy(frequencies, amplitudes, transfer))
    const { resonance, shift, exchange } = values
    const amplitude = amplitudeFor(frequencies, amplitudes, (each) => ({
      resonance: resonance.value + shift.value * each ** 2,
      duration: 1 / (2 * exchange.value * each),
    }))
    return {
      parameters: {
        'clock_freqs.cz': {
          value: resonance.value + shift.value * amplitude ** 2,
          unit: 'Hz',
          error: Math.hypot(resonance.error, shift.error * amplitude ** 2),
          // The contrast of the exchange falls by a tenth.
          checkLimit: (2 * exchange.value * amplitude) / 3,
        },
        'cz.square_amp': { value: amplitude, checkLimit: amplitude / 20 },
      },
      trace: fit,
      quality: { ...quality, gap, resonance: resonance.value, exchange: exchange.value },
    }
  },
  *check(context) {
    return yield* checkReturn(context)
  },
})

/**
 * Checks whether |11⟩ returns to itself in the stored gates, and leaves in half of one: far from resonance it
 * would stay.
 */
export function* checkReturn(context: RoutineContext) {
  const duration = onGrid(context.self.number('cz.square_duration') / 2)
  const [half = Number.NaN, one = Number.NaN] = yield* remainders(context, [{ duration }, {}], CHECK_SHOTS)
  const [all = Number.NaN] = yield* remainders(context, [{}], CHECK_SHOTS, CHECK_GATES)
  return checkOf(Math.max(half / MAX_STAY, (1 - Math.min(one, all)) / MAX_LOSS), 1)
}

function meanOf(values: Float64Array, from: number): number {
  return values.slice(from, from + DURATIONS.length).reduce((sum, each) => sum + each / DURATIONS.length, 0)
}

/** The largest swept amplitude whose resonance is well inside the sweep and whose gate is not too short. */
function amplitudeFor(
  frequencies: Float64Array,
  amplitudes: Float64Array,
  gateAt: (amplitude: number) => { resonance: number; duration: number },
): number {
  const [least, most] = [Math.min(...frequencies), Math.max(...frequencies)]
  const margin = MARGIN * (most - least)
  const usable = amplitudes.filter((amplitude) => {
    const { resonance, duration } = gateAt(amplitude)
    return resonance > least + margin && resonance < most - margin && duration >= SHORTEST_GATE_S
  })
  if (usable.length > 0) return Math.max(...usable)
  throw new RoutineError('edge_of_sweep', 'At no amplitude is the resonance of the gate inside the sweep')
}
