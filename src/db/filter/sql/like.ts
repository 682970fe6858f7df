/** Whether `text` has a `%` that no backslash escapes. */
function hasWildcard(text: string): boolean {
  return /^(?:[^\\%]|\\[\s\S])*%/.test(text)
}

/**
 * The LIKE pattern (escape character `\`) of a text right of `~`: used as given when it has an unescaped `%`,
 * otherwise searched for anywhere, with `\ % _` taken literally unless they are escaped already.
 */
export function likePattern(text: string): string {
  if (hasWildcard(text)) return text
  return `%${text.replace(/\\[\\%_]|[\\%_]/g, (found) => (found.length === 2 ? found : `\\${found}`))}%`
}
