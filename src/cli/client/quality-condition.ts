import { UsageError } from '../command-line/usage-error.ts'

/**
 * Reads `readout_fidelity>0.97`, `two_qubit_error<0.01` and `calibrated_within=2h` into one condition; the
 * server checks names and values.
 * @throws UsageError for a text without a comparison, and for a name that is given twice.
 */
export function parseCondition(texts: readonly string[]): Record<string, string> {
  const condition: Record<string, string> = {}
  for (const text of texts) {
    const [, name = '', operator = '', value = ''] = /^\s*(\w+)\s*([<>]=?|=)\s*(\S+)\s*$/.exec(text) ?? []
    if (name === '')
      throw new UsageError(`--require ${text}: expected a condition such as "readout_fidelity>0.97"`)
    if (Object.hasOwn(condition, name)) throw new UsageError(`--require: ${name} is given twice`)
    condition[name] = operator === '=' ? value : `${operator}${value}`
  }
  return condition
}
