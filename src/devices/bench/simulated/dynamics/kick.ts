import type { Matrix } from '../../../../qasm/index.ts'
import { LEVELS } from './matrix.ts'

/** The effect of a stretch of a pulse in the interaction picture of a transmon, at one moment. */
export interface Kick {
  /** When it acts: the middle of its stretch, ns. */
  at: number
  /** The propagator in the frame of the carrier, and where the stretch lies (ns). */
  unitary: Matrix
  start: number
  duration: number
  turning: Turning
}

/** How the carrier of a pulse and the transmon turn against each other. */
interface Turning {
  /** Frequency of the transition 0–1 above the carrier, Hz. */
  detuning: number
  anharmonicity: number
  /** Phase of the drive at the start of the schedule, rad. */
  phase: number
}

const before = new Float64Array(2 * LEVELS)
const after = new Float64Array(2 * LEVELS)

/**
 * Moves the propagator of a stretch from the frame of its carrier to the interaction picture of the free
 * transmon, in which nothing changes between pulses.
 */
export function resolveKick({ unitary, start, duration, turning }: Kick, out: Matrix): void {
  setLevelFactors(before, turning, start * 1e-9)
  setLevelFactors(after, turning, (start + duration) * 1e-9)
  for (let row = 0; row < LEVELS; row++) {
    const ar = after[2 * row] as number
    const ai = after[2 * row + 1] as number
    for (let column = 0; column < LEVELS; column++) {
      const br = before[2 * column] as number
      const bi = before[2 * column + 1] as number
      const re = ar * br + ai * bi
      const im = ai * br - ar * bi
      const place = 2 * (row * LEVELS + column)
      const ur = unitary[place] as number
      const ui = unitary[place + 1] as number
      out[place] = ur * re - ui * im
      out[place + 1] = ur * im + ui * re
    }
  }
}

/** Factors of the levels between the two pictures at time `t` (s), real and imaginary parts alternating. */
function setLevelFactors(out: Float64Array, { detuning, anharmonicity, phase }: Turning, t: number): void {
  const turns = detuning * t
  const one = 2 * Math.PI * (turns - Math.round(turns)) - phase
  const extra = anharmonicity * t
  const two = 2 * one + 2 * Math.PI * (extra - Math.round(extra))
  out[0] = 1
  out[2] = Math.cos(one)
  out[3] = Math.sin(one)
  out[4] = Math.cos(two)
  out[5] = Math.sin(two)
}
