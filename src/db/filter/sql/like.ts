/** Whether `text` contains an unescaped `%`. */
function hasWildcard(text: string): boolean {
  return /^(?:[^\\%]|\\[\s\S])*%/.test(text)
}

/** Number of unescaped `%`. */
export function wildcardsIn(text: string): number {
  return text.replace(/\\[\s\S]/g, '').split('%').length - 1
}

/**
 * The LIKE pattern (escape character `\`) for the right side of `~`: used as given when it contains an
 * unescaped `%`, with a backslash at its end taken literally; otherwise it matches anywhere, with `\ % _`
 * taken literally unless already escaped.
 */
export function likePattern(text: string): string {
  if (hasWildcard(text)) return text.replace(/^((?:[^\\]|\\[\s\S])*)\\$/, '$1\\\\')
  return `%${text.replace(/\\[\\%_]|[\\%_]/g, (found) => (found.length === 2 ? found : `\\${found}`))}%`
}
