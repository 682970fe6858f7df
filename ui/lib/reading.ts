/** Units that take a prefix: 0.0098 K is written 9.8 mK. */
const PREFIXED = new Set(['A', 'F', 'H', 'Hz', 'K', 'T', 'V', 'W', 's', 'Ω'])
const PREFIXES: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
  [1e-12, 'p'],
]
/** Units of which large values keep their unit: nobody says kilokelvin, or kiloseconds. */
const SMALL_ONLY = new Set(['K', 's'])
const MAX_DIGITS = 12
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
/** No-break space. */
const SPACE = '\u00a0'

/** A power of ten with superscript digits: `10⁻⁶`. */
export function formatPower(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')
  return `10${exponent < 0 ? '⁻' : ''}${digits}`
}

/**
 * A measured value with its unit: `9.840 mK`, `2.10 × 10⁻⁶ mbar`. All values have the same number of
 * significant digits, so that a column of them can be compared; those with a power have one less.
 */
export function formatReading(value: number, unit: string, digits = 4): string {
  const { number, unit: written } = readingParts(value, unit, digits)
  return written ? `${number}${SPACE}${written}` : number
}

/** A reading with as many digits as tell it from each limit, however near: 20.003 mK, not 20.00 mK. */
export function formatBeside(value: number, unit: string, limits: readonly number[]): string {
  const others = limits.filter((limit) => limit !== value)
  for (let digits = 4; digits < MAX_DIGITS; digits++) {
    const text = formatReading(value, unit, digits)
    if (!others.some((limit) => formatReading(limit, unit, digits) === text)) return text
  }
  return formatReading(value, unit, MAX_DIGITS)
}

/** A limit with all of its digits, and at least `least` of them. */
export function formatReadingLimit(limit: number, unit: string, least = 3): string {
  let digits = least
  while (digits < MAX_DIGITS && Number(limit.toPrecision(digits)) !== limit) digits += 1
  return formatReading(limit, unit, digits)
}

/** Whether values of a unit take prefixes, so that each has to state its own. */
export function isPrefixed(unit: string): boolean {
  return PREFIXED.has(unit)
}

/** The number and the unit, with prefix, of a measured value. */
export function readingParts(value: number, unit: string, digits = 4): { number: string; unit: string } {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return { number: '–', unit }
  if (size === 0) return { number: '0', unit }
  if (PREFIXED.has(unit)) {
    const [factor, prefix] = prefixOf(size, unit, digits)
    const scaled = value / factor
    if (Math.abs(scaled) >= 1e-3 && Math.abs(scaled) < 1e6) {
      return { number: plain(scaled, digits), unit: prefix + unit }
    }
  }
  return { number: plain(value, digits), unit }
}

function prefixOf(size: number, unit: string, digits: number): [number, string] {
  const rounded = Number(size.toPrecision(digits))
  const allowed = SMALL_ONLY.has(unit) ? PREFIXES.filter(([factor]) => factor <= 1) : PREFIXES
  return allowed.find(([factor]) => rounded >= factor * (1 - 1e-9)) ?? [1, '']
}

/** Digits from 0.001 to 999 999, otherwise a power of ten. */
function plain(value: number, digits: number): string {
  const text = value.toPrecision(digits)
  const rounded = Math.abs(Number(text))
  if (rounded >= 1e-3 && rounded < 1e6) {
    return text.includes('e') ? String(Number(text)) : text.replace('-', '−')
  }
  // The power takes the space of a digit.
  const [mantissa = '', exponent = '0'] = value.toExponential(Math.max(0, digits - 2)).split('e')
  return `${mantissa.replace('-', '−')}${SPACE}×${SPACE}${formatPower(Number(exponent))}`
}

/** A tick of a logarithmic axis, a whole power of ten: `10 mK`, `100`, `10⁻⁶`. */
export function formatDecade(value: number, unit: string): string {
  if (PREFIXED.has(unit)) {
    const { number, unit: written } = readingParts(value, unit, 1)
    if (!number.includes('×')) return `${Math.round(Number(number))}${SPACE}${written}`
  }
  const exponent = Math.round(Math.log10(value))
  return Math.abs(exponent) > 3 ? formatPower(exponent) : String(Number(value.toPrecision(1)))
}
