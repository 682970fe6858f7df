/**
 * How often a test of docs/reference/faults.md tries its fault: `FAULT_RUNS` for the long form,
 * else `short`, which fits into the ordinary test run.
 */
export function faultRuns(short: number): number {
  const wanted = process.env['FAULT_RUNS']
  if (wanted === undefined) return short
  if (!/^[1-9]\d{0,8}$/.test(wanted)) throw new Error(`FAULT_RUNS: expected a number, not ${wanted}`)
  return Number(wanted)
}

/** Prints the closing line of a row, in the long form only. */
export function closeRow(row: string, figures: Readonly<Record<string, string | number>>): void {
  if (process.env['FAULT_RUNS'] === undefined) return
  const parts = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  console.log(`${row}: ${parts.join(', ')}`)
}
