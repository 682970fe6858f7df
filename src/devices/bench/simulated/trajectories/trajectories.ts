import type { Rng } from '../../../../simulator/index.ts'
import type { ExchangeKick } from '../dynamics/exchange.ts'
import { LEVELS, type Matrix } from '../dynamics/matrix.ts'
import type { Turns } from '../turns.ts'
import { drawMember, type NoisyGate, type NoisyPlayer, type Stretches } from './members.ts'
import { PendingExchange, PendingTurn } from './pending.ts'
import { measure, type Relaxation, relax, relaxationOver } from './relax.ts'
import { StateVector } from './state-vector.ts'

/** A projective measurement of one transmon of a register. */
export interface Measurement {
  /** ns */
  at: number
  /** Place of the transmon in its register. */
  which: number
}

interface TrajectoriesOptions {
  players: readonly NoisyPlayer[]
  gates: readonly NoisyGate[]
  /** In the order of time. */
  measurements: readonly Measurement[]
  /** Wait between shots after which populations are not yet those of equilibrium, ns. */
  shortReset: number | undefined
}

/** Members of slow noise that were drawn for a shot. */
interface Drawn {
  players: number[]
  gates: number[]
}

/** One thing that happens to a register. */
interface Move {
  at: number
  apply(drawn: Drawn, rng: Rng, levels: Uint8Array): void
}

/** Turn of an interaction that may wait while pulses act, rad: it is not worth a pass over all amplitudes. */
const MAX_WAITING_TURN = 0.01

/** Amplitudes that are moved before other tasks of the thread may have a turn; about 2 ms. */
const AMPLITUDES_PER_TURN = 50_000

/**
 * Shots of a register one by one: a state vector of three levels a transmon, with jumps and measurements
 * drawn. Populations of many shots approach those of a density matrix, whose memory is the square.
 */
export class Trajectories {
  readonly #options: TrajectoriesOptions
  readonly #state: StateVector
  readonly #moves: readonly Move[]
  /** When each transmon was damped last, and each interaction applied, ns. */
  readonly #dampedAt: Float64Array
  readonly #turnedAt: Float64Array
  readonly #relaxations: Map<number, Relaxation>[]
  readonly #factors: Float64Array[]
  /** What the amplitudes of each transmon have not been moved by yet, and those of the pair of a pulse. */
  readonly #pending: readonly PendingTurn[]
  readonly #exchanged = new PendingExchange()

  constructor(options: TrajectoriesOptions) {
    const { players, gates, measurements } = options
    this.#options = options
    this.#state = new StateVector(players.length)
    this.#dampedAt = new Float64Array(players.length)
    this.#turnedAt = new Float64Array(gates.length)
    this.#relaxations = players.map(() => new Map())
    this.#factors = players.map(() => new Float64Array(2 * LEVELS))
    this.#pending = players.map((_, which) => new PendingTurn(which))
    this.#moves = [
      ...players.flatMap((player, which) => player.times.map((at, index) => this.#drive(at, which, index))),
      ...gates.flatMap((gate, which) => gate.stretches.map((stretch) => this.#exchange(stretch, which))),
      ...measurements.map(({ at, which }, index) => this.#measurement(at, which, index)),
    ].sort((one, other) => one.at - other.at)
  }

  /** Amplitudes that one shot moves. */
  get work(): number {
    return this.#moves.length * LEVELS ** this.#options.players.length
  }

  /** The level that each measurement finds in each shot: `[measurement][shot]`. */
  async play(shots: number, rng: Rng, turns: Turns): Promise<Uint8Array[]> {
    const { players, gates, measurements } = this.#options
    const found = measurements.map(() => new Uint8Array(shots))
    const levels = new Uint8Array(measurements.length)
    const perMove = LEVELS ** players.length
    let work = 0
    for (let shot = 0; shot < shots; shot++) {
      this.#start(shot === 0, rng)
      const drawn = {
        players: players.map(({ members }) => drawMember(members, rng)),
        gates: gates.map(({ members }) => drawMember(members, rng)),
      }
      for (const move of this.#moves) {
        move.apply(drawn, rng, levels)
        work += perMove
        if (work < AMPLITUDES_PER_TURN) continue
        work = 0
        await turns.after()
      }
      for (const [index, level] of levels.entries()) (found[index] as Uint8Array)[shot] = level
    }
    return found
  }

  /** The state at the start of a shot: equilibrium, or what a short wait leaves of the last one. */
  #start(isFirst: boolean, rng: Rng): void {
    const { players, shortReset } = this.#options
    const levels = players.map(({ player: { transmon, damping } }, which) => {
      if (isFirst || shortReset === undefined) return rng.next() < transmon.thermal ? 1 : 0
      const from = measure(this.#state, which, rng)
      const { populations } = damping.over(shortReset)
      const drawn = rng.next()
      if (drawn < (populations[from] as number)) return 0
      return drawn < (populations[from] as number) + (populations[LEVELS + from] as number) ? 1 : 2
    })
    this.#state.set(levels)
    for (const pending of this.#pending) pending.clear()
    this.#dampedAt.fill(0)
    this.#turnedAt.fill(0)
  }

  #drive(at: number, which: number, index: number): Move {
    const player = this.#options.players[which] as NoisyPlayer
    const [pending, factors] = [this.#pending[which] as PendingTurn, this.#factors[which] as Float64Array]
    return {
      at,
      apply: (drawn, rng) => {
        this.#turn(which, at, MAX_WAITING_TURN)
        this.#relax(which, at, rng, () => pending.apply(this.#state))
        pending.add(factors, player.unitaries(drawn.players[which] ?? 0)[index] as Matrix)
      },
    }
  }

  /** All stretches of a pulse act as one, unless damping makes one of the transmons jump in between. */
  #exchange({ from, times }: Stretches, which: number): Move {
    const gate = this.#options.gates[which] as NoisyGate
    const [high, low] = gate.ends
    const [ofHigh, ofLow] = [this.#factors[high] as Float64Array, this.#factors[low] as Float64Array]
    const flush = () => this.#exchanged.apply(this.#state, high, low)
    return {
      at: times[0] ?? 0,
      apply: ({ players, gates }, rng) => {
        const kicks = gate.kicks(players[high] ?? 0, players[low] ?? 0, gates[which] ?? 0)
        for (const end of gate.ends) {
          this.#turn(end, times[0] ?? 0, MAX_WAITING_TURN, which)
          this.#pending[end]?.apply(this.#state)
        }
        for (const [index, at] of times.entries()) {
          for (const end of gate.ends) this.#relax(end, at, rng, flush)
          const since = at - (this.#turnedAt[which] as number)
          this.#turnedAt[which] = at
          this.#exchanged.scale(ofHigh, ofLow, -2 * Math.PI * gate.gate.conditional * since * 1e-9)
          this.#exchanged.add(kicks[from + index] as ExchangeKick)
        }
        flush()
      },
    }
  }

  #measurement(at: number, which: number, index: number): Move {
    const [pending, factors] = [this.#pending[which] as PendingTurn, this.#factors[which] as Float64Array]
    return {
      at,
      apply: (_, rng, levels) => {
        this.#turn(which, at, 0)
        this.#relax(which, at, rng, () => pending.apply(this.#state))
        pending.scale(factors)
        pending.apply(this.#state)
        levels[index] = measure(this.#state, which, rng)
      },
    }
  }

  /** Lets interactions of a transmon catch up that turn by more than this, rad, but that of its own gate. */
  #turn(which: number, now: number, least: number, own = -1): void {
    const { gates } = this.#options
    for (let index = 0; index < gates.length; index++) {
      const { ends, gate } = gates[index] as NoisyGate
      if (index === own || (ends[0] !== which && ends[1] !== which)) continue
      const angle = -2 * Math.PI * gate.conditional * (now - (this.#turnedAt[index] as number)) * 1e-9
      if (!(Math.abs(angle) > least)) continue
      for (const end of ends) this.#pending[end]?.apply(this.#state)
      this.#state.turnProducts(ends[0], ends[1], angle)
      this.#turnedAt[index] = now
    }
  }

  /**
   * Lets the damping of a transmon catch up; factors of its levels remain to be applied.
   * @param settle moves the amplitudes by all that came before, which a jump needs
   */
  #relax(which: number, now: number, rng: Rng, settle: () => void): void {
    // A leak of a neighbor that arrives during a pulse of the coupler acts after it.
    const pause = Math.max(0, now - (this.#dampedAt[which] as number))
    this.#dampedAt[which] = Math.max(now, this.#dampedAt[which] as number)
    const relaxation = this.#relaxationOver(which, pause)
    relax(this.#state, which, relaxation, rng, this.#factors[which] as Float64Array, settle)
  }

  #relaxationOver(which: number, pause: number): Relaxation {
    const known = this.#relaxations[which]?.get(pause)
    if (known) return known
    const { damping } = (this.#options.players[which] as NoisyPlayer).player
    const relaxation = relaxationOver(damping, pause)
    this.#relaxations[which]?.set(pause, relaxation)
    return relaxation
  }
}
