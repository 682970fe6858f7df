/** SI prefixes that a quantity of the lab may have, largest first. */
const PREFIXES = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
  [1e-12, 'p'],
] as const
const PREFIXED: ReadonlySet<string> = new Set(['Hz', 's', 'A', 'V', 'W'])
const MAX_DECIMALS = 12
const PLAIN_DIGITS = 6

/** How the numbers of a quantity are written: divided by `factor`, followed by `unit`. */
export interface Scale {
  factor: number
  unit: string
}

/** The scale in which a quantity of this magnitude has 1 to 3 digits before the point. */
export function scaleOf(magnitude: number, unit: string): Scale {
  if (!PREFIXED.has(unit) || magnitude === 0 || !Number.isFinite(magnitude)) return { factor: 1, unit }
  const [factor, prefix] = PREFIXES.find(([least]) => Math.abs(magnitude) >= least * 0.9995) ?? [1e-12, 'p']
  return { factor, unit: `${prefix}${unit}` }
}

/**
 * A value with its standard error in two digits, both with the same prefix: `4.419834 ± 0.000012 GHz`.
 * Without an error, the value in six digits.
 */
export function formatEstimate(value: number, error: number | undefined, unit: string): string {
  const scale = scaleOf(value === 0 ? (error ?? 0) : value, unit)
  const decimals = decimalsOf(error, scale)
  if (decimals === undefined) return withUnit(plain(value / scale.factor), scale)
  const spread = ((error ?? 0) / scale.factor).toFixed(decimals)
  return withUnit(`${(value / scale.factor).toFixed(decimals)} ± ${spread}`, scale)
}

/** A value to compare with an estimate: with its prefix, and to its last digit. */
export function formatBeside(
  value: number,
  estimate: { value: number; error: number | undefined },
  unit: string,
) {
  const scale = scaleOf(estimate.value === 0 ? value : estimate.value, unit)
  const decimals = decimalsOf(estimate.error, scale)
  const scaled = value / scale.factor
  return withUnit(decimals === undefined ? plain(scaled) : String(Number(scaled.toFixed(decimals))), scale)
}

/** Decimals that show two digits of an error; undefined without a valid error. */
function decimalsOf(error: number | undefined, { factor }: Scale): number | undefined {
  if (error === undefined || !(error > 0) || !Number.isFinite(error)) return undefined
  return Math.min(MAX_DECIMALS, Math.max(0, 1 - Math.floor(Math.log10(error / factor))))
}

function plain(value: number): string {
  return String(Number(value.toPrecision(PLAIN_DIGITS)))
}

function withUnit(text: string, { unit }: Scale): string {
  return unit === '' ? text : `${text} ${unit}`
}

/** Round numbers between two limits, at most `count`, with texts that differ. */
export function ticksBetween(low: number, high: number, count: number): { value: number; text: string }[] {
  const span = high - low
  if (!(span > 0) || count < 1) return [{ value: low, text: String(Number(low.toPrecision(PLAIN_DIGITS))) }]
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999) ?? 10 * power
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  const first = Math.ceil(low / step - 1e-6)
  const last = Math.floor(high / step + 1e-6)
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const value = (first + at) * step
    return { value, text: (value === 0 ? 0 : value).toFixed(decimals) }
  })
}
