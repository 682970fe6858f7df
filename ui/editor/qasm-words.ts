const KEYWORDS = new Set(
  'OPENQASM include gate def extern defcal defcalgrammar cal opaque if else for while in switch case default break continue return end let const input output measure reset barrier delay box ctrl negctrl inv pow nop readonly mutable pragma'.split(
    ' ',
  ),
)
const TYPES = new Set(
  'qubit bit int uint float angle bool complex duration stretch array void creg qreg'.split(' '),
)
const CONSTANTS = new Set('pi tau euler π τ ℇ true false im'.split(' '))

/** What a word of OpenQASM is; null for a name. */
export function wordClass(word: string): 'keyword' | 'typeName' | 'atom' | null {
  if (KEYWORDS.has(word)) return 'keyword'
  if (TYPES.has(word)) return 'typeName'
  return CONSTANTS.has(word) ? 'atom' : null
}

const TOKEN =
  /(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"[^"\n]*"?)|(?<number>\$\d+|(?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[+-]\d+\w*)?)|(?<word>[\p{L}_][\p{L}\p{N}_]*)/gu

/** A program in parts, each with what it is; null for names and punctuation. */
export function coloredParts(text: string): { text: string; kind: string | null }[] {
  const parts: { text: string; kind: string | null }[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of text.matchAll(TOKEN)) {
    const [kind] = Object.keys(groups).filter((name) => groups[name] !== undefined)
    const shown = kind === 'word' ? wordClass(found) : (kind ?? null)
    if (shown === null) continue
    if (index > end) parts.push({ text: text.slice(end, index), kind: null })
    parts.push({ text: found, kind: shown })
    end = index + found.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), kind: null })
  return parts
}
