import type { Rng } from '../../../../simulator/index.ts'
import type { Damping } from '../dynamics/damping.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { StateVector } from './state-vector.ts'

/** The damping of a transmon over a time, as one of its branches is drawn. */
export interface Relaxation {
  /** Populations after that time, `[to * 3 + from]`. */
  readonly transfer: Float64Array
  /** Probability of each level that no jump happens. */
  readonly survival: Float64Array
  /** Pure dephasing: the coherence of levels m and n falls by exp(−dephasing · (m − n)²). */
  readonly dephasing: number
  /** What is left of the amplitudes when nothing happens; real and imaginary parts alternate. */
  readonly kept: Float64Array
  /** Largest probability that a level is left, and that its dephasing shows. */
  readonly largestLoss: number
  readonly largestDephasing: number
  /** −ln of the probability that neither is even tried. */
  readonly hazard: number
}

/** A probability of 1 would have no logarithm. */
const MAX_HAZARD = 40

/** @param duration ns */
export function relaxationOver(damping: Damping, duration: number): Relaxation {
  const { down, up, dephasing: total } = damping.rates
  const seconds = duration * 1e-9
  const survival = Float64Array.from([up, down, 2 * down], (rate) => Math.exp(-rate * seconds))
  const dephasing = Math.max(0, total - (down + up) / 2) * seconds
  const kept = new Float64Array(2 * LEVELS)
  for (const [level, share] of survival.entries())
    kept[2 * level] = Math.sqrt(share) * Math.exp(-dephasing * level ** 2)
  const largestLoss = 1 - Math.min(...survival)
  const largestDephasing = -Math.expm1(-2 * dephasing * (LEVELS - 1) ** 2)
  const hazard = -Math.log1p(-largestLoss) + 2 * dephasing * (LEVELS - 1) ** 2
  return {
    transfer: damping.over(duration).populations,
    survival,
    dephasing,
    kept,
    largestLoss,
    largestDephasing,
    hazard: Math.min(hazard, MAX_HAZARD),
  }
}

const populations = new Float64Array(LEVELS)

/**
 * Draws what happens to a transmon in a time in which something was tried: a jump, which projects it, its
 * dephasing, or nothing after all. Returns whether something happened; what remains to be applied is written
 * to `factors`. The mean over all branches is the step of `dynamics/damping.ts`: the operators are those of
 * Dalibard, Castin and Mølmer (Phys. Rev. Lett. 68, 580, 1992) summed over the time. Those of dephasing are
 * √((2g)^k / k!) n^k exp(−g n²) with n the number of the level and g its strength; k = 0 is `kept`.
 * @param settle brings the state up to date
 */
export function strike(
  state: StateVector,
  which: number,
  relaxation: Relaxation,
  rng: Rng,
  factors: Float64Array,
  settle: () => void,
): boolean {
  const { survival, kept, largestLoss, largestDephasing } = relaxation
  const tried = 1 - (1 - largestLoss) * (1 - largestDephasing)
  const drawn = rng.next() * tried
  settle()
  state.populationsOf(which, populations)
  const isJump = drawn < largestLoss
  if (isJump && hasJumped(state, which, relaxation, drawn, rng)) {
    factors.set(NOTHING)
    return true
  }
  factors.set(kept)
  if (isJump && rng.next() >= largestDephasing) return false
  for (let level = 0; level < LEVELS; level++)
    populations[level] = (populations[level] as number) * (survival[level] as number)
  return hasDephased(relaxation, rng, factors)
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

/** Whether an operator of dephasing other than `kept` acts, once tried; it is multiplied to `factors`. */
function hasDephased({ dephasing, largestDephasing }: Relaxation, rng: Rng, factors: Float64Array): boolean {
  const norm = populations.reduce((sum, population) => sum + population, 0)
  let rest = rng.next() * largestDephasing * norm
  const strengths = Float64Array.from(populations, (_, level) => 2 * dephasing * level ** 2)
  const weights = strengths.map((strength, level) => Math.exp(-strength) * (populations[level] as number))
  for (let k = 1; k <= MAX_ORDER; k++) {
    let order = 0
    for (let level = 0; level < LEVELS; level++) {
      weights[level] = ((weights[level] as number) * (strengths[level] as number)) / k
      order += weights[level] as number
    }
    rest -= order
    if (rest >= 0) continue
    for (let level = 0; level < LEVELS; level++)
      factors[2 * level] = (factors[2 * level] as number) * level ** k
    return true
  }
  return false
}

/** Orders of dephasing beyond which nothing is left, up to a strength of 10. */
const MAX_ORDER = 200
