/**
 * Words that no declared name may contain, compared as whole words after splitting at capitals, underscores
 * and digits: `heartbeat` is fine. Only words that no field uses in any sense;
 * `docs/reference/glossary.md` has the words to use.
 */
export const BANNED_WORDS: ReadonlySet<string> = new Set([
  'told',
  'tell',
  'tells',
  'teller',
  'telling',
  'hear',
  'hears',
  'heard',
  'ailment',
  'ailments',
  'anew',
  'hasten',
  'hastens',
  'woken',
  'complain',
  'complains',
  'complaint',
  'complaints',
])

/** First words that no constant may have: a limit is `MAX_…`. */
export const BANNED_FIRST_WORDS = /^_*(MOST|LONGEST)_/
