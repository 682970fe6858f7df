import type { InteractionTurn } from './branch.ts'
import type { Risk } from './jumps.ts'
import type { NoisyGate, NoisyPlayer } from './members.ts'
import { Drive, Exchanging, type Operation, Settling } from './operations.ts'
import { type Relaxation, relaxationOver } from './relax.ts'

/** A projective measurement of one transmon of a register. */
export interface Measurement {
  /** ns */
  at: number
  /** Place of the transmon in its register. */
  which: number
}

/** Pulses, gates and measurements of a register. */
export interface RegisterEvents {
  players: readonly NoisyPlayer[]
  gates: readonly NoisyGate[]
  /** In the order of time. */
  measurements: readonly Measurement[]
}

/** A measurement at which shots part. */
export interface Parting {
  readonly which: number
  /** Its place among the measurements. */
  readonly index: number
}

/** A measurement after everything else, and the damping of its transmon until then. */
export interface Ending extends Parting {
  readonly relaxation: Relaxation
}

/** What is the same in each shot. */
export interface Compiled {
  readonly operations: readonly (Operation | Parting)[]
  readonly endings: readonly Ending[]
}

/** One move of a register. */
interface Move {
  at: number
  compile(): (Operation | Parting)[]
}

/** Turn of an interaction that may wait while pulses act, rad: it is not worth a pass over all amplitudes. */
const MAX_WAITING_TURN = 0.01

/** Brings the events of a register into the order of time; what no chance decides is calculated here. */
export function compile({ players, gates, measurements }: RegisterEvents): Compiled {
  const timing = new Timing(players, gates)
  const moves: Move[] = [
    ...players.flatMap((player, which) =>
      player.times.map((at, index) => ({ at, compile: () => [timing.drive(at, which, index)] })),
    ),
    ...gates.flatMap(({ pulses }, gate) =>
      pulses.map(({ at }, pulse) => ({ at, compile: () => [timing.exchange(gate, pulse)] })),
    ),
  ].sort((one, other) => one.at - other.at)
  const end = moves.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  const [early, late] = [[], []] as [number[], number[]]
  for (const [index, { at }] of measurements.entries()) (at < end ? early : late).push(index)
  for (const index of early) {
    const { at, which } = measurements[index] as Measurement
    moves.push({ at, compile: () => [timing.settling(at, which), { which, index }] })
  }
  const operations = moves.sort((one, other) => one.at - other.at).flatMap((move) => move.compile())
  const endings = late.map((index) => {
    const { at, which } = measurements[index] as Measurement
    return { which, index, relaxation: timing.relaxation(which, at) }
  })
  return { operations, endings }
}

/** Follows until when damping and interactions have acted. */
class Timing {
  readonly #players: readonly NoisyPlayer[]
  readonly #gates: readonly NoisyGate[]
  /** When each transmon was damped last, and each interaction applied, ns. */
  readonly #dampedAt: Float64Array
  readonly #turnedAt: Float64Array
  readonly #relaxations: readonly Map<number, Relaxation>[]

  constructor(players: readonly NoisyPlayer[], gates: readonly NoisyGate[]) {
    this.#players = players
    this.#gates = gates
    this.#dampedAt = new Float64Array(players.length)
    this.#turnedAt = new Float64Array(gates.length)
    this.#relaxations = players.map(() => new Map())
  }

  drive(at: number, which: number, index: number): Operation {
    const turns = this.#turns(which, at, MAX_WAITING_TURN)
    const own = { turns, risks: [this.#risk(which, at)] }
    return new Drive(this.#players[which] as NoisyPlayer, which, index, own)
  }

  settling(at: number, which: number): Operation {
    const turns = this.#turns(which, at, 0)
    const own = { turns, risks: [this.#risk(which, at)] }
    return new Settling(which, own)
  }

  exchange(which: number, pulse: number): Operation {
    const gate = this.#gates[which] as NoisyGate
    const times = gate.kicks(pulse, 0).map(({ at }) => at)
    const turns = gate.ends.flatMap((end) => this.#turns(end, times[0] ?? 0, MAX_WAITING_TURN, which))
    const risks: Risk[] = []
    const angles = times.map((at) => {
      risks.push(...gate.ends.map((end) => this.#risk(end, at)))
      return this.#angle(which, at)
    })
    return new Exchanging(gate, [which, pulse], angles, { turns, risks })
  }

  /** Damping since the last time; a leak that arrives during a pulse of a coupler acts after it. */
  relaxation(which: number, now: number): Relaxation {
    const pause = Math.max(0, now - (this.#dampedAt[which] as number))
    this.#dampedAt[which] = Math.max(now, this.#dampedAt[which] as number)
    const { damping } = (this.#players[which] as NoisyPlayer).player
    const relaxation = this.#relaxations[which]?.get(pause) ?? relaxationOver(damping, pause)
    this.#relaxations[which]?.set(pause, relaxation)
    return relaxation
  }

  #risk(which: number, now: number): Risk {
    return { which, relaxation: this.relaxation(which, now) }
  }

  /** Interactions of a transmon that have to turn by more than this, rad, but that of its own gate. */
  #turns(which: number, now: number, least: number, own = -1): InteractionTurn[] {
    return this.#gates.flatMap(({ ends, gate }, index) => {
      if (index === own || !ends.includes(which)) return []
      const since = now - (this.#turnedAt[index] as number)
      if (!(Math.abs(angleOf(gate.conditional, since)) > least)) return []
      return [{ ends, angle: this.#angle(index, now) }]
    })
  }

  #angle(gate: number, now: number): number {
    const since = now - (this.#turnedAt[gate] as number)
    this.#turnedAt[gate] = now
    return angleOf((this.#gates[gate] as NoisyGate).gate.conditional, since)
  }
}

/** Turn by an interaction (Hz) over a time (ns), rad. */
function angleOf(conditional: number, since: number): number {
  return -2 * Math.PI * conditional * since * 1e-9
}
