/**
 * Reads `readout_fidelity>0.97`, `two_qubit_error<0.01` and `calibrated_within=2h` into one condition; the
 * server checks names and values.
 * @throws SyntaxError for a text without a comparison, and for a name that is given twice.
 */
export function parseQualityCondition(texts: readonly string[]): Record<string, string> {
  const condition: Record<string, string> = {}
  for (const text of texts) {
    const [, name = '', operator = '', value = ''] = /^\s*(\w+)\s*([<>]=?|=)\s*(\S+)\s*$/.exec(text) ?? []
    if (name === '') throw new SyntaxError(`${text}: expected a condition such as "readout_fidelity>0.97"`)
    if (Object.hasOwn(condition, name)) throw new SyntaxError(`${name} is given twice`)
    condition[name] = operator === '=' ? value : `${operator}${value}`
  }
  return condition
}

/** A condition in the form that `parseQualityCondition` reads, with commas. */
export function formatQualityCondition(condition: Readonly<Record<string, string>>): string {
  return Object.entries(condition)
    .map(([name, value]) => `${name}${/^[<>]/.test(value) ? '' : '='}${value}`)
    .join(', ')
}
