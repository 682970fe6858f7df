import type { Rng } from '../../../../simulator/index.ts'
import { fewMembers, normalNodes } from '../dynamics/ensemble.ts'
import type { NoisyGate, NoisyPlayer } from './members.ts'

/** What slow noise makes of a register during a shot. */
export interface Drawn {
  /** Offsets of the frequencies of the transmons, Hz. */
  readonly players: readonly number[]
  /** Offsets of |20⟩ against |11⟩ of the ends of each gate, with those of the transmons, Hz. */
  readonly gates: readonly number[]
}

/** Values that some variables may have together, Hz, and their probability. */
interface Member {
  readonly weight: number
  readonly offsets: readonly number[]
}

/**
 * Draws slow noise. Little of it has few members for the whole register, so that many shots have the same;
 * more of it is drawn for each transmon and gate.
 */
export class SlowNoise {
  readonly #players: readonly NoisyPlayer[]
  readonly #gates: readonly NoisyGate[]
  /** One member of each set is drawn, and they add up. */
  readonly #sets: readonly (readonly Member[])[]

  constructor(players: readonly NoisyPlayer[], gates: readonly NoisyGate[]) {
    this.#players = players
    this.#gates = gates
    const scales = [
      ...players.map(({ player }) => player.transmon.slowNoise),
      ...gates.map(({ gate }) => gate.slowNoise),
    ]
    const spreads = [...players, ...gates].map(({ spread }) => spread)
    const few = fewMembers(spreads)
    const each = () =>
      spreads.map((spread, axis) =>
        normalNodes(spread).map(({ weight, values: [value = 0] }) => ({
          weight,
          values: spreads.map((_, other) => (other === axis ? value : 0)),
        })),
      )
    this.#sets = (few ?? each()).map((members) =>
      members.map(({ weight, values }) => ({
        weight,
        offsets: scales.map((scale, index) => scale * (values[index] ?? 0)),
      })),
    )
  }

  /** How many different draws there are. */
  get members(): number {
    const switching = this.#players.filter(({ player }) => player.transmon.switching !== 0).length
    return 2 ** switching * this.#sets.reduce((product, members) => product * members.length, 1)
  }

  draw(rng: Rng): Drawn {
    const drawn = this.#sets.map((members) => drawMember(members, rng))
    const offsetOf = (variable: number) =>
      drawn.reduce((sum, { offsets }) => sum + (offsets[variable] ?? 0), 0)
    const players = this.#players.map(({ player: { transmon } }, which) => {
      const isSwitched = transmon.switching !== 0 && rng.next() < 0.5
      return offsetOf(which) + (isSwitched ? transmon.switching : 0)
    })
    const gates = this.#gates.map(({ ends: [high, low] }, index) => {
      return (players[high] ?? 0) - (players[low] ?? 0) + offsetOf(players.length + index)
    })
    return { players, gates }
  }
}

/** Draws one of some members; their weights add up to 1. */
function drawMember(members: readonly Member[], rng: Rng): Member {
  let rest = members.length > 1 ? rng.next() : 0
  const found = members.find(({ weight }) => {
    rest -= weight
    return rest < 0
  })
  return found ?? (members.at(-1) as Member)
}
