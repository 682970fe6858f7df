interface Wanted<T> {
  distance(one: T): number
  count: number
  /** Largest distance; any by default. */
  most?: number
}

/** The `count` nearest of `all`, nearest first, and of those that are as near the later ones first. */
export function nearestOf<T>(
  all: readonly T[],
  { distance, count, most = Number.POSITIVE_INFINITY }: Wanted<T>,
): T[] {
  // For up to 120 at each end of a job, mostly as near as each other: a sort takes twice as long.
  const found: T[] = []
  const distances: number[] = []
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const one = all[at] as T
    const far = distance(one)
    if (far > most || (found.length === count && far >= (distances[count - 1] as number))) continue
    let place = Math.min(found.length, count - 1)
    for (; place > 0 && (distances[place - 1] as number) > far; place -= 1) {
      found[place] = found[place - 1] as T
      distances[place] = distances[place - 1] as number
    }
    found[place] = one
    distances[place] = far
  }
  return found
}
