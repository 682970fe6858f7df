/** A range of times in Unix ms; `end` is excluded. */
export interface Range {
  start: number
  end: number
}

/** The ranges that share time with another one, in order. */
export function overlapping<R extends Range>(range: Range, busy: readonly R[]): R[] {
  return busy
    .filter(({ start, end }) => start < range.end && end > range.start)
    .toSorted((one, other) => one.start - other.start)
}

/**
 * The free range of the same length that is nearest to the wanted one, the earlier of two; undefined when
 * there is none within `limits`.
 */
export function nearestFree(wanted: Range, busy: readonly Range[], limits: Range): Range | undefined {
  const length = wanted.end - wanted.start
  const starts = [
    wanted.start,
    limits.start,
    limits.end - length,
    ...busy.flatMap(({ start, end }) => [end, start - length]),
  ]
  return starts
    .map((start) => ({ start, end: start + length }))
    .filter(({ start, end }) => start >= limits.start && end <= limits.end)
    .filter((range) => overlapping(range, busy).length === 0)
    .toSorted((one, other) => distance(one, wanted) - distance(other, wanted) || one.start - other.start)[0]
}

function distance(range: Range, wanted: Range): number {
  return Math.abs(range.start - wanted.start)
}

/** The part of a range before the first conflict; undefined when it begins within one. */
export function shortened(wanted: Range, busy: readonly Range[]): Range | undefined {
  const [first] = overlapping(wanted, busy)
  return first && first.start > wanted.start ? { start: wanted.start, end: first.start } : undefined
}

/** Ranges that touch or overlap, joined. */
export function joined(busy: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const { start, end } of busy.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

/** The free ranges within limits. */
export function freeWithin(limits: Range, busy: readonly Range[]): Range[] {
  const free: Range[] = []
  let from = limits.start
  for (const { start, end } of joined(overlapping(limits, busy))) {
    if (start > from) free.push({ start: from, end: start })
    from = Math.max(from, end)
  }
  if (from < limits.end) free.push({ start: from, end: limits.end })
  return free
}
