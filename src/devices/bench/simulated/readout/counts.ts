import type { Rng } from '../../../../simulator/index.ts'

/** Expected events above which the normal approximation of a count is good to a permille. */
const NORMAL_FROM = 40

/** Draws how many of `shots` have an event of this probability. */
function drawCount(rng: Rng, shots: number, probability: number): number {
  if (probability <= 0 || shots === 0) return 0
  if (probability >= 1) return shots
  if (probability > 0.5) return shots - drawCount(rng, shots, 1 - probability)
  const mean = shots * probability
  if (mean > NORMAL_FROM) {
    const drawn = Math.round(mean + Math.sqrt(mean * (1 - probability)) * rng.normal())
    return Math.min(shots, Math.max(0, drawn))
  }
  // Distances between events are geometric.
  const step = Math.log1p(-probability)
  let count = -1
  for (let shot = 0; shot <= shots; count++) shot += Math.floor(Math.log(1 - rng.next()) / step) + 1
  return count
}

/** Draws how many of `shots` end in each level; with `isExact` the expected shares instead. */
export function drawShares(
  rng: Rng,
  populations: ArrayLike<number>,
  shots: number,
  isExact: boolean,
): Float64Array {
  const shares = Float64Array.from(populations)
  if (isExact) return shares
  let left = shots
  let rest = 1
  for (let level = 0; level < shares.length; level++) {
    const probability = shares[level] ?? 0
    const isLast = level === shares.length - 1
    const count = isLast ? left : drawCount(rng, left, rest > 0 ? probability / rest : 0)
    shares[level] = count / shots
    left -= count
    rest -= probability
  }
  return shares
}

/** Draws the level of each shot. */
export function drawLevels(rng: Rng, populations: ArrayLike<number>, shots: number): Uint8Array {
  const levels = new Uint8Array(shots)
  for (let shot = 0; shot < shots; shot++) {
    let rest = rng.next()
    let level = 0
    for (; level < populations.length - 1; level++) {
      rest -= populations[level] ?? 0
      if (rest < 0) break
    }
    levels[shot] = level
  }
  return levels
}
