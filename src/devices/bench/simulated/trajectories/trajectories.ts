import type { Rng } from '../../../../simulator/index.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Turns } from '../turns.ts'
import { Branch } from './branch.ts'
import { type Compiled, compile, type Parting, type RegisterEvents } from './compile.ts'
import { ShotJumps } from './jumps.ts'
import type { Operation } from './operations.ts'
import { type Drawn, SlowNoise } from './slow-noise.ts'
import { type StartLevel, StartLevels } from './start-levels.ts'

interface TrajectoriesOptions extends RegisterEvents {
  /** Wait between shots after which populations are not yet those of equilibrium, ns. */
  shortReset: number | undefined
}

/** A shot that is being played. */
interface Shot {
  readonly number: number
  readonly drawn: Drawn
  readonly jumps: ShotJumps
}

/** What one call finds: levels by measurement, and those of all transmons at the end of each shot. */
interface Played {
  readonly found: readonly Uint8Array[]
  readonly ends: Uint8Array
  readonly rng: Rng
  readonly turns: Turns
}

/** Amplitudes that are moved before other tasks of the thread may have a turn; about 2 ms. */
const AMPLITUDES_PER_TURN = 50_000
/** Shots that may share a state, and those that are drawn, before other tasks may have a turn. */
const [MAX_TOGETHER, SHOTS_PER_TURN] = [10_000, 500]
/** Part of what chance tries that happens, about: levels are left less often than the shortest-lived one. */
const STRUCK_PART = 0.4

/**
 * Shots of a register: a state vector of three levels a transmon, with jumps, dephasing and measurements
 * drawn. Populations of many shots approach those of a density matrix, whose memory is the square. Shots with
 * the same slow noise share a state until chance strikes one of them, which then goes on alone.
 */
export class Trajectories {
  readonly #transmons: number
  readonly #compiled: Compiled
  readonly #noise: SlowNoise
  readonly #starts: StartLevels
  readonly #isShort: boolean
  /** States of shots that part from others, by how often they did. */
  readonly #branches: Branch[] = []
  #work = 0

  constructor(options: TrajectoriesOptions) {
    const { players, gates, shortReset } = options
    this.#transmons = players.length
    this.#compiled = compile(options)
    this.#noise = new SlowNoise(players, gates)
    this.#starts = new StartLevels(players, shortReset)
    this.#isShort = shortReset !== undefined
  }

  /** Amplitudes that some shots move, about. */
  work(shots: number): number {
    const { operations, risks } = this.#compiled
    const struck = STRUCK_PART * risks.hazard
    // A shot is struck anywhere; each transmon that starts in 1 makes another group.
    const alone = struck > 0 ? 1 + Math.expm1(-struck) / struck : 0
    const groups = Math.min(1, (this.#noise.members * (1 + this.#transmons)) / shots)
    return shots * Math.min(1, groups + alone) * operations.length * LEVELS ** this.#transmons
  }

  /** The level that each measurement finds in each shot: `[measurement][shot]`. */
  async play(shots: number, rng: Rng, turns: Turns): Promise<Uint8Array[]> {
    const { endings, operations, risks } = this.#compiled
    const partings = operations.filter((operation) => 'index' in operation)
    const found = Array.from({ length: endings.length + partings.length }, () => new Uint8Array(shots))
    const played = { found, ends: new Uint8Array(shots * this.#transmons), rng, turns }
    const groups = new Map<string, { levels: StartLevel[]; shots: Shot[] }>()
    const following: { levels: StartLevel[]; shot: Shot }[] = []
    for (let number = 0; number < shots; number++) {
      if (number % SHOTS_PER_TURN === 0) await turns.after(SHOTS_PER_TURN)
      const levels = this.#starts.draw(number === 0, rng)
      const drawn = this.#noise.draw(rng)
      const shot = { number, drawn, jumps: new ShotJumps(risks, rng) }
      if (this.#isShort && levels.includes(undefined)) {
        following.push({ levels, shot })
        continue
      }
      const key = [Math.floor(number / MAX_TOGETHER), ...levels, ...drawn.players, ...drawn.gates].join()
      const group = groups.get(key)
      if (group) group.shots.push(shot)
      else groups.set(key, { levels, shots: [shot] })
    }
    for (const group of groups.values()) await this.#start(group.levels, group.shots, played)
    for (const { levels, shot } of following) {
      const before = (shot.number - 1) * this.#transmons
      const all = levels.map(
        (level, which) => level ?? this.#starts.follow(which, played.ends[before + which] as number, rng),
      )
      await this.#start(all, [shot], played)
    }
    return found
  }

  async #start(levels: readonly StartLevel[], shots: readonly Shot[], played: Played): Promise<void> {
    const branch = this.#branchAt(0)
    branch.start(levels.map((level) => level ?? 0))
    await this.#run(branch, 0, shots, played, 1)
  }

  #branchAt(depth: number): Branch {
    const branch = this.#branches[depth] ?? new Branch(this.#transmons)
    this.#branches[depth] = branch
    return branch
  }

  /** Plays shots that have had the same jumps and outcomes so far, from an operation on. */
  async #run(
    branch: Branch,
    from: number,
    together: readonly Shot[],
    played: Played,
    depth: number,
  ): Promise<void> {
    const { operations } = this.#compiled
    let shots = together
    for (let at = from; at < operations.length && shots.length > 0; at++) {
      this.#work += LEVELS ** this.#transmons
      if (this.#work >= AMPLITUDES_PER_TURN) {
        this.#work = 0
        await played.turns.after()
      }
      const operation = operations[at] as Operation | Parting
      const [only] = shots
      if ('index' in operation) shots = await this.#part(operation, { branch, at, shots, played, depth })
      else if (shots.length > 1) shots = await this.#apply(operation, { branch, at, shots, played, depth })
      else if (only && only.jumps.next < operation.end) operation.applyWith(branch, only.drawn, only.jumps)
      else if (only) operation.apply(branch, only.drawn)
    }
    if (shots.length > 0) this.#end(branch, shots, played)
  }

  /** Applies an operation to several shots; those that chance strikes go on alone. Returns the others. */
  async #apply(operation: Operation, group: Group): Promise<readonly Shot[]> {
    const { branch, at, shots, played, depth } = group
    const drawn = (shots[0] as Shot).drawn
    const tried = shots.filter(({ jumps }) => jumps.next < operation.end)
    if (tried.length === 0) {
      operation.apply(branch, drawn)
      return shots
    }
    for (const shot of tried) {
      const own = this.#branchAt(depth)
      own.copy(branch)
      operation.applyWith(own, drawn, shot.jumps)
      if (shot.jumps.hasJumped) await this.#run(own, at + 1, [shot], played, depth + 1)
    }
    const others = shots.filter(({ jumps }) => !jumps.hasJumped)
    if (others.length > 0) operation.apply(branch, drawn)
    return others
  }

  /** Measures a transmon: shots that find the same level stay together. Returns the last of these groups. */
  async #part({ which, index }: Parting, group: Group): Promise<readonly Shot[]> {
    const { branch, at, shots, played, depth } = group
    const levels = branch.drawLevels(which, shots.length, played.rng)
    const parts = new Map<number, Shot[]>()
    for (const [place, shot] of shots.entries()) {
      const level = levels[place] ?? 0
      ;(played.found[index] as Uint8Array)[shot.number] = level
      parts.set(level, [...(parts.get(level) ?? []), shot])
    }
    const [last, ...others] = [...parts].reverse()
    for (const [level, part] of others) {
      const own = this.#branchAt(depth)
      own.copy(branch)
      own.project(which, level)
      await this.#run(own, at + 1, part, played, depth + 1)
    }
    if (!last) return []
    branch.project(which, last[0])
    return last[1]
  }

  /** Reads what is left after all operations: only populations count. */
  #end(branch: Branch, shots: readonly Shot[], { found, ends, rng }: Played): void {
    const transmons = this.#transmons
    branch.settle()
    const draws = Float64Array.from(shots, () => rng.next())
    const order = Uint32Array.from(draws.keys()).sort((one, other) => (draws[one] ?? 0) - (draws[other] ?? 0))
    const places = branch.state.sample(draws.sort())
    for (const [at, place] of order.entries()) {
      const { number } = shots[place] as Shot
      const levels = ends.subarray(number * transmons, (number + 1) * transmons)
      let rest = places[at] as number
      for (let which = transmons - 1; which >= 0; which--) {
        levels[which] = rest % LEVELS
        rest = Math.floor(rest / LEVELS)
      }
      for (const { which, index, relaxation } of this.#compiled.endings) {
        levels[which] = levelAfter(relaxation.transfer, levels[which] as number, rng)
        ;(found[index] as Uint8Array)[number] = levels[which] as number
      }
    }
  }
}

/** Shots before an operation. */
interface Group {
  branch: Branch
  /** Place of the operation. */
  at: number
  shots: readonly Shot[]
  played: Played
  /** How often they parted from others, counted from 1. */
  depth: number
}

/** Draws where populations flow from a level, `[to * 3 + from]`. */
function levelAfter(transfer: Float64Array, from: number, rng: Rng): number {
  let rest = rng.next()
  for (let to = 0; to < LEVELS - 1; to++) {
    rest -= transfer[to * LEVELS + from] as number
    if (rest < 0) return to
  }
  return LEVELS - 1
}
