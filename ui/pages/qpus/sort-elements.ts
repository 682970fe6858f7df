import type { Element } from '../../plots/chip/chip.ts'

const names = new Intl.Collator('en', { numeric: true })

/**
 * Elements by a metric or by `name`, `-` in front for the largest first. Elements without the value come
 * last.
 */
export function sortElements(elements: readonly Element[], by: string): readonly Element[] {
  if (by === '') return elements
  const sign = by.startsWith('-') ? -1 : 1
  const field = by.replace(/^-/, '')
  if (field === 'name') return elements.toSorted((one, other) => sign * names.compare(one.name, other.name))
  const sizeOf = ({ readings }: Element) => {
    const value = readings.get(field)?.value
    return value === undefined ? Number.POSITIVE_INFINITY : sign * value
  }
  return elements.toSorted((one, other) => compare(sizeOf(one), sizeOf(other)))
}

/** Differences of infinite values are not numbers. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1
}
