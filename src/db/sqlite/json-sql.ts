/**
 * A stored list as JSON that SQLite can read, else NULL. SQLite may put what a column is compared with in the
 * column's place (`staff = 'x' AND json_array_length(staff) = 1`), so no JSON function may trust a column.
 */
export function jsonOf(reference: string): string {
  return `CASE WHEN json_valid(${reference}) THEN ${reference} END`
}

/** The value at `path`, an SQL expression; NULL when it is missing or the JSON cannot be read. */
export function jsonAt(reference: string, path: string): string {
  return `CASE WHEN json_valid(${reference}) THEN json_extract(${reference}, ${path}) END`
}
