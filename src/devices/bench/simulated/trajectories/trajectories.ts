import type { Rng } from '../../../../simulator/index.ts'
import type { ExchangeKick } from '../dynamics/exchange.ts'
import { LEVELS, type Matrix } from '../dynamics/matrix.ts'
import type { Turns } from '../turns.ts'
import { drawMember, type NoisyGate, type NoisyPlayer } from './members.ts'
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

/** Amplitudes that are moved before other tasks of the thread may have a turn; about 2 ms. */
const AMPLITUDES_PER_TURN = 20_000

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
  readonly #matrix: Matrix = new Float64Array(2 * LEVELS * LEVELS)

  constructor(options: TrajectoriesOptions) {
    const { players, gates, measurements } = options
    this.#options = options
    this.#state = new StateVector(players.length)
    this.#dampedAt = new Float64Array(players.length)
    this.#turnedAt = new Float64Array(gates.length)
    this.#relaxations = players.map(() => new Map())
    this.#factors = players.map(() => new Float64Array(2 * LEVELS))
    this.#moves = [
      ...players.flatMap((player, which) => player.times.map((at, index) => this.#drive(at, which, index))),
      ...gates.flatMap((gate, which) => gate.times.map((at, index) => this.#exchange(at, which, index))),
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
    this.#dampedAt.fill(0)
    this.#turnedAt.fill(0)
  }

  #drive(at: number, which: number, index: number): Move {
    const player = this.#options.players[which] as NoisyPlayer
    return {
      at,
      apply: (drawn, rng) => {
        this.#rest(which, at, rng)
        const unitary = player.unitaries(drawn.players[which] ?? 0)[index] as Matrix
        scaleColumns(unitary, this.#factors[which] as Float64Array, this.#matrix)
        this.#state.applyToOne(which, this.#matrix)
      },
    }
  }

  #exchange(at: number, which: number, index: number): Move {
    const gate = this.#options.gates[which] as NoisyGate
    const [high, low] = gate.ends
    return {
      at,
      apply: ({ players, gates }, rng) => {
        for (const end of gate.ends) {
          this.#rest(end, at, rng)
          this.#state.scaleLevels(end, this.#factors[end] as Float64Array)
        }
        const kicks = gate.kicks(players[high] ?? 0, players[low] ?? 0, gates[which] ?? 0)
        this.#state.applyExchange(high, low, kicks[index] as ExchangeKick)
      },
    }
  }

  #measurement(at: number, which: number, index: number): Move {
    return {
      at,
      apply: (_, rng, levels) => {
        this.#rest(which, at, rng)
        this.#state.scaleLevels(which, this.#factors[which] as Float64Array)
        levels[index] = measure(this.#state, which, rng)
      },
    }
  }

  /** Lets a transmon's interactions and damping catch up; factors of its levels remain to be applied. */
  #rest(which: number, now: number, rng: Rng): void {
    for (const [index, { ends, gate }] of this.#options.gates.entries()) {
      const since = now - (this.#turnedAt[index] as number)
      if (gate.conditional === 0 || since <= 0 || !ends.includes(which)) continue
      this.#state.turnProducts(ends[0], ends[1], -2 * Math.PI * gate.conditional * since * 1e-9)
      this.#turnedAt[index] = now
    }
    const pause = now - (this.#dampedAt[which] as number)
    this.#dampedAt[which] = now
    relax(this.#state, which, this.#relaxationOver(which, pause), rng, this.#factors[which] as Float64Array)
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

/** out = matrix · diag(factors). */
function scaleColumns(matrix: Matrix, factors: Float64Array, out: Matrix): void {
  for (let k = 0; k < LEVELS * LEVELS; k++) {
    const level = k % LEVELS
    const re = factors[2 * level] as number
    const im = factors[2 * level + 1] as number
    const a = matrix[2 * k] as number
    const b = matrix[2 * k + 1] as number
    out[2 * k] = a * re - b * im
    out[2 * k + 1] = a * im + b * re
  }
}
