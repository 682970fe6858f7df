/** Number of single-character insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

/**
 * The words that are equally similar to `text`; none if no word is similar enough to be a likely intention.
 * Hyphens and underscores count as equal.
 */
export function nearestWords(text: string, words: readonly string[]): string[] {
  // Long input is not a typing error, and the cost of the distance grows with its length times the word's.
  if (text.length > 100) return []
  const ranked = words
    .map((word) => ({ word, distance: editDistance(normalized(text), normalized(word)) }))
    .filter(({ word, distance }) => distance <= Math.max(2, word.length / 3))
  const least = Math.min(...ranked.map(({ distance }) => distance))
  return ranked.filter(({ distance }) => distance === least).map(({ word }) => word)
}

/** The first of the words most similar to `text`; undefined when none is similar enough. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  return nearestWords(text, words)[0]
}

function normalized(word: string): string {
  return word.toLowerCase().replaceAll('-', '_')
}
