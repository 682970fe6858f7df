import type { RoutineContext } from '../../routine.ts'
import { gateGap, isParametric, orderedEnds } from './ends.ts'
import type { GatePulse } from './exchange.ts'

/** How the gate of an edge is brought to a distance from its resonance. */
export interface GateDrive {
  /** Path and unit of what is tuned. */
  readonly path: 'clock_freqs.cz' | 'cz.square_amp'
  readonly unit: 'Hz' | ''
  /** Its present value. */
  readonly value: number
  /** Change of the distance from resonance (Hz) per change of the value. */
  readonly slope: number
  /** The gate with another value. */
  pulseAt(value: number): GatePulse
}

/**
 * A gate with a tone is tuned by its frequency; one without by its amplitude, whose square brings the states
 * 11 and 20 together that are apart without the pulse.
 */
export function gateDrive(context: RoutineContext): GateDrive {
  const { self } = context
  if (isParametric(context)) {
    const value = self.number('clock_freqs.cz')
    const pulseAt = (frequency: number) => ({ frequency })
    return { path: 'clock_freqs.cz', unit: 'Hz', value, slope: 1, pulseAt }
  }
  const value = self.number('cz.square_amp')
  const slope = (2 * gateGap(orderedEnds(context))) / value
  const pulseAt = (amplitude: number) => ({ frequency: 0, amplitude })
  return { path: 'cz.square_amp', unit: '', value, slope, pulseAt }
}
