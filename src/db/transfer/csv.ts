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
 * cell. Values are written unchanged, so a cell may look like a formula: import all columns as text.
 */
export function csvLine(columns: readonly string[], row: Row): string {
  return line(columns.map((column) => cellText(row[column])))
}

function line(cells: readonly string[]): string {
  return `${cells.map(quotedCell).join(',')}\r\n`
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function quotedCell(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
