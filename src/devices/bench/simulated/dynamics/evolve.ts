import { multiplyByAdjoint, multiplyInto } from '../../../../qasm/index.ts'
import type { Pulse } from '../../../pulse/schedule.ts'
import { type Damping, damp } from './damping.ts'
import { normalNodes, pairMembers } from './ensemble.ts'
import { exchangeKicks } from './exchange.ts'
import { resolveKick } from './kick.ts'
import { LEVELS } from './matrix.ts'
import { applyExchange, applyToOne, dampPair, measurePair, PAIR_LEVELS } from './pair.ts'
import { type Arrival, exchangeOf, kicksOf } from './play.ts'
import type { PropagatorCache } from './propagator-cache.ts'
import type { Gate, Transmon } from './transmon.ts'

/** One transmon with what reaches it in a schedule. */
export interface Player {
  transmon: Transmon
  damping: Damping
  arrivals: readonly Arrival[]
  /** Its propagators. */
  cache: PropagatorCache
}

/** Two transmons that a gate line joins. */
interface Pair {
  players: readonly [Player, Player]
  gate: Gate
  gatePulses: readonly Pulse[]
}

/** What acts on a density matrix at one time, ns. */
interface TimedEvent {
  at: number
  apply(): void
}

/** Populations of the levels at each of the given times (ns, ascending), from those at the start. */
type Populations = Float64Array[]

/** Pulses longer than this are felt with the slow noise as it spreads their line, ns. */
const LONG_PULSE_NS = 1_000

/**
 * Populations of one transmon, mean over its slow noise; it is measured at each of the times.
 * @param from time of the start, before everything that reaches it, ns
 */
export function evolveOne(
  player: Player,
  start: ArrayLike<number>,
  times: readonly number[],
  from = 0,
): Populations {
  const { transmon, damping, arrivals, cache } = player
  const spread = 2 * Math.PI * transmon.slowNoise * longestGap(arrivals)
  const total = times.map(() => new Float64Array(LEVELS))
  for (const { weight, values } of normalNodes(spread)) {
    for (const shift of valuesOf(transmon.switching)) {
      const rho = diagonal(start)
      const scratch = new Float64Array(rho.length)
      const resolved = new Float64Array(rho.length)
      const offset = transmon.slowNoise * (values[0] ?? 0) + shift.value
      const events = kicksOf(transmon, arrivals, offset, cache).map((kick) => ({
        at: kick.at,
        apply() {
          resolveKick(kick, resolved)
          multiplyInto(LEVELS, resolved, rho, scratch)
          multiplyByAdjoint(LEVELS, scratch, resolved, rho)
        },
      }))
      const share = weight * shift.weight
      const read = reader(rho, total, share)
      march(
        events,
        times,
        (dt) => damp(rho, damping.over(dt)),
        (index) => {
          read(index)
          keepDiagonal(rho)
        },
        from,
      )
    }
  }
  return total
}

/**
 * Populations of a pair (level `3a + b`), mean over the slow noise of both and of their gate.
 * @param measured which transmons are measured at each of the times
 * @param from as `evolveOne` takes it
 */
export function evolvePair(
  pair: Pair,
  start: ArrayLike<number>,
  times: readonly number[],
  measured: readonly (readonly (0 | 1)[])[] = [],
  from = 0,
): Populations {
  const { players, gate, gatePulses } = pair
  const [a, b] = players
  const gap = Math.max(longestGap(a.arrivals), longestGap(b.arrivals))
  const noise = Math.max(a.transmon.slowNoise, b.transmon.slowNoise)
  const total = times.map(() => new Float64Array(PAIR_LEVELS))
  const played = Math.max(0, ...gatePulses.map(({ duration }) => duration)) * 1e-9
  const [spread, gateSpread] = [2 * Math.PI * noise * gap, 2 * Math.PI * gate.slowNoise * played]
  for (const { weight, values, shifts } of switchedMembers(pairMembers(spread, gateSpread), players)) {
    const rho = diagonal(start)
    const offsets = players.map(({ transmon }, k) => transmon.slowNoise * (values[k] ?? 0) + (shifts[k] ?? 0))
    const [offsetA = 0, offsetB = 0] = offsets
    const events: TimedEvent[] = []
    const resolved = new Float64Array(2 * LEVELS * LEVELS)
    for (const which of [0, 1] as const) {
      const { transmon, arrivals, cache } = players[which]
      for (const kick of kicksOf(transmon, arrivals, offsets[which] ?? 0, cache)) {
        const apply = () => {
          resolveKick(kick, resolved)
          applyToOne(rho, resolved, which)
        }
        events.push({ at: kick.at, apply })
      }
    }
    const resonance = offsetA - offsetB + gate.slowNoise * (values[2] ?? 0)
    for (const pulse of gatePulses) {
      for (const kick of exchangeKicks(exchangeOf(gate, a.transmon, b.transmon, pulse, resonance)))
        events.push({ at: kick.at, apply: () => applyExchange(rho, kick) })
    }
    const rest = (dt: number) => {
      const conditional = 2 * Math.PI * gate.conditional * dt * 1e-9
      dampPair(rho, a.damping.over(dt), b.damping.over(dt), conditional)
    }
    const read = reader(rho, total, weight)
    const measure = (index: number) => {
      read(index)
      for (const which of measured[index] ?? []) measurePair(rho, which)
    }
    march(events, times, rest, measure, from)
  }
  return total
}

/** Members of slow noise with each combination of the frequencies between which both transmons switch. */
function switchedMembers(members: ReturnType<typeof pairMembers>, [a, b]: Pair['players']) {
  return valuesOf(a.transmon.switching).flatMap((one) =>
    valuesOf(b.transmon.switching).flatMap((other) =>
      members.map(({ weight, values }) => ({
        weight: weight * one.weight * other.weight,
        values,
        shifts: [one.value, other.value],
      })),
    ),
  )
}

/** Runs through what happens in the order of time, with damping in between, and reads at the given times. */
function march(
  events: TimedEvent[],
  times: readonly number[],
  rest: (dt: number) => void,
  read: (index: number) => void,
  from: number,
): void {
  events.sort((one, other) => one.at - other.at)
  let now = from
  const wait = (until: number) => {
    if (until > now) rest(until - now)
    now = Math.max(now, until)
  }
  let index = 0
  for (const event of events) {
    for (; index < times.length && (times[index] ?? 0) < event.at; index++) {
      wait(times[index] ?? 0)
      read(index)
    }
    wait(event.at)
    event.apply()
  }
  for (; index < times.length; index++) {
    wait(times[index] ?? 0)
    read(index)
  }
}

function reader(rho: Float64Array, total: Populations, weight: number): (index: number) => void {
  return (index) => {
    const sums = total[index]
    if (!sums) return
    const n = sums.length
    for (let level = 0; level < n; level++)
      sums[level] = (sums[level] ?? 0) + weight * (rho[2 * (level * n + level)] ?? 0)
  }
}

/** What a measurement leaves of a density matrix, its outcome not looked at. */
function keepDiagonal(rho: Float64Array): void {
  for (let place = 0; place < rho.length; place++) if (place % (2 * LEVELS + 2) > 1) rho[place] = 0
}

function diagonal(populations: ArrayLike<number>): Float64Array {
  const n = populations.length
  const rho = new Float64Array(2 * n * n)
  for (let level = 0; level < n; level++) rho[2 * (level * n + level)] = populations[level] ?? 0
  return rho
}

/** Both values of a frequency that switches, or the one. */
function valuesOf(switching: number): { value: number; weight: number }[] {
  if (switching === 0) return [{ value: 0, weight: 1 }]
  return [
    { value: 0, weight: 0.5 },
    { value: switching, weight: 0.5 },
  ]
}

/** The longest time between two pulses, in which slow noise turns the phase, s. */
function longestGap(arrivals: readonly Arrival[]): number {
  let gap = 0
  let isLong = false
  for (let k = 0; k < arrivals.length; k++) {
    const { at, duration } = arrivals[k]?.pulse ?? { at: 0, duration: 0 }
    isLong ||= duration > LONG_PULSE_NS
    const last = k > 0 ? arrivals[k - 1]?.pulse : undefined
    if (last) gap = Math.max(gap, at - last.at)
  }
  return Math.max(gap, isLong ? LONG_PULSE_NS : 0) * 1e-9
}
