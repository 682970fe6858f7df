import type { Pulse } from '../../../pulse/schedule.ts'
import { Damping } from '../dynamics/damping.ts'
import { evolveOne, evolvePair, type Player } from '../dynamics/evolve.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Arrival } from '../dynamics/play.ts'
import { PropagatorCache } from '../dynamics/propagator-cache.ts'
import type { Transmon } from '../dynamics/transmon.ts'
import { ContentHash } from '../random.ts'
import type { Conditions } from '../state/conditions.ts'
import { NoisyGate, NoisyPlayer } from '../trajectories/members.ts'
import { Trajectories } from '../trajectories/trajectories.ts'
import { arrivalsAt, type PulsesByPort, type Register } from './registers.ts'

/** Populations after a wait of this many T1 are those of equilibrium, within 0.3 %. */
const FULL_RESET_T1S = 6
const MAX_RESULTS_KEPT = 2000

/** When the transmons of a register are measured. */
export interface Readouts {
  /** ns, ascending. */
  times: readonly number[]
  /** The transmons of the register that are measured at each of the times. */
  measured: readonly (readonly number[])[]
}

/**
 * Populations of a register (level `3a + b` of a pair) at both of its measurements: each starts from the
 * level that the one before has found.
 */
export interface ShotChain {
  /** @param before level at the end of the shot before; equilibrium when absent */
  first(before?: number): Float64Array
  second(level: number): Float64Array
}

/** The key of all that decides what a register does. */
interface Keyed {
  key: string
}

/** Populations at each of the times. */
interface Evolved extends Keyed {
  populations: Float64Array[]
}

/** Calculates populations under the conditions of one program. */
export class RegisterEvolution {
  readonly #conditions: Conditions
  readonly #resetNs: number
  readonly #caches: Map<string, PropagatorCache>
  readonly #dampings = new Map<string, Damping>()
  readonly #results = new Map<string, Evolved>()
  #pulses = 0

  /** @param caches propagators by qubit, which outlive a program */
  constructor(conditions: Conditions, resetNs: number, caches: Map<string, PropagatorCache>) {
    this.#conditions = conditions
    this.#resetNs = resetNs
    this.#caches = caches
  }

  /** Populations of a register of one or two transmons at the given times. */
  populations(register: Register, pulses: PulsesByPort, readouts: Readouts): Evolved {
    const players = this.#playersOf(register, pulses)
    const gatePulses = gatePulsesOf(register, pulses)
    const key = keyOf(register, players, gatePulses, readouts)
    const known = this.#results.get(key)
    if (known) return known
    const run = (start: ArrayLike<number>) => this.#evolve(register, players, gatePulses, start, readouts)
    let populations = run(equilibriumOf(players.map(({ transmon }) => transmon)))
    if (players.some((player) => this.#isResetShort(player)))
      populations = run(this.#afterReset(players, populations.at(-1) ?? new Float64Array(LEVELS)))
    if (this.#results.size >= MAX_RESULTS_KEPT) this.#results.clear()
    const evolved = { key, populations }
    this.#results.set(key, evolved)
    return evolved
  }

  /** A register of one or two transmons, all of which are measured at the first of two times. */
  chain(register: Register, pulses: PulsesByPort, readouts: Readouts): Keyed & { chain: ShotChain } {
    const players = this.#playersOf(register, pulses)
    const gatePulses = gatePulsesOf(register, pulses)
    const key = keyOf(register, players, gatePulses, readouts)
    const [first = 0, second = 0] = readouts.times
    const { measured } = readouts
    const part = (from: number, until: number, at: number) => {
      const isWithin = ({ at }: Pulse) => at >= from && at < until
      const within = players.map((player) => {
        const arrivals = player.arrivals.filter(({ pulse }) => isWithin(pulse))
        return { ...player, arrivals }
      })
      const played = gatePulses.filter(isWithin)
      const readout = { times: [until], measured: [measured[at] ?? []] }
      return (start: ArrayLike<number>) =>
        this.#evolve(register, within, played, start, readout, from)[0] ?? new Float64Array()
    }
    const equilibrium = equilibriumOf(players.map(({ transmon }) => transmon))
    const [toFirst, toSecond] = [part(0, first, 0), part(first, second, 1)]
    const chain: ShotChain = {
      first: (before) =>
        toFirst(
          before === undefined ? equilibrium : this.#afterReset(players, pure(before, equilibrium.length)),
        ),
      second: (level) => toSecond(pure(level, equilibrium.length)),
    }
    return { key, chain }
  }

  /** A register of any size, to be played shot by shot. */
  trajectories(
    register: Register,
    pulses: PulsesByPort,
    readouts: Readouts,
  ): Keyed & { trajectories: Trajectories } {
    const players = this.#playersOf(register, pulses)
    const key = keyOf(register, players, gatePulsesOf(register, pulses), readouts)
    const noisy = players.map((player) => new NoisyPlayer(player, secondsOf(player.arrivals)))
    const playerAt = (which: number) => noisy[which] as NoisyPlayer
    const gates = register.couplings.map(({ name, high, low, gate }) => {
      const ends = [register.qubits.indexOf(high), register.qubits.indexOf(low)] as const
      return new NoisyGate(gate, pulses.fl.get(name) ?? [], ends, [playerAt(ends[0]), playerAt(ends[1])])
    })
    const measurements = readouts.times.flatMap((at, time) =>
      (readouts.measured[time] ?? []).map((which) => ({ at, which })),
    )
    const isShort = players.some((player) => this.#isResetShort(player))
    const shortReset = isShort ? this.#resetNs : undefined
    return { key, trajectories: new Trajectories({ players: noisy, gates, measurements, shortReset }) }
  }

  /** What was calculated so far: pulses, and steps of propagators. */
  get work(): number {
    let steps = 0
    for (const cache of this.#caches.values()) steps += cache.steps
    return this.#pulses + steps
  }

  #evolve(
    { couplings: [coupling] }: Register,
    players: readonly Player[],
    gatePulses: readonly Pulse[],
    start: ArrayLike<number>,
    { times, measured }: Readouts,
    from = 0,
  ): Float64Array[] {
    const [first, second] = players
    if (!first) return []
    this.#pulses += players.reduce((sum, { arrivals }) => sum + arrivals.length, 1)
    if (!second || !coupling) return evolveOne(first, start, times, from)
    this.#pulses += 10 * gatePulses.length
    const ends = measured.map((places) => places.map((which) => (which === 0 ? 0 : 1)))
    return evolvePair({ players: [first, second], gate: coupling.gate, gatePulses }, start, times, ends, from)
  }

  #playersOf(register: Register, pulses: PulsesByPort): Player[] {
    return register.qubits.map((qubit) => this.#playerOf(qubit, register, pulses))
  }

  #playerOf(qubit: string, register: Register, pulses: PulsesByPort): Player {
    const transmon = this.#conditions.transmons.get(qubit)
    if (!transmon) throw new RangeError(`the chip has no qubit ${qubit}`)
    const damping = this.#dampings.get(qubit) ?? new Damping(transmon.rates)
    const cache = this.#caches.get(qubit) ?? new PropagatorCache()
    this.#dampings.set(qubit, damping)
    this.#caches.set(qubit, cache)
    const arrivals = arrivalsAt(qubit, pulses, this.#conditions)
    return { transmon: withNeighbors(transmon, qubit, register), damping, arrivals, cache }
  }

  #isResetShort({ transmon }: Player): boolean {
    return this.#resetNs * 1e-9 * (transmon.rates.down + transmon.rates.up) < FULL_RESET_T1S
  }

  /** Populations at the start of a repetition that follows one with these at its end. */
  #afterReset(players: readonly Player[], end: Float64Array): Float64Array {
    const steps = players.map(({ damping }) => damping.over(this.#resetNs).populations)
    const start = new Float64Array(end.length)
    const [first, second] = steps
    if (!first) return start
    for (let to = 0; to < end.length; to++) {
      for (let from = 0; from < end.length; from++) {
        const share = second
          ? (first[LEVELS * Math.floor(to / LEVELS) + Math.floor(from / LEVELS)] ?? 0) *
            (second[LEVELS * (to % LEVELS) + (from % LEVELS)] ?? 0)
          : (first[LEVELS * to + from] ?? 0)
        start[to] = (start[to] ?? 0) + share * (end[from] ?? 0)
      }
    }
    return start
  }
}

function pure(level: number, levels: number): Float64Array {
  const populations = new Float64Array(levels)
  populations[level] = 1
  return populations
}

/** A driven neighbor is half of the time in 1: a shift on average, and as much uncertainty. */
function withNeighbors(transmon: Transmon, qubit: string, { neighbors }: Register): Transmon {
  const couplings = neighbors.get(qubit) ?? []
  if (couplings.length === 0) return transmon
  const shifts = couplings.map(({ gate }) => gate.conditional / 2)
  return {
    ...transmon,
    f01: transmon.f01 + shifts.reduce((sum, shift) => sum + shift, 0),
    slowNoise: Math.hypot(transmon.slowNoise, ...shifts),
  }
}

function equilibriumOf(transmons: readonly Transmon[]): Float64Array {
  let populations = [1]
  for (const { thermal } of transmons)
    populations = populations.flatMap((share) => [share * (1 - thermal), share * thermal, 0])
  return Float64Array.from(populations)
}

/** Adds all that a pulse does. */
function addPulse(hash: ContentHash, { at, duration, frequency, phase, amplitude, envelope }: Pulse): void {
  hash.add(at).add(duration).add(frequency).add(phase).add(amplitude).add(envelope.shape)
  if (envelope.shape === 'gaussian') hash.add(envelope.motzoi)
  if (envelope.shape === 'soft_square') hash.add(envelope.rise)
}

/** Pulses of all couplers of a register. */
function gatePulsesOf({ couplings }: Register, pulses: PulsesByPort): Pulse[] {
  return couplings.flatMap(({ name }) => pulses.fl.get(name) ?? [])
}

/** From the first pulse to the end of the last one, s. */
function secondsOf(arrivals: readonly Arrival[]): number {
  const [first, last] = [arrivals[0]?.pulse, arrivals.at(-1)?.pulse]
  return first && last ? (last.at + last.duration - first.at) * 1e-9 : 0
}

/** All that decides what a register does; equal in a group of targets and alone. */
function keyOf(
  { qubits, couplings, neighbors }: Register,
  players: readonly Player[],
  gatePulses: readonly Pulse[],
  { times, measured }: Readouts,
): string {
  const hashes = [new ContentHash(), new ContentHash().add('other')]
  for (const hash of hashes) {
    for (const { arrivals } of players) {
      hash.add(arrivals.length)
      for (const { pulse, share } of arrivals) addPulse(hash.add(share), pulse)
    }
    for (const pulse of gatePulses) addPulse(hash, pulse)
    for (const outside of neighbors.values()) for (const { name } of outside) hash.add(name)
  }
  const content = hashes.map((hash) => hash.value())
  const order = times.length > 1 ? measured.map((places) => places.join(',')) : []
  const names = couplings.map(({ name }) => name).join(',')
  return [...qubits, names, ...content, ...times, ...order].join(' ')
}
