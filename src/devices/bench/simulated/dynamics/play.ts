import type { Pulse } from '../../../pulse/schedule.ts'
import type { Exchange } from './exchange.ts'
import type { Kick } from './kick.ts'
import type { PropagatorCache } from './propagator-cache.ts'
import type { Gate, Transmon } from './transmon.ts'

/** A pulse on its way to a transmon: a leak of a neighbor arrives with a fraction of its amplitude. */
export interface Arrival {
  pulse: Pulse
  share: number
}

/** Kicks of the pulses that reach a transmon whose frequency is off by `offset` (Hz). */
export function kicksOf(
  transmon: Transmon,
  arrivals: readonly Arrival[],
  offset: number,
  cache: PropagatorCache,
): Kick[] {
  const kicks: Kick[] = []
  for (const { pulse, share } of arrivals) {
    const { amplitude } = pulse
    const detuning = transmon.f01 + offset - pulse.frequency
    const chunks = cache.get({
      detuning,
      anharmonicity: transmon.anharmonicity,
      rabi: transmon.rabi * share * amplitude * (1 - transmon.compression * amplitude * amplitude),
      envelope: pulse.envelope,
      quadrature: transmon.quadrature * transmon.hand,
      duration: pulse.duration,
    })
    const turning = { detuning, anharmonicity: transmon.anharmonicity, phase: transmon.hand * pulse.phase }
    for (const { at, duration, unitary } of chunks) {
      const start = pulse.at + at
      kicks.push({ at: start + duration / 2, unitary, start, duration, turning })
    }
  }
  return kicks
}

/** A pulse of the gate line as its pair feels it, with |20⟩ off by `offset` (Hz) against |11⟩. */
export function exchangeOf(gate: Gate, a: Transmon, b: Transmon, pulse: Pulse, offset: number): Exchange {
  const { amplitude } = pulse
  const square = amplitude * amplitude
  const difference = a.f01 - b.f01 + a.anharmonicity + offset
  const sign = Math.sign(difference) || 1
  const isTone = pulse.frequency > 0
  const isFelt = isTone === (gate.kind === 'parametric')
  return {
    coupling: isFelt ? gate.coupling * (isTone ? amplitude : 1) : 0,
    isProportional: isTone,
    detuning: difference + sign * (gate.offset - pulse.frequency),
    shift: sign * gate.shift * square,
    starkA: gate.starkA * square,
    starkB: gate.starkB * square,
    phase: sign * pulse.phase,
    envelope: pulse.envelope,
    distortion: isTone ? undefined : gate.distortion,
    start: pulse.at,
    duration: pulse.duration,
  }
}
