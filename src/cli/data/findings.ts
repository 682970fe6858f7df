import type { Finding } from '../../db/index.ts'

/** Prints one line per broken invariant. */
export function printFindings(findings: readonly Finding[]): void {
  for (const { id, text, rows } of findings) console.log(`${id}: ${text} (${rows.length} rows)`)
}

/** Makes the exit status 1 when an examination has found anything. */
export function failOn(findings: readonly Finding[]): void {
  if (findings.length > 0) process.exitCode = 1
}
