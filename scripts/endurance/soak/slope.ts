/** A straight line through what was measured. */
export interface Slope {
  /** Mean of the first tenth of the points. */
  first: number
  /** Mean of the last tenth. */
  last: number
  /** Growth per hour. */
  perHour: number
  /** Half the width of the interval that holds the growth with 95 %; NaN with fewer than three blocks. */
  plusMinus: number
}

/** Neighboring samples are alike, so the line goes through means of blocks, which hardly are. */
const BLOCKS = 20

/** Growth of `values`, sampled at `hours` (ascending), by least squares. */
export function slopeOf(hours: readonly number[], values: readonly number[]): Slope {
  const blocks = Math.min(BLOCKS, values.length)
  const x = blockMeans(hours, blocks)
  const y = blockMeans(values, blocks)
  const [meanX, meanY] = [mean(x), mean(y)]
  const spread = sum(x.map((each) => (each - meanX) ** 2))
  const perHour = sum(x.map((each, at) => (each - meanX) * ((y[at] ?? 0) - meanY))) / spread
  const rest = sum(x.map((each, at) => ((y[at] ?? 0) - meanY - perHour * (each - meanX)) ** 2))
  const freedom = blocks - 2
  const plusMinus = freedom > 0 ? studentT(freedom) * Math.sqrt(rest / freedom / spread) : Number.NaN
  const tenth = Math.max(1, Math.floor(values.length / 10))
  return { first: mean(values.slice(0, tenth)), last: mean(values.slice(-tenth)), perHour, plusMinus }
}

/** 97.5 % quantile of Student's t by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5). */
function studentT(freedom: number): number {
  const z = 1.959964
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
}

function blockMeans(values: readonly number[], blocks: number): number[] {
  const edge = (block: number) => Math.round((block * values.length) / blocks)
  return Array.from({ length: blocks }, (_, block) => mean(values.slice(edge(block), edge(block + 1))))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
