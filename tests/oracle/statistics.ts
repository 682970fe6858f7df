/** The difference between two samples of outcomes. */
export interface Comparison {
  /** Half the sum of the differences of relative frequencies. */
  totalVariation: number
  /** Probability of a difference this large or larger if both come from one distribution. */
  p: number
}

/** Expected counts below this are pooled: the chi-square approximation does not hold for them. */
const LEAST_EXPECTED = 5

/** Pearson's chi-square test of homogeneity of two samples. */
export function compareCounts(one: Record<string, number>, other: Record<string, number>): Comparison {
  const [shots, otherShots] = [total(one), total(other)]
  const whole = shots + otherShots
  const pool = { one: 0, other: 0 }
  const cells: { one: number; other: number }[] = []
  let difference = 0
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const cell = { one: one[key] ?? 0, other: other[key] ?? 0 }
    difference += Math.abs(cell.one / shots - cell.other / otherShots)
    const rarer = ((cell.one + cell.other) * Math.min(shots, otherShots)) / whole
    if (rarer >= LEAST_EXPECTED) cells.push(cell)
    else {
      pool.one += cell.one
      pool.other += cell.other
    }
  }
  if (pool.one + pool.other > 0) cells.push(pool)
  const value = cells.reduce((sum, cell) => {
    const both = cell.one + cell.other
    const [expected, expectedOther] = [(both * shots) / whole, (both * otherShots) / whole]
    return sum + (cell.one - expected) ** 2 / expected + (cell.other - expectedOther) ** 2 / expectedOther
  }, 0)
  return { totalVariation: difference / 2, p: chiSquareTail(value, cells.length - 1) }
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/**
 * Probability that a chi-square variable with `freedom` degrees exceeds `value`: Q(freedom / 2, value / 2).
 */
export function chiSquareTail(value: number, freedom: number): number {
  if (freedom < 1 || value <= 0) return 1
  return upperGamma(freedom / 2, value / 2)
}

/**
 * The regularized upper incomplete gamma function, by its series below the mean and its continued fraction
 * above (Abramowitz and Stegun 6.5.29 and 6.5.31, the latter evaluated by Lentz's method).
 */
function upperGamma(a: number, x: number): number {
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; Math.abs(term) > sum * 1e-16; n++) {
      term *= x / (a + n)
      sum += term
    }
    return 1 - sum * scale
  }
  const tiny = 1e-300
  let b = x + 1 - a
  let c = 1 / tiny
  let d = 1 / b
  let fraction = d
  for (let n = 1, change = 0; Math.abs(change - 1) > 1e-15 && n < 10_000; n++) {
    const numerator = -n * (n - a)
    b += 2
    d = 1 / nonZero(numerator * d + b, tiny)
    c = nonZero(b + numerator / c, tiny)
    change = d * c
    fraction *= change
  }
  return fraction * scale
}

function nonZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value
}

/** ln Γ(a) by Stirling's series (Abramowitz and Stegun 6.1.41), shifted to where it is exact to 1e-14. */
function logGamma(a: number): number {
  let shift = 0
  let z = a
  for (; z < 10; z++) shift += Math.log(z)
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5) - 1 / (1680 * z ** 7)
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift
}
