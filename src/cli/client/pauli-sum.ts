import { UsageError } from '../command-line/usage-error.ts'

const TERM = /([+-]?)\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?)?\s*\*?\s*([IXYZ]+)\s*/gy

/**
 * A sum of Pauli operators by label, as `0.5 ZZ - XI`; equal labels add up.
 * @throws UsageError for a text that is none.
 */
export function parsePauliSum(text: string): Record<string, number> {
  const sum: Record<string, number> = {}
  const whole = text.trim()
  let end = 0
  for (const [found, sign, factor = '1', label = ''] of whole.matchAll(TERM)) {
    if (end > 0 && sign === '') break
    end += found.length
    sum[label] = (sum[label] ?? 0) + (sign === '-' ? -1 : 1) * Number(factor)
  }
  if (end > 0 && end === whole.length) return sum
  throw new UsageError(`--expectation ${text}: expected a sum such as "0.5 ZZ - XI", a letter for each qubit`)
}
