import type { Finding } from '../../db/index.ts'

/** Prints each broken invariant with its examples. */
export function printFindings(findings: readonly Finding[]): void {
  for (const { id, text, rows } of findings) {
    console.log(`${id}: ${text} (${rows.length} rows)`)
    for (const row of rows) console.log(`  ${JSON.stringify(row)}`)
  }
}

/** Makes the exit status 1 when an examination has found anything. */
export function failOn(findings: readonly Finding[]): void {
  if (findings.length > 0) process.exitCode = 1
}
