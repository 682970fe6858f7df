import { type Comparison, MARKED_SIGMAS } from './compare.ts'

const withSign = (value: number, text: string) => (value < 0 ? `−${text}` : `+${text}`)

/** A difference with its sign: `+0.0217`. */
export function formatDifference(value: number, digits = 4): string {
  return withSign(value, Math.abs(value).toFixed(digits))
}

/** A number of standard deviations with its sign: `−3.6`. */
export function formatSigmas(value: number): string {
  return withSign(value, Math.abs(value).toFixed(1))
}

/** A probability: `0.32`, or its power of ten below 0.001. */
export function formatProbability(value: number): string {
  if (value >= 0.001) return `p = ${value.toFixed(3)}`
  const power = value <= 1e-15 ? 15 : Math.floor(-Math.log10(value))
  return `p < 10${[...String(power)].reduce((text, digit) => text + '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit)), '⁻')}`
}

/** The fact that matters about a comparison, in one sentence. */
export function describeComparison({ largest, outcomes }: Comparison, other: string): string {
  if (!largest) return 'Neither job has counts.'
  const { outcome, sigmas, corrected } = largest
  const size = `${corrected.toFixed(1)} σ after correction for ${outcomes.length} outcomes`
  if (corrected < MARKED_SIGMAS)
    return `No difference beyond shot noise: the largest, of ${outcome}, is ${size}.`
  const more = sigmas > 0 ? 'more' : 'less'
  return `Different beyond shot noise: ${outcome} is ${more} frequent in ${other}, ${size}.`
}
