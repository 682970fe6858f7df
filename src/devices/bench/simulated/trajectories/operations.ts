import type { Matrix } from '../../../../qasm/index.ts'
import type { ExchangeKick } from '../dynamics/exchange.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Branch, InteractionTurn } from './branch.ts'
import type { Risk, ShotJumps } from './jumps.ts'
import type { NoisyGate, NoisyPlayer } from './members.ts'
import { IDENTITY, type PairOperator, PendingExchange, scaleColumns } from './pending.ts'
import type { Drawn } from './slow-noise.ts'

/** One thing that happens to a register. */
export interface Operation {
  readonly risks: readonly Risk[]
  /** Interactions that catch up before. */
  readonly turns: readonly InteractionTurn[]
  /** Transmons that it does more to than to turn phases. */
  readonly acts: readonly number[]
  /** Its effect where no risk strikes. */
  apply(branch: Branch, drawn: Drawn): void
  /**
   * The same with all that chance does meanwhile.
   * @param from place of its first risk among all of its register
   */
  applyWith(branch: Branch, drawn: Drawn, jumps: ShotJumps, from: number): void
}

/** What an operation waits for and risks. */
type Own = Pick<Operation, 'risks' | 'turns'>

/** A pulse of a transmon. */
export class Drive implements Operation {
  readonly risks: readonly Risk[]
  readonly turns: readonly InteractionTurn[]
  readonly acts: readonly number[]
  readonly #player: NoisyPlayer
  readonly #which: number
  readonly #index: number
  readonly #matrices = new Map<number, Matrix>()

  /** @param index of the pulse among those of its transmon */
  constructor(player: NoisyPlayer, which: number, index: number, { risks, turns }: Own) {
    this.risks = risks
    this.turns = turns
    this.acts = [which]
    this.#player = player
    this.#which = which
    this.#index = index
  }

  apply(branch: Branch, { players }: Drawn): void {
    branch.interact(this.turns)
    branch.pending[this.#which]?.push(this.#matrixAt(players[this.#which] ?? 0))
  }

  applyWith(branch: Branch, { players }: Drawn, jumps: ShotJumps, from: number): void {
    branch.interact(this.turns)
    const factors = jumps.factorsAfter(from, branch, () => branch.settle())
    branch.pending[this.#which]?.add(factors, this.#unitaryAt(players[this.#which] ?? 0))
  }

  #unitaryAt(offset: number): Matrix {
    return this.#player.unitaries(offset)[this.#index] as Matrix
  }

  /** The pulse with the damping before it. */
  #matrixAt(offset: number): Matrix {
    const known = this.#matrices.get(offset)
    if (known) return known
    const matrix = new Float64Array(2 * LEVELS * LEVELS)
    scaleColumns(this.#unitaryAt(offset), (this.risks[0] as Risk).relaxation.kept, matrix)
    this.#matrices.set(offset, matrix)
    return matrix
  }
}

/** The damping of a transmon until it is measured. */
export class Settling implements Operation {
  readonly risks: readonly Risk[]
  readonly turns: readonly InteractionTurn[]
  readonly acts: readonly number[]
  readonly #which: number

  constructor(which: number, { risks, turns }: Own) {
    this.risks = risks
    this.turns = turns
    this.acts = [which]
    this.#which = which
  }

  apply(branch: Branch): void {
    branch.interact(this.turns)
    this.#settle(branch, (this.risks[0] as Risk).relaxation.kept)
  }

  applyWith(branch: Branch, _: Drawn, jumps: ShotJumps, from: number): void {
    branch.interact(this.turns)
    this.#settle(
      branch,
      jumps.factorsAfter(from, branch, () => branch.settle()),
    )
  }

  #settle(branch: Branch, factors: Float64Array): void {
    branch.pending[this.#which]?.add(factors, IDENTITY)
    branch.settle()
  }
}

const exchanged = new PendingExchange()

/** A pulse of a coupler: all its stretches act as one, unless chance acts in between. */
export class Exchanging implements Operation {
  readonly risks: readonly Risk[]
  readonly turns: readonly InteractionTurn[]
  readonly acts: readonly number[]
  readonly #gate: NoisyGate
  readonly #place: readonly [gate: number, pulse: number]
  /** Turn of the interaction that never rests before each stretch, rad. */
  readonly #angles: readonly number[]
  readonly #operators = new Map<number, PairOperator>()

  /** @param own with the risks of both ends, that of higher frequency first, for each stretch */
  constructor(
    gate: NoisyGate,
    place: readonly [gate: number, pulse: number],
    angles: readonly number[],
    { risks, turns }: Own,
  ) {
    this.risks = risks
    this.turns = turns
    this.acts = gate.ends
    this.#gate = gate
    this.#place = place
    this.#angles = angles
  }

  apply(branch: Branch, drawn: Drawn): void {
    this.#begin(branch)
    const [high, low] = this.#gate.ends
    const { factors, block } = this.#operatorAt(this.#offsetOf(drawn))
    branch.state.applyPair(high, low, factors, block)
  }

  applyWith(branch: Branch, drawn: Drawn, jumps: ShotJumps, from: number): void {
    this.#begin(branch)
    const [high, low] = this.#gate.ends
    const flush = () => {
      exchanged.apply(branch.state, high, low)
      branch.settle()
    }
    for (const [index, kick] of this.#kicksAt(this.#offsetOf(drawn)).entries()) {
      const risk = from + 2 * index
      const ofHigh = jumps.factorsAfter(risk, branch, flush)
      exchanged.scale(ofHigh, UNCHANGED, 0)
      const ofLow = jumps.factorsAfter(risk + 1, branch, flush)
      exchanged.scale(UNCHANGED, ofLow, this.#angles[index] ?? 0)
      exchanged.add(kick)
    }
    flush()
  }

  #begin(branch: Branch): void {
    branch.interact(this.turns)
    branch.settle(this.#gate.ends)
  }

  #offsetOf({ gates }: Drawn): number {
    return gates[this.#place[0]] ?? 0
  }

  #kicksAt(offset: number): readonly ExchangeKick[] {
    return this.#gate.kicks(this.#place[1], offset)
  }

  /** The stretches with the damping and the interaction before each. */
  #operatorAt(offset: number): PairOperator {
    const known = this.#operators.get(offset)
    if (known) return known
    for (const [index, kick] of this.#kicksAt(offset).entries()) {
      const [ofHigh, ofLow] = [2 * index, 2 * index + 1].map((risk) => this.risks[risk] as Risk)
      exchanged.scale(
        (ofHigh as Risk).relaxation.kept,
        (ofLow as Risk).relaxation.kept,
        this.#angles[index] ?? 0,
      )
      exchanged.add(kick)
    }
    const operator = exchanged.take()
    this.#operators.set(offset, operator)
    return operator
  }
}

const UNCHANGED = Float64Array.of(1, 0, 1, 0, 1, 0)
