// Controls (C0, DEL and C1), halves of surrogate pairs, and marks that turn the direction of what follows.
const REFUSED = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u
const REFUSED_IN_LINES = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

/**
 * What is wrong with a text that a person writes, such as a name or a reason; undefined if nothing.
 * `hasLines` allows tabs and line ends. Joiners within words of some scripts are allowed everywhere.
 */
export function textProblem(text: string, { hasLines = false } = {}): string | undefined {
  const [found] = (hasLines ? REFUSED_IN_LINES : REFUSED).exec(text) ?? []
  if (found === undefined) return undefined
  const code = found.charCodeAt(0)
  const what =
    code >= 0xd800 && code <= 0xdfff
      ? 'half of a surrogate pair'
      : code >= 0x2000
        ? 'a mark that changes the direction of the text'
        : 'a control character'
  return `Must not contain ${what} (U+${code.toString(16).toUpperCase().padStart(4, '0')}); remove it.`
}
