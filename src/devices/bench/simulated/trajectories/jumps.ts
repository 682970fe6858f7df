import type { Rng } from '../../../../simulator/index.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Branch } from './branch.ts'
import { type Relaxation, strike } from './relax.ts'

/** A time in which a transmon is damped. */
export interface Risk {
  readonly which: number
  readonly relaxation: Relaxation
}

/** The risks of a register in the order of time. */
export class Risks {
  readonly #risks: readonly Risk[]
  /** Factors of the levels after a risk that struck. */
  readonly factors = new Float64Array(2 * LEVELS)
  /** Sum of the hazards up to each risk. */
  readonly #hazards: Float64Array

  constructor(risks: readonly Risk[]) {
    this.#risks = risks
    let sum = 0
    this.#hazards = Float64Array.from(risks, ({ relaxation }) => {
      sum += relaxation.hazard
      return sum
    })
  }

  at(index: number): Risk {
    return this.#risks[index] as Risk
  }

  get hazard(): number {
    return this.#hazards.at(-1) ?? 0
  }

  /** The next risk after one in which something is tried; one that does not exist when nothing is. */
  next(after: number, rng: Rng): number {
    const goal = (this.#hazards[after] ?? 0) - Math.log1p(-rng.next())
    let [low, high] = [after + 1, this.#hazards.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#hazards[middle] as number) > goal) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** The quantum jumps of one shot, as they are drawn; dephasing counts as one. */
export class ShotJumps {
  readonly #risks: Risks
  readonly #rng: Rng
  /** The risk in which something is tried next. */
  next: number
  /** Whether something has happened, so that the shot is no more as those without. */
  hasJumped = false

  constructor(risks: Risks, rng: Rng) {
    this.#risks = risks
    this.#rng = rng
    this.next = risks.next(-1, rng)
  }

  /**
   * Factors of the levels of a transmon that remain to be applied after a risk, until the next call.
   * @param settle brings the amplitudes up to date
   */
  factorsAfter(index: number, branch: Branch, settle: () => void): Float64Array {
    const { which, relaxation } = this.#risks.at(index)
    if (index !== this.next) return relaxation.kept
    this.next = this.#risks.next(index, this.#rng)
    const hasJumped = strike(branch.state, which, relaxation, this.#rng, this.#risks.factors, settle)
    this.hasJumped ||= hasJumped
    return this.#risks.factors
  }
}
