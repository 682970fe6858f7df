/** The ids of a selection after one more click; with Shift, all between the last click and this one. */
export function select(
  rows: readonly string[],
  selected: ReadonlySet<string>,
  { id, last, isRange }: { id: string; last: string | undefined; isRange: boolean },
): ReadonlySet<string> {
  const next = new Set(selected)
  const isOn = !next.has(id)
  const [from, to] = [rows.indexOf(last ?? ''), rows.indexOf(id)]
  const range = isRange && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
  for (const each of range) {
    if (isOn) next.add(each)
    else next.delete(each)
  }
  return next
}
