import { groupDigits } from './format.ts'

interface QuantityFormat {
  unit?: string | undefined
  /** Standard uncertainty in the unit of the value. */
  uncertainty?: number | null | undefined
  /** Digits after the decimal point where there is no uncertainty; by default four significant digits. */
  digits?: number | undefined
}

const SIGNIFICANT = 4
const NO_BREAK = '\u00a0'
const MINUS = '\u2212'

/**
 * A value with its unit; the uncertainty stands in parentheses and applies to the last digits: `0.989(4)`,
 * `5.1234(12) GHz`. It has two digits when it begins with 1, otherwise one.
 */
export function formatQuantity(value: number, { unit, uncertainty, digits }: QuantityFormat = {}): string {
  if (!Number.isFinite(value)) return '–'
  const number =
    uncertainty && Number.isFinite(uncertainty)
      ? withUncertainty(value, Math.abs(uncertainty))
      : plain(value, digits)
  const text = number.replace('-', MINUS)
  return unit ? text + NO_BREAK + unit : text
}

function plain(value: number, digits: number | undefined): string {
  if (digits !== undefined) return groupDigits(value.toFixed(digits))
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return scientific(value.toExponential(SIGNIFICANT - 1))
  const whole = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1
  const places =
    size === 0 ? 0 : size < 1 ? -Math.floor(Math.log10(size)) + SIGNIFICANT - 1 : SIGNIFICANT - whole
  return groupDigits(value.toFixed(Math.max(0, places)))
}

function withUncertainty(value: number, uncertainty: number): string {
  const first = Math.floor(Math.log10(uncertainty))
  const leads = Math.floor(uncertainty / 10 ** first)
  const places = -first + (leads === 1 ? 1 : 0)
  if (places <= 0) {
    const step = 10 ** -places
    return `${groupDigits((Math.round(value / step) * step).toFixed(0))}(${Math.round(uncertainty / step) * step})`
  }
  if (places > 12) return scientific(value.toExponential(SIGNIFICANT - 1))
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
