import type { Transmon } from '../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { Conditions } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { EDGE_CLAIMS } from './edge-claims.ts'
import { QUBIT_CLAIMS } from './qubit-claims.ts'
import { READOUT_CLAIMS } from './readout-claims.ts'
import type { Claim, Judged, Taken } from './taken.ts'

const CLAIMS = { ...READOUT_CLAIMS, ...QUBIT_CLAIMS, ...EDGE_CLAIMS }

/**
 * What a chip may be while a routine runs: as before, as after, and with either value of switching qubits.
 * Two frequencies closer than the width of the line are one, in their middle.
 */
export function possibleChips(
  truth: ChipTruth,
  target: string,
  moments: readonly Conditions[],
): Conditions[] {
  const edge = truth.edges[target]
  if (!edge) return withSwitching(truth, target, moments)
  return withSwitching(truth, edge.high, withSwitching(truth, edge.low, moments))
}

function withSwitching(truth: ChipTruth, target: string, moments: readonly Conditions[]): Conditions[] {
  const shift = truth.qubits[target]?.switching?.shift
  if (shift === undefined) return [...moments]
  return moments.flatMap((chip) => {
    const transmon = chip.transmons.get(target)
    const middles = transmon && isOneLine(transmon, shift) ? [-shift / 2, shift / 2] : []
    return [0, -shift, shift, ...middles].map((by) => shifted(chip, target, by))
  })
}

/** Steps of an integral over the decay of fringes, and its end in units of the decay. */
const [STEPS, DECAYS] = [2_000, 6]

/**
 * Whether the line of a transmon is at least half as high in the middle between two frequencies that are
 * `distance` (Hz) apart. A line is the cosine transform of the decay of its Ramsey fringes.
 */
function isOneLine({ rates: { dephasing }, slowNoise }: Transmon, distance: number): boolean {
  const heightAt = (offset: number) =>
    Array.from({ length: STEPS }, (_, at) => ((at + 0.5) * DECAYS) / STEPS / dephasing).reduce(
      (sum, t) =>
        sum +
        Math.exp(-dephasing * t - (2 * Math.PI * slowNoise * t) ** 2 / 2) *
          Math.cos(2 * Math.PI * offset * t),
      0,
    )
  return heightAt(distance / 2) > heightAt(0) / 2
}

function shifted(chip: Conditions, target: string, by: number): Conditions {
  const transmons = new Map(chip.transmons)
  const transmon = transmons.get(target)
  if (transmon) transmons.set(target, { ...transmon, f01: transmon.f01 + by })
  return { ...chip, transmons }
}

/**
 * The found values of a routine beside the closest of possible truths. That of a mean over the measurement is
 * anywhere between the least and the largest of them.
 */
export function distancesOf(taken: Omit<Taken, 'chip'>, chips: readonly Conditions[]): Judged[] {
  const { routine, target } = taken
  const claimsOf = CLAIMS[routine]
  if (!claimsOf) return []
  const byChip = chips.map((chip) => claimsOf({ ...taken, chip }))
  const [first = []] = byChip
  return first.map(({ path, value }, at) => {
    const claims = byChip.flatMap((all) => all[at] ?? [])
    const truths = claims.map(({ truth }) => truth)
    const isBetween = Math.min(...truths) <= value && value <= Math.max(...truths)
    const met = { value, truth: value, distance: 0 }
    const isMet = isBetween && claims.every(({ isMean }) => isMean)
    return { routine, target, path, ...(isMet ? met : nearestOf(claims)) }
  })
}

function nearestOf(claims: readonly Claim[]) {
  return claims
    .map(({ value, truth, tolerance }) => {
      const distance = Math.abs(value - truth) / tolerance
      return { value, truth, distance: Number.isFinite(distance) ? distance : Number.POSITIVE_INFINITY }
    })
    .reduce((best, each) => (each.distance < best.distance ? each : best))
}
