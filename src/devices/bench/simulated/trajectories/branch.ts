import type { Rng } from '../../../../simulator/index.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import { PendingTurn } from './pending.ts'
import { StateVector } from './state-vector.ts'

/** Turns of the levels of two transmons by an angle (rad) times the product of their numbers. */
export interface InteractionTurn {
  readonly ends: readonly [number, number]
  readonly angle: number
}

/** The state of a register during a shot, or during many that have had the same jumps and outcomes so far. */
export class Branch {
  readonly state: StateVector
  /** What the amplitudes of each transmon have not been moved by yet. */
  readonly pending: readonly PendingTurn[]
  readonly #populations = new Float64Array(LEVELS)

  constructor(transmons: number) {
    this.state = new StateVector(transmons)
    this.pending = Array.from({ length: transmons }, (_, which) => new PendingTurn(which))
  }

  /**
   * Every transmon in a level.
   * @param isAside without amplitudes until they join
   */
  start(levels: ArrayLike<number>, isAside: boolean): void {
    if (isAside) this.state.setAside(levels)
    else this.state.set(levels)
    for (const pending of this.pending) pending.clear()
  }

  /** Gives amplitudes to transmons that stand aside. */
  join(joining: readonly number[]): void {
    for (const which of joining) this.state.join(which)
  }

  copy(other: Branch): void {
    this.state.copy(other.state)
    for (let which = 0; which < this.pending.length; which++)
      this.pending[which]?.copy(other.pending[which] as PendingTurn)
  }

  /** Moves the amplitudes by all that happened to some transmons; without them, to all. */
  settle(which?: readonly number[]): void {
    const count = which?.length ?? this.pending.length
    for (let place = 0; place < count; place++) this.pending[which?.[place] ?? place]?.apply(this.state)
  }

  interact(turns: readonly InteractionTurn[]): void {
    for (let index = 0; index < turns.length; index++) {
      const { ends, angle } = turns[index] as InteractionTurn
      const [one, other] = ends
      const [ofOne, ofOther] = [this.state.levelAside(one), this.state.levelAside(other)]
      if (ofOne === undefined && ofOther === undefined) {
        this.settle(ends)
        this.state.turnProducts(one, other, angle)
      } else if (ofOne === undefined) this.pending[one]?.turn(angle * (ofOther ?? 0))
      else if (ofOther === undefined) this.pending[other]?.turn(angle * ofOne)
    }
  }

  /** Draws the level of a settled transmon for each of some shots. */
  drawLevels(which: number, shots: number, rng: Rng): number[] {
    const populations = this.#populations
    this.state.populationsOf(which, populations)
    const norm = populations.reduce((sum, population) => sum + population, 0)
    return Array.from({ length: shots }, () => {
      let rest = rng.next() * norm
      const level = populations.findIndex((population) => {
        rest -= population
        return rest < 0
      })
      // What rounding leaves of the draw ends on the level that most occupy.
      return level < 0 ? populations.indexOf(Math.max(...populations)) : level
    })
  }

  /** Draws the level of a transmon to which nothing more happens, and leaves it aside in it. */
  leave(which: number, rng: Rng): number {
    this.pending[which]?.apply(this.state)
    const [level = 0] = this.drawLevels(which, 1, rng)
    this.state.leave(which, level, this.#populations[level] as number)
    return level
  }

  /** Projects a transmon on a level in which it was found. */
  project(which: number, level: number): void {
    this.state.populationsOf(which, this.#populations)
    this.state.project(which, level, level, this.#populations[level] as number)
  }
}
