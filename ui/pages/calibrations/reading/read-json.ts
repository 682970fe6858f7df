/** The items of a list; none of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text; numbers as they are written, empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A finite number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The finite numbers of a list if it has no other items, otherwise none. */
export function numbersOf(value: unknown): number[] {
  const items = listOf(value)
  const numbers = items.filter((item): item is number => numberOf(item) !== undefined)
  return numbers.length === items.length ? numbers : []
}
