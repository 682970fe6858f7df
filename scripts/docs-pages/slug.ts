/**
 * Makes the anchors of one page from its headings, with the rules of GitHub, so that a link works in both
 * places: lower case, no punctuation, hyphens for spaces, a number for the second heading of the same words.
 */
export function createSlugger(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
