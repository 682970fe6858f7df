import type { Rng } from '../../../../simulator/index.ts'
import type { Pulse } from '../../../pulse/schedule.ts'
import { normalNodes } from '../dynamics/ensemble.ts'
import type { Player } from '../dynamics/evolve.ts'
import type { ExchangeKick } from '../dynamics/exchange.ts'
import { resolveKick } from '../dynamics/kick.ts'
import { LEVELS, type Matrix } from '../dynamics/matrix.ts'
import { gateKicks, kicksOf } from '../dynamics/play.ts'
import type { Gate } from '../dynamics/transmon.ts'

/** A value that slow noise may have during a shot, and its probability. */
interface Member {
  weight: number
  /** Hz. */
  offset: number
}

/** Draws one of some members; their weights add up to 1. */
export function drawMember(members: readonly Member[], rng: Rng): number {
  let rest = members.length > 1 ? rng.next() : 0
  for (let index = 0; index < members.length - 1; index++) {
    rest -= members[index]?.weight ?? 0
    if (rest < 0) return index
  }
  return members.length - 1
}

/** A transmon of a register whose frequency is drawn anew for each shot. */
export class NoisyPlayer {
  readonly player: Player
  readonly members: readonly Member[]
  readonly #unitaries = new Map<number, Matrix[]>()

  /** @param seconds for how long slow noise turns its phase */
  constructor(player: Player, seconds: number) {
    const { slowNoise, switching } = player.transmon
    this.player = player
    const shifts = switching === 0 ? [0] : [0, switching]
    this.members = normalNodes(2 * Math.PI * slowNoise * seconds).flatMap(({ weight, values }) =>
      shifts.map((shift) => ({
        weight: weight / shifts.length,
        offset: slowNoise * (values[0] ?? 0) + shift,
      })),
    )
  }

  /** When the pulses act, ns; the same for all members. */
  get times(): number[] {
    return this.#kicks(0).map(({ at }) => at)
  }

  /** What the pulses do to one member, in the order of `times`. */
  unitaries(member: number): readonly Matrix[] {
    const known = this.#unitaries.get(member)
    if (known) return known
    const unitaries = this.#kicks(member).map((kick) => {
      const resolved = new Float64Array(2 * LEVELS * LEVELS)
      resolveKick(kick, resolved)
      return resolved
    })
    this.#unitaries.set(member, unitaries)
    return unitaries
  }

  #kicks(member: number) {
    const { transmon, arrivals, cache } = this.player
    return kicksOf(transmon, arrivals, this.members[member]?.offset ?? 0, cache)
  }
}

/** The stretches of one pulse: the place of the first among all of its gate, and when each acts, ns. */
export interface Stretches {
  readonly from: number
  readonly times: readonly number[]
}

/** The gate line of two transmons of a register. */
export class NoisyGate {
  /** Places of its ends in the register, that of higher frequency first. */
  readonly ends: readonly [number, number]
  readonly gate: Gate
  readonly members: readonly Member[]
  readonly #pulses: readonly Pulse[]
  readonly #players: readonly [NoisyPlayer, NoisyPlayer]
  readonly #kicks = new Map<string, readonly ExchangeKick[]>()

  constructor(
    gate: Gate,
    pulses: readonly Pulse[],
    ends: readonly [number, number],
    players: readonly [NoisyPlayer, NoisyPlayer],
  ) {
    const seconds = 1e-9 * pulses.reduce((sum, { duration }) => sum + duration, 0)
    this.gate = gate
    this.ends = ends
    this.#pulses = pulses
    this.#players = players
    this.members = normalNodes(2 * Math.PI * gate.slowNoise * seconds).map(({ weight, values }) => ({
      weight,
      offset: gate.slowNoise * (values[0] ?? 0),
    }))
  }

  /** When the stretches of each of its pulses act; the same for all members. */
  get stretches(): Stretches[] {
    const times = this.kicks(0, 0, 0).map(({ at }) => at)
    let from = 0
    return this.#pulses.map(({ at, duration }) => {
      const own = times.filter((time) => time >= at && time < at + duration)
      from += own.length
      return { from: from - own.length, times: own }
    })
  }

  /** What the pulses do with one member of each end and one of its own, in the order of `stretches`. */
  kicks(high: number, low: number, own: number): readonly ExchangeKick[] {
    const key = `${high} ${low} ${own}`
    const known = this.#kicks.get(key)
    if (known) return known
    const [a, b] = this.#players
    const offset =
      (a.members[high]?.offset ?? 0) - (b.members[low]?.offset ?? 0) + (this.members[own]?.offset ?? 0)
    const kicks = this.#pulses.flatMap((pulse) =>
      gateKicks(this.gate, a.player.transmon, b.player.transmon, pulse, offset),
    )
    this.#kicks.set(key, kicks)
    return kicks
  }
}
