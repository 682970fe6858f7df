/** Rows as JSON lines: one object per line, each line ended. One row is in memory at a time. */
export async function* toJsonLines(
  rows: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
