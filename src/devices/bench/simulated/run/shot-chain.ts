import type { Rng } from '../../../../simulator/index.ts'
import type { AcquisitionKind } from '../../../pulse/schedule.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Readouts, ShotChain } from './evolve-register.ts'
import { type Found, foundShotByShot } from './found.ts'
import type { PulsesByPort, Register } from './registers.ts'

/** Pulses of a transmon before its first measurement, up to which slow noise plays no role there. */
const MAX_PULSES_BEFORE = 2

/**
 * Whether shots begin with a measurement of the whole register, and end with another: what happens in between
 * follows from what the first one finds.
 */
export function isChain(
  { qubits }: Register,
  { times, measured }: Readouts,
  kind: AcquisitionKind,
  { mw, fl }: PulsesByPort,
): boolean {
  const [first = 0] = times
  if (kind !== 'shots' || qubits.length > 2 || times.length !== 2) return false
  if (measured[0]?.length !== qubits.length) return false
  const isEarly = ({ at }: { at: number }) => at < first
  const areFew = qubits.every((qubit) => (mw.get(qubit) ?? []).filter(isEarly).length <= MAX_PULSES_BEFORE)
  return areFew && ![...fl.values()].flat().some(isEarly)
}

/** Draws the levels that both measurements find in each shot, one after the other. */
export function drawChain({ first, second }: ShotChain, shots: number, qubits: number, rng: Rng): Found {
  const [ofFirst, ofSecond] = [sums(first), sums(second)]
  const start = cumulated(first())
  const levels = [new Uint8Array(shots), new Uint8Array(shots)] as const
  for (let shot = 0; shot < shots; shot++) {
    const shares = shot === 0 ? start : ofFirst(levels[1][shot - 1] as number)
    const level = levelAt(shares, rng.next())
    levels[0][shot] = level
    levels[1][shot] = levelAt(ofSecond(level), rng.next())
  }
  const own = levels.map((both) =>
    qubits === 1
      ? [both]
      : [both.map((each) => Math.floor(each / LEVELS)), both.map((each) => each % LEVELS)],
  )
  return foundShotByShot((time, which) => own[time]?.[which] ?? new Uint8Array())
}

/** Cumulated populations by the level before, each calculated once, where it occurs. */
function sums(populationsOf: (level: number) => Float64Array): (level: number) => Float64Array {
  const known: Float64Array[] = []
  return (level) => {
    known[level] ??= cumulated(populationsOf(level))
    return known[level] as Float64Array
  }
}

function cumulated(populations: Float64Array): Float64Array {
  let sum = 0
  return populations.map((share) => {
    sum += share
    return sum
  })
}

function levelAt(sums: Float64Array, drawn: number): number {
  const level = sums.findIndex((sum) => drawn < sum)
  return level < 0 ? sums.length - 1 : level
}
