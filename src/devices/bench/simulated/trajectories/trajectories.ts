import type { Rng } from '../../../../simulator/index.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Turns } from '../turns.ts'
import { Branch } from './branch.ts'
import { compile, type Ending, type Parting, type RegisterEvents } from './compile.ts'
import { ShotJumps } from './jumps.ts'
import type { Operation } from './operations.ts'
import { narrowPlan, type Plan, type Step, widePlan } from './plan.ts'
import { type Drawn, SlowNoise } from './slow-noise.ts'
import { type StartLevel, StartLevels } from './start-levels.ts'

interface TrajectoriesOptions extends RegisterEvents {
  /** Wait between shots after which populations are not yet those of equilibrium, ns. */
  shortReset: number | undefined
  /** How shots are played; what takes less where absent. */
  plan?: 'wide' | 'narrow'
}

/** A shot that is being played. */
interface Shot {
  readonly number: number
  readonly drawn: Drawn
  readonly jumps: ShotJumps
}

/** What one call finds: levels by measurement, and those of all transmons at the end of each shot. */
interface Played {
  readonly plan: Plan
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
 * the same slow noise share a state until chance strikes one of them, which then goes on alone; where that
 * takes longer each is played with few amplitudes.
 */
export class Trajectories {
  readonly #transmons: number
  readonly #endings: readonly Ending[]
  /** In the order of time, for shots that share a state. */
  readonly #wide: Plan
  /** For single shots. */
  readonly #narrow: Plan
  /** Part of the work of the first of shots that share a state which each further one takes. */
  readonly #alone: number
  readonly #given: 'wide' | 'narrow' | undefined
  readonly #noise: SlowNoise
  readonly #starts: StartLevels
  readonly #isShort: boolean
  /** States of shots that part from others, by how often they did. */
  readonly #branches: Branch[] = []
  #work = 0

  constructor(options: TrajectoriesOptions) {
    const { players, gates, shortReset } = options
    this.#transmons = players.length
    const { operations, endings } = compile(options)
    this.#given = options.plan
    this.#endings = endings
    this.#wide = widePlan(operations, players.length)
    this.#narrow = narrowPlan(operations, players.length)
    // A shot is struck anywhere.
    const struck = STRUCK_PART * this.#wide.risks.hazard
    this.#alone = struck > 0 ? 1 + Math.expm1(-struck) / struck : 0
    this.#noise = new SlowNoise(players, gates)
    this.#starts = new StartLevels(players, shortReset)
    this.#isShort = shortReset !== undefined
  }

  /** Amplitudes that some shots move, about. */
  work(shots: number): number {
    // Each transmon that starts in 1 makes another group.
    const groups = Math.min(1, (this.#noise.members * (1 + this.#transmons)) / shots)
    return shots * Math.min(Math.min(1, groups + this.#alone) * this.#wide.work, this.#narrow.work)
  }

  /** The level that each measurement finds in each shot: `[measurement][shot]`. */
  async play(shots: number, rng: Rng, turns: Turns): Promise<Uint8Array[]> {
    const { steps, risks } = this.#wide
    const partings = steps.filter(({ operation }) => 'index' in operation)
    const found = Array.from({ length: this.#endings.length + partings.length }, () => new Uint8Array(shots))
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

  async #start(
    levels: readonly StartLevel[],
    shots: readonly Shot[],
    played: Omit<Played, 'plan'>,
  ): Promise<void> {
    const branch = this.#branchAt(0)
    const all = levels.map((level) => level ?? 0)
    if (!this.#isNarrowLess(shots.length)) {
      branch.start(all, false)
      await this.#run(branch, 0, shots, { ...played, plan: this.#wide }, 1)
      return
    }
    for (const shot of shots) {
      branch.start(all, true)
      played.ends.set(all, shot.number * this.#transmons)
      const alone = { ...shot, jumps: new ShotJumps(this.#narrow.risks, played.rng) }
      await this.#run(branch, 0, [alone], { ...played, plan: this.#narrow }, 1)
    }
  }

  /** Whether shots with the same slow noise take less one by one. */
  #isNarrowLess(shots: number): boolean {
    if (this.#given) return this.#given === 'narrow'
    return this.#narrow.work * shots < this.#wide.work * (1 + this.#alone * (shots - 1))
  }

  /** Reads transmons that nothing more acts on. */
  #leave(branch: Branch, leaving: readonly number[], number: number, { ends, rng }: Played): void {
    for (const which of leaving) ends[number * this.#transmons + which] = branch.leave(which, rng)
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
    const { steps } = played.plan
    let shots = together
    for (let at = from; at < steps.length && shots.length > 0; at++) {
      const step = steps[at] as Step
      const { operation, joining, leaving } = step
      branch.join(joining)
      this.#work += branch.state.size
      if (this.#work >= AMPLITUDES_PER_TURN) {
        this.#work = 0
        await played.turns.after()
      }
      const group = { branch, at, shots, played, depth }
      if ('index' in operation) shots = await this.#part(operation, group)
      else if (shots.length === 1) applyToShot(operation, step, branch, shots[0] as Shot)
      else shots = await this.#apply(operation, step, group)
      for (const { number } of shots) this.#leave(branch, leaving, number, played)
    }
    if (played.plan === this.#wide) this.#sample(branch, shots, played)
    else for (const { number } of shots) this.#end(number, played)
  }

  /** Applies an operation to several shots; those that chance strikes go on alone. Returns the others. */
  async #apply(operation: Operation, { from, end }: Step, group: Group): Promise<readonly Shot[]> {
    const { branch, at, shots, played, depth } = group
    const drawn = (shots[0] as Shot).drawn
    const tried = shots.filter(({ jumps }) => jumps.next < end)
    if (tried.length === 0) {
      operation.apply(branch, drawn)
      return shots
    }
    for (const shot of tried) {
      const own = this.#branchAt(depth)
      own.copy(branch)
      operation.applyWith(own, drawn, shot.jumps, from)
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

  /** Draws the levels of all transmons after all operations: only populations count. */
  #sample(branch: Branch, shots: readonly Shot[], played: Played): void {
    const { ends, rng } = played
    if (shots.length === 0) return
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
      this.#end(number, played)
    }
  }

  /** What measurements after all operations find in a shot. */
  #end(number: number, { found, ends, rng }: Played): void {
    const levels = ends.subarray(number * this.#transmons, (number + 1) * this.#transmons)
    for (const { which, index, relaxation } of this.#endings) {
      levels[which] = levelAfter(relaxation.transfer, levels[which] as number, rng)
      ;(found[index] as Uint8Array)[number] = levels[which] as number
    }
  }
}

function applyToShot(
  operation: Operation,
  { from, end }: Step,
  branch: Branch,
  { drawn, jumps }: Shot,
): void {
  if (jumps.next < end) operation.applyWith(branch, drawn, jumps, from)
  else operation.apply(branch, drawn)
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
