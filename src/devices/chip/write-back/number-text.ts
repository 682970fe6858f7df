/** Numbers outside these limits are written with an exponent. */
const [SMALLEST, LARGEST] = [1e-3, 1e6]

/**
 * The shortest text of a number that reads back as the same number. It has a point and, with an exponent, the
 * sign of that: readers of YAML 1.1 such as PyYAML take `3e-7` and `4.8e9` for texts.
 * @throws RangeError for a number that is not finite.
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be a value in a file`)
  const size = Math.abs(value)
  if (size === 0) return '0.0'
  const text = size < SMALLEST || size >= LARGEST ? value.toExponential() : String(value)
  const [digits = '', exponent] = text.split('e')
  const decimal = digits.includes('.') ? digits : `${digits}.0`
  return exponent === undefined ? decimal : `${decimal}e${exponent}`
}
