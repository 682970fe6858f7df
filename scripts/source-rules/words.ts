/**
 * Words that no declared name may contain, compared as whole words after splitting at capitals, underscores
 * and digits. `heartbeat` and a call of `Math.floor` are fine. `docs/reference/glossary.md` has the words to
 * use.
 */
export const BANNED_WORDS: ReadonlySet<string> = new Set([
  ...['told', 'tell', 'tells', 'teller', 'telling', 'hear', 'hears', 'heard'],
  ...['ailment', 'ailments', 'vitals', 'anew', 'hasten', 'hastens', 'woken', 'patience'],
  ...['complain', 'complains', 'complaint', 'complaints', 'letter', 'letters', 'outlook', 'outlooks'],
  ...['room', 'rooms', 'desk', 'desks', 'crew', 'crews', 'judge', 'judges', 'floor', 'floors'],
])

/** First words that no constant may have: a limit is `MAX_…`. */
export const BANNED_FIRST_WORDS = /^_*(MOST|LONGEST)_/

/** A declared name that may contain a banned word, because it is a term of its domain. */
export interface WordException {
  name: string
  /** Files in which the name is allowed, as a path prefix. */
  where: string
  reason: string
}

export const MAX_WORD_EXCEPTIONS = 10

export const WORD_EXCEPTIONS: readonly WordException[] = []
