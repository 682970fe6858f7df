import type { Matrix } from '../../../../qasm/index.ts'
import { LEVELS } from './matrix.ts'

/** Rates of a transmon, 1/s. */
export interface DampingRates {
  /** 1 → 0; 2 → 1 is twice as fast. */
  down: number
  /** 0 → 1. */
  up: number
  /** Decay of the coherence 0–1; at least half of `down` and `up` together. */
  dephasing: number
}

/** Damping over some time: `populations[to * 3 + from]`, and factors of coherences, `[row * 3 + column]`. */
export interface DampingStep {
  populations: Float64Array
  coherences: Float64Array
}

const MAX_STEPS_KEPT = 4096

/** Damping steps of a transmon by their duration, which are few in a program. */
export class Damping {
  readonly rates: DampingRates
  readonly #steps = new Map<number, DampingStep>()

  constructor(rates: DampingRates) {
    this.rates = rates
  }

  /** @param duration ns */
  over(duration: number): DampingStep {
    const known = this.#steps.get(duration)
    if (known) return known
    const step = dampingStep(this.rates, duration * 1e-9)
    if (this.#steps.size >= MAX_STEPS_KEPT) this.#steps.clear()
    this.#steps.set(duration, step)
    return step
  }
}

function dampingStep({ down, up, dephasing }: DampingRates, t: number): DampingStep {
  // What level noise adds to the loss of populations grows with the square of the distance of two levels.
  const pure = Math.max(0, dephasing - (down + up) / 2)
  const losses = [up, down, 2 * down]
  const coherences = new Float64Array(LEVELS * LEVELS)
  for (const [row, loss] of losses.entries()) {
    for (const [column, other] of losses.entries()) {
      const rate = pure * (row - column) ** 2 + (row === column ? 0 : (loss + other) / 2)
      coherences[row * LEVELS + column] = Math.exp(-t * rate)
    }
  }
  return { populations: transferOver(down, up, t), coherences }
}

/** exp of the rate matrix of the ladder 0 ⇄ 1 ← 2, in closed form. */
function transferOver(down: number, up: number, t: number): Float64Array {
  const total = down + up
  const kept = Math.exp(-total * t)
  const equilibrium = total > 0 ? up / total : 0
  const from0 = equilibrium * (1 - kept)
  const from1 = equilibrium + (1 - equilibrium) * kept
  const stays2 = Math.exp(-2 * down * t)
  // Level 2 feeds level 1, which relaxes meanwhile: the convolution of both decays.
  const slope = up - down
  const fed = Math.abs(slope) * t < 1e-9 ? t * kept : (stays2 - kept) / slope
  const to1 = from0 + (2 * down - up) * fed
  return new Float64Array([1 - from0, 1 - from1, 1 - stays2 - to1, from0, from1, to1, 0, 0, stays2])
}

/** Applies a step to the density matrix of one transmon. */
export function damp(rho: Matrix, { populations, coherences }: DampingStep): void {
  const p0 = rho[0] as number
  const p1 = rho[8] as number
  const p2 = rho[16] as number
  for (let k = 0; k < coherences.length; k++) {
    const factor = coherences[k] as number
    rho[2 * k] = (rho[2 * k] as number) * factor
    rho[2 * k + 1] = (rho[2 * k + 1] as number) * factor
  }
  for (let level = 0; level < LEVELS; level++) {
    const row = level * LEVELS
    rho[8 * level] =
      (populations[row] as number) * p0 +
      (populations[row + 1] as number) * p1 +
      (populations[row + 2] as number) * p2
  }
}
