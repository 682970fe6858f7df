import { nearestWords } from '../../base/settings/nearest.ts'

/** Names that are compared with an unknown one at most: programs may declare thousands. */
const MAX_CANDIDATES = 200

/** Equally similar names that a message contains at most. */
const MAX_NAMED = 3

/**
 * A question that names what was probably meant, such as `; did you mean "cx"?`; empty if no candidate is
 * similar.
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const comparable = new Set<string>()
  for (const candidate of candidates) {
    if (comparable.size === MAX_CANDIDATES) break
    if (isComparable(name, candidate)) comparable.add(candidate)
  }
  const near = nearestWords(name, [...comparable]).slice(0, MAX_NAMED)
  return near.length === 0 ? '' : `; did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`
}

/** Whether names are about as long and share a character: any two of one letter are one change apart. */
function isComparable(name: string, other: string): boolean {
  const known = name.toLowerCase()
  const isShared = [...other.toLowerCase()].some((character) => known.includes(character))
  return isShared && Math.abs(name.length - other.length) <= 2
}
