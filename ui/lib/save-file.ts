import { MINUTE_MS } from '../../src/base/portable/units.ts'

/** Hands a file to the browser to be saved. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser reads the file after the click; a revoked address would end the download.
  setTimeout(() => URL.revokeObjectURL(link.href), MINUTE_MS)
}

/**
 * Rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula has an apostrophe before it;
 * numbers are as they are.
 */
export function csvText(rows: Iterable<readonly unknown[]>): string {
  return Array.from(rows, (row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** What begins a formula in common spreadsheets, also in the wide forms of East Asian ones. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

function cell(value: unknown): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
