type Row = Readonly<Record<string, unknown>>

/**
 * Rows as CSV (RFC 4180): a line of column names, then one line per row; see `csvLine`. One row is in memory
 * at a time.
 */
export async function* toCsv(
  columns: readonly string[],
  rows: Iterable<Row> | AsyncIterable<Row>,
): AsyncGenerator<string, void, undefined> {
  yield csvHead(columns)
  for await (const row of rows) yield csvLine(columns, row)
}

/** The line of column names. */
export function csvHead(columns: readonly string[]): string {
  return line(columns)
}

/**
 * One row as a line of CSV, ended by CRLF. Lists and objects are JSON text in their cell; null is an empty
 * cell. A text that a spreadsheet would run as a formula has an apostrophe before it; JSON lines have the
 * values unchanged.
 */
export function csvLine(columns: readonly string[], row: Row): string {
  return line(columns.map((column) => cellText(row[column])))
}

function line(cells: readonly string[]): string {
  return `${cells.map(quotedCell).join(',')}\r\n`
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What begins a formula in common spreadsheets, also in the wide forms of East Asian ones. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

function quotedCell(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
