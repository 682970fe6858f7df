import type { Matrix } from '../../../../qasm/index.ts'
import type { Pulse } from '../../../pulse/schedule.ts'
import type { Player } from '../dynamics/evolve.ts'
import { type ExchangeKick, playedAt, type Stretch, stretchesOf } from '../dynamics/exchange.ts'
import { resolveKick } from '../dynamics/kick.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import { exchangeOf, kicksOf } from '../dynamics/play.ts'
import type { Gate } from '../dynamics/transmon.ts'

/** A transmon of a register whose frequency is drawn for each shot. */
export class NoisyPlayer {
  readonly player: Player
  /** Deviation of the phase that slow noise turns, rad. */
  readonly spread: number
  readonly #unitaries = new Map<number, Matrix[]>()

  /** @param seconds for how long slow noise turns its phase */
  constructor(player: Player, seconds: number) {
    this.player = player
    this.spread = 2 * Math.PI * player.transmon.slowNoise * seconds
  }

  /** When the pulses act, ns; the same for all offsets. */
  get times(): number[] {
    return this.#kicks(0).map(({ at }) => at)
  }

  /** What the pulses do to a transmon whose frequency is off by `offset` (Hz), in the order of `times`. */
  unitaries(offset: number): readonly Matrix[] {
    const known = this.#unitaries.get(offset)
    if (known) return known
    const unitaries = this.#kicks(offset).map((kick) => {
      const resolved = new Float64Array(2 * LEVELS * LEVELS)
      resolveKick(kick, resolved)
      return resolved
    })
    this.#unitaries.set(offset, unitaries)
    return unitaries
  }

  #kicks(offset: number) {
    const { transmon, arrivals, cache } = this.player
    return kicksOf(transmon, arrivals, offset, cache)
  }
}

/** The gate line of two transmons of a register. */
export class NoisyGate {
  /** Places of its ends in the register, that of higher frequency first. */
  readonly ends: readonly [number, number]
  readonly gate: Gate
  readonly pulses: readonly Pulse[]
  /** Deviation of the phase that slow noise of the gate turns, rad. */
  readonly spread: number
  readonly #players: readonly [NoisyPlayer, NoisyPlayer]
  /** For each pulse the first one that is equal to it but for its start and its phase. */
  readonly #models: readonly number[]
  readonly #stretches = new Map<string, readonly Stretch[]>()

  constructor(
    gate: Gate,
    pulses: readonly Pulse[],
    ends: readonly [number, number],
    players: readonly [NoisyPlayer, NoisyPlayer],
  ) {
    const seconds = 1e-9 * pulses.reduce((sum, { duration }) => sum + duration, 0)
    this.gate = gate
    this.ends = ends
    this.pulses = pulses
    this.spread = 2 * Math.PI * gate.slowNoise * seconds
    this.#players = players
    const contents = pulses.map(({ at: _, phase: __, ...content }) => JSON.stringify(content))
    this.#models = contents.map((content) => contents.indexOf(content))
  }

  /** What a pulse does with |20⟩ off by `offset` (Hz) against |11⟩, stretch by stretch. */
  kicks(which: number, offset: number): readonly ExchangeKick[] {
    const pulse = this.pulses[which]
    const [a, b] = this.#players
    if (!pulse) return []
    const exchange = exchangeOf(this.gate, a.player.transmon, b.player.transmon, pulse, offset)
    const key = `${this.#models[which]} ${offset}`
    const stretches = this.#stretches.get(key) ?? stretchesOf(exchange)
    this.#stretches.set(key, stretches)
    return playedAt(exchange, stretches)
  }
}
