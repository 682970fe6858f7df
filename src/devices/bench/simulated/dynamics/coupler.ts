/** What decides the frequency of a coupler: Hz, and A. */
interface Coupler {
  max_frequency: number
  period: number
  offset: number
}

/** A coupler with its couplings to both transmons, Hz. */
interface CoupledCoupler extends Coupler {
  coupling_high: number
  coupling_low: number
}

/** Frequency of a coupler at a current, Hz: a loop of two equal junctions (Koch et al., 2007, eq. 2.18). */
export function couplerFrequency({ max_frequency, period, offset }: Coupler, current: number): number {
  return max_frequency * Math.sqrt(Math.abs(Math.cos((Math.PI * (current - offset)) / period)))
}

/** By how much a coupler at `other` moves a transmon at `own`, on the branch that is mostly the transmon. */
export function branchShift(own: number, other: number, coupling: number): number {
  const half = (other - own) / 2
  const root = Math.hypot(half, coupling)
  return half > 0 ? half - root : half + root
}

/** Exchange of two transmons by their coupler, in second order, Hz. */
export function mediatedExchange(edge: CoupledCoupler, high: number, low: number, current: number): number {
  const coupler = couplerFrequency(edge, current)
  const product = (edge.coupling_high * edge.coupling_low) / 2
  return product * (inverse(high - coupler) + inverse(low - coupler))
}

/** Shift of |11⟩ by an exchange of two transmons, in second order, Hz. */
export function conditionalShift(
  exchange: number,
  difference: number,
  anharmonicityHigh: number,
  anharmonicityLow: number,
): number {
  const paths = inverse(difference - anharmonicityLow) - inverse(difference + anharmonicityHigh)
  return 2 * exchange * exchange * paths
}

/** The second order ends where the levels meet; there the inverse is that of this distance, Hz. */
const MIN_DISTANCE = 50e6

function inverse(distance: number): number {
  return (Math.sign(distance) || 1) / Math.max(Math.abs(distance), MIN_DISTANCE)
}
