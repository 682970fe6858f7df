/** Rows as JSON lines: one object a line, each line ended. Holds one row at a time. */
export async function* toJsonLines(
  rows: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
