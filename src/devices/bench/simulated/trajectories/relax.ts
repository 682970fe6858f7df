import type { Rng } from '../../../../simulator/index.ts'
import type { Damping } from '../dynamics/damping.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { StateVector } from './state-vector.ts'

/** The damping of a transmon over a time, as one of its courses is drawn. */
export interface Relaxation {
  /** Populations after that time, `[to * 3 + from]`. */
  transfer: Float64Array
  /** Probability of each level that no jump happens. */
  survival: Float64Array
  /** Its square root: what is left of an amplitude. */
  kept: Float64Array
  /** Largest probability that a level is left. */
  largestLoss: number
  /** Deviation of the random turn of level 1, rad; level 2 turns by twice as much. */
  spread: number
}

/** @param duration ns */
export function relaxationOver(damping: Damping, duration: number): Relaxation {
  const { down, up, dephasing } = damping.rates
  const seconds = duration * 1e-9
  const survival = Float64Array.from([up, down, 2 * down], (rate) => Math.exp(-rate * seconds))
  const pure = Math.max(0, dephasing - (down + up) / 2)
  return {
    transfer: damping.over(duration).populations,
    survival,
    kept: survival.map(Math.sqrt),
    largestLoss: 1 - Math.min(...survival),
    spread: Math.sqrt(2 * pure * seconds),
  }
}

const populations = new Float64Array(LEVELS)

/**
 * Draws one course of the damping of a transmon over a time: either a jump, which projects it, or none, which
 * leaves factors of its levels in `factors` for the caller to apply. `settle` brings the state up to date
 * where that matters. The mean over all courses is the step of `dynamics/damping.ts`: the operators are those
 * of Dalibard, Castin and Mølmer (Phys. Rev. Lett. 68, 580, 1992) summed over the time, and dephasing is a
 * random turn of the levels.
 */
export function relax(
  state: StateVector,
  which: number,
  relaxation: Relaxation,
  rng: Rng,
  factors: Float64Array,
  settle: () => void,
): void {
  const { kept, largestLoss, spread } = relaxation
  const angle = spread > 0 ? spread * rng.normal() : 0
  const drawn = rng.next()
  if (drawn < largestLoss) {
    settle()
    if (hasJumped(state, which, relaxation, drawn, rng)) {
      factors.set(NOTHING)
      return
    }
  }
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  factors[0] = kept[0] as number
  factors[1] = 0
  factors[2] = (kept[1] as number) * cos
  factors[3] = (kept[1] as number) * sin
  factors[4] = (kept[2] as number) * (cos * cos - sin * sin)
  factors[5] = (kept[2] as number) * 2 * cos * sin
}

const NOTHING = Float64Array.of(1, 0, 1, 0, 1, 0)

/** Whether a jump was drawn, which is then made. */
function hasJumped(
  state: StateVector,
  which: number,
  { transfer, survival }: Relaxation,
  drawn: number,
  rng: Rng,
): boolean {
  state.populationsOf(which, populations)
  const norm = populations.reduce((sum, population) => sum + population, 0)
  let rest = drawn * norm
  for (let from = 0; from < LEVELS; from++) {
    const population = populations[from] as number
    const lost = 1 - (survival[from] as number)
    rest -= population * lost
    if (rest >= 0 || population === 0) continue
    let whither = rng.next() * lost
    let to = 0
    for (; to < LEVELS - 1; to++) {
      whither -= (transfer[LEVELS * to + from] as number) - (to === from ? (survival[from] as number) : 0)
      if (whither < 0) break
    }
    state.project(which, from, to, population)
    return true
  }
  return false
}

/** Draws the level of a transmon and projects it on that. */
export function measure(state: StateVector, which: number, rng: Rng): number {
  state.populationsOf(which, populations)
  const norm = populations.reduce((sum, population) => sum + population, 0)
  let rest = rng.next() * norm
  let level = 0
  for (; level < LEVELS - 1; level++) {
    rest -= populations[level] as number
    if (rest < 0) break
  }
  // What rounding leaves of the draw may end on a level that nothing occupies.
  if (populations[level] === 0) level = populations.indexOf(Math.max(...populations))
  state.project(which, level, level, populations[level] as number)
  return level
}
