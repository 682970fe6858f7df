import { groupDigits } from './format.ts'

interface QuantityFormat {
  unit?: string | undefined
  /** Standard uncertainty in the unit of the value. */
  uncertainty?: number | null | undefined
  /** Digits after the decimal point where there is no uncertainty; by default four significant digits. */
  digits?: number | undefined
  /** A limit in the unit of the value; as many digits are shown as it takes to tell them apart. */
  limit?: number | undefined
}

const SIGNIFICANT = 4
const MAX_PLACES = 12
const NO_BREAK = '\u00a0'
const MINUS = '\u2212'

/**
 * A value with its unit; the uncertainty stands in parentheses and applies to the last digits: `0.989(4)`,
 * `5.1234(12) GHz`. It has two digits when it begins with 1, otherwise one.
 */
export function formatQuantity(
  value: number,
  { unit, uncertainty, digits, limit }: QuantityFormat = {},
): string {
  if (!Number.isFinite(value)) return '–'
  const number =
    uncertainty && Number.isFinite(uncertainty)
      ? withUncertainty(value, Math.abs(uncertainty), limit)
      : plain(value, digits, limit)
  const text = number.replace('-', MINUS)
  return unit ? text + NO_BREAK + unit : text
}

/** `digits`, or as many more as it takes to show on which side of a limit a value is: 97.48, not 97.5. */
export function digitsBeside(value: number, digits: number, limit: number | undefined): number {
  if (limit === undefined) return digits
  const side = Math.sign(value - limit)
  for (let shown = digits; shown <= MAX_PLACES; shown++)
    if (Math.sign(Number(value.toFixed(shown)) - limit) === side) return shown
  return digits
}

/** All digits of a limit, without those that arithmetic has added. */
export function formatLimit(limit: number, digits = 0): string {
  const [, fraction = ''] = String(Number(limit.toPrecision(12))).split('.')
  return formatQuantity(limit, { digits: Math.max(digits, Math.min(MAX_PLACES, fraction.length)) })
}

function plain(value: number, digits: number | undefined, limit?: number): string {
  if (digits !== undefined) return groupDigits(value.toFixed(digitsBeside(value, digits, limit)))
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return scientific(value.toExponential(SIGNIFICANT - 1))
  const whole = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1
  const places =
    size === 0 ? 0 : size < 1 ? -Math.floor(Math.log10(size)) + SIGNIFICANT - 1 : SIGNIFICANT - whole
  return groupDigits(value.toFixed(digitsBeside(value, Math.max(0, places), limit)))
}

function withUncertainty(value: number, uncertainty: number, limit: number | undefined): string {
  const first = Math.floor(Math.log10(uncertainty))
  const leads = Math.floor(uncertainty / 10 ** first)
  const least = -first + (leads === 1 ? 1 : 0)
  const rounded = least > 0 ? value : Math.round(value * 10 ** least) / 10 ** least
  const isHidden = limit !== undefined && Math.sign(rounded - limit) !== Math.sign(value - limit)
  const places = least > 0 || isHidden ? digitsBeside(value, Math.max(0, least), limit) : least
  if (places <= 0) {
    const step = 10 ** -places
    return `${groupDigits((Math.round(value / step) * step).toFixed(0))}(${Math.round(uncertainty / step) * step})`
  }
  if (places > MAX_PLACES) return scientific(value.toExponential(SIGNIFICANT - 1))
  return `${groupDigits(value.toFixed(places))}(${Math.round(uncertainty * 10 ** places)})`
}

function scientific(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e')
  const raised = [...exponent.replace('+', '')].map((digit) => SUPERSCRIPT[digit] ?? digit).join('')
  return `${mantissa}${NO_BREAK}×${NO_BREAK}10${raised}`
}

const SUPERSCRIPT: Record<string, string> = Object.fromEntries(
  [...'-0123456789'].map((digit, at) => [digit, [...'⁻⁰¹²³⁴⁵⁶⁷⁸⁹'][at] ?? digit]),
)
