import type { Rng } from '../../../../simulator/index.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { NoisyPlayer } from './members.ts'

/** Where a transmon starts: a level, or `undefined` where that follows from the end of the shot before. */
export type StartLevel = number | undefined

/** The levels in which transmons start a shot: equilibrium, or what a short wait leaves of the last shot. */
export class StartLevels {
  readonly #players: readonly NoisyPlayer[]
  /** Populations of each transmon after the wait, `[to * 3 + from]`. */
  readonly #waits: readonly Float64Array[] | undefined
  /** The part of them that does not depend on the level before. */
  readonly #common: readonly Float64Array[]

  /** @param shortReset wait between shots after which populations are not yet those of equilibrium, ns */
  constructor(players: readonly NoisyPlayer[], shortReset: number | undefined) {
    this.#players = players
    this.#waits =
      shortReset === undefined
        ? undefined
        : players.map(({ player }) => player.damping.over(shortReset).populations)
    this.#common = (this.#waits ?? []).map((populations) =>
      Float64Array.from({ length: LEVELS }, (_, to) =>
        Math.min(...populations.subarray(to * LEVELS, (to + 1) * LEVELS)),
      ),
    )
  }

  /** @param isFirst without a shot before */
  draw(isFirst: boolean, rng: Rng): StartLevel[] {
    if (isFirst || this.#waits === undefined)
      return this.#players.map(({ player }) => (rng.next() < player.transmon.thermal ? 1 : 0))
    return this.#common.map((shares) => levelOf(shares, rng.next()))
  }

  /** The level that follows from that at the end of the shot before. */
  follow(which: number, from: number, rng: Rng): number {
    const [wait, common] = [this.#waits?.[which], this.#common[which]]
    const rest = Float64Array.from(
      { length: LEVELS },
      (_, to) => (wait?.[to * LEVELS + from] ?? 0) - (common?.[to] ?? 0),
    )
    const sum = rest.reduce((total, share) => total + share, 0)
    return levelOf(rest, rng.next() * sum) ?? rest.indexOf(Math.max(...rest))
  }
}

/** The level whose share a draw hits; undefined beyond all of them. */
function levelOf(shares: Float64Array, drawn: number): StartLevel {
  let rest = drawn
  const level = shares.findIndex((share) => {
    rest -= share
    return rest < 0
  })
  return level < 0 ? undefined : level
}
