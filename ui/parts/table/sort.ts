/** The direction in which rows are sorted by a field. */
export function sortDirection(by: string, field: string): 'ascending' | 'descending' | 'none' {
  if (by === field) return 'ascending'
  return by === `-${field}` ? 'descending' : 'none'
}

/** The order after a press on a heading: numbers begin with the largest, text with the smallest. */
export function nextSort(by: string, field: string, number = false): string {
  const direction = sortDirection(by, field)
  if (direction === 'none') return number ? `-${field}` : field
  return direction === 'ascending' ? `-${field}` : field
}
