import { chiSquareTail, correctedSigmas, poisson, seededRandom } from '../lib/statistics.ts'
import { compareOutcomes, totalOf } from './counts.ts'

type Counts = Record<string, number>

/**
 * One outcome of two jobs: probabilities, difference (second − first) and its size in σ of the shot noise.
 */
export interface OutcomeDifference {
  outcome: string
  first: number
  second: number
  difference: number
  sigma: number
  sigmas: number
}

/** A distance between two distributions, and what the shots alone give for equal ones on average. */
export interface Distance {
  value: number
  expected: number
}

/** Two measured distributions side by side. */
export interface Comparison {
  totalVariation: Distance
  hellinger: Distance
  /** 1 for equal distributions. */
  fidelity: number
  chiSquare: { perFreedom: number; freedom: number; probability: number }
  /** All outcomes in order of outcome. */
  outcomes: OutcomeDifference[]
  /**
   * The outcome with the largest difference in σ, and what remains of it after correction for all of them.
   */
  largest: (OutcomeDifference & { corrected: number }) | undefined
}

/** Differences beyond this many σ are marked. */
export const MARKED_SIGMAS = 3

/**
 * Outcomes that both jobs together expect less often are combined for χ², whose approximation fails there.
 */
const MIN_EXPECTED = 5

/** Compares two measured distributions. */
export function compareCounts(first: Counts, second: Counts): Comparison {
  const [shotsA, shotsB] = [totalOf(first), totalOf(second)]
  const outcomes = [...new Set([...Object.keys(first), ...Object.keys(second)])]
    .sort(compareOutcomes)
    .map((outcome) => differenceOf(outcome, [first[outcome] ?? 0, shotsA], [second[outcome] ?? 0, shotsB]))
  const [value, overlap] = distancesOf(outcomes.map((each) => [each.first, each.second]))
  const expected = expectedDistances(
    outcomes.map(({ outcome }) => ((first[outcome] ?? 0) + (second[outcome] ?? 0)) / (shotsA + shotsB || 1)),
    [shotsA, shotsB],
  )
  const [largest] = outcomes.toSorted((a, b) => Math.abs(b.sigmas) - Math.abs(a.sigmas))
  return {
    totalVariation: { value, expected: expected.totalVariation },
    hellinger: { value: Math.sqrt(Math.max(0, 1 - overlap)), expected: expected.hellinger },
    fidelity: overlap ** 2,
    chiSquare: chiSquareOf(first, second, [shotsA, shotsB]),
    outcomes,
    largest: largest && {
      ...largest,
      corrected: correctedSigmas(Math.abs(largest.sigmas), outcomes.length),
    },
  }
}

function differenceOf(
  outcome: string,
  [a, shotsA]: [number, number],
  [b, shotsB]: [number, number],
): OutcomeDifference {
  const first = shotsA === 0 ? 0 : a / shotsA
  const second = shotsB === 0 ? 0 : b / shotsB
  const pooled = (a + b) / (shotsA + shotsB || 1)
  const inverseShots = shotsA === 0 || shotsB === 0 ? 0 : 1 / shotsA + 1 / shotsB
  const sigma = Math.sqrt(pooled * (1 - pooled) * inverseShots)
  const difference = second - first
  return { outcome, first, second, difference, sigma, sigmas: sigma === 0 ? 0 : difference / sigma }
}

/** Total variation, and the overlap Σ√(pq), of which the Hellinger distance is √(1 − overlap). */
function distancesOf(pairs: readonly [number, number][]): [totalVariation: number, overlap: number] {
  let [variation, overlap] = [0, 0]
  for (const [p, q] of pairs) {
    variation += Math.abs(p - q) / 2
    overlap += Math.sqrt(p * q)
  }
  return [variation, Math.min(1, overlap)]
}

/** Random pairs whose mean gives the expected distances, fewer for many outcomes. */
const MAX_DRAWS = 200
const MAX_DRAWN_OUTCOMES = 200_000

/** The mean distances of two jobs of one source, by repeating both with the pooled probabilities. */
function expectedDistances(pooled: readonly number[], [shotsA, shotsB]: [number, number]) {
  const draws = Math.max(10, Math.min(MAX_DRAWS, Math.floor(MAX_DRAWN_OUTCOMES / (pooled.length || 1))))
  const random = seededRandom(shotsA + shotsB)
  let [totalVariation, hellinger] = [0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const first = pooled.map((p) => poisson(p * shotsA, random))
    const second = pooled.map((p) => poisson(p * shotsB, random))
    const [totalA, totalB] = [sum(first) || 1, sum(second) || 1]
    const pairs = first.map((a, index): [number, number] => [a / totalA, (second[index] ?? 0) / totalB])
    const [variation, overlap] = distancesOf(pairs)
    totalVariation += variation / draws
    hellinger += Math.sqrt(Math.max(0, 1 - overlap)) / draws
  }
  return { totalVariation, hellinger }
}

function chiSquareOf(first: Counts, second: Counts, [shotsA, shotsB]: [number, number]) {
  const outcomes = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  const rare: [number, number] = [0, 0]
  const bins: [number, number][] = []
  for (const outcome of outcomes) {
    const [a, b] = [first[outcome] ?? 0, second[outcome] ?? 0]
    const least = ((a + b) * Math.min(shotsA, shotsB)) / (shotsA + shotsB || 1)
    if (least >= MIN_EXPECTED) bins.push([a, b])
    else {
      rare[0] += a
      rare[1] += b
    }
  }
  if (rare[0] + rare[1] > 0) bins.push(rare)
  const freedom = Math.max(0, bins.length - 1)
  const chiSquare = bins.reduce((total, [a, b]) => {
    const pooled = (a + b) / (shotsA + shotsB)
    const [expectedA, expectedB] = [pooled * shotsA, pooled * shotsB]
    return total + (a - expectedA) ** 2 / (expectedA || 1) + (b - expectedB) ** 2 / (expectedB || 1)
  }, 0)
  const probability = chiSquareTail(chiSquare, freedom)
  return { perFreedom: freedom === 0 ? 0 : chiSquare / freedom, freedom, probability }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
