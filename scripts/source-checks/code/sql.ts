import { BANNED_SQL, COMMON_SQL } from '../../source-rules/sql.ts'
import { lineOf } from '../../source-text.ts'
import type { Breach } from '../breach.ts'
import type { SourceFile } from '../source-tree.ts'

/** A string or a template of a file. Code inside a template is one `¤`, followed by spaces. */
interface Literal {
  start: number
  text: string
}

/** A template that is being read; `depth` counts the braces of the code in it, 0 = in its text. */
interface OpenTemplate extends Literal {
  depth: number
}

/** The strings and templates of a file at their places. */
function literalsOf({ source, code }: Pick<SourceFile, 'source' | 'code'>): Literal[] {
  const found: Literal[] = []
  const open: OpenTemplate[] = []
  for (let at = 0; at < code.length; at += 1) {
    const template = open.at(-1)
    at = template?.depth === 0 ? readText(template, at) : readCode(template, at)
  }
  return found

  /** Reads one character of the text of a template, or what begins code; returns the last position read. */
  function readText(template: OpenTemplate, at: number): number {
    if (code[at] === '`') {
      open.pop()
      found.push(template)
    } else if (code.startsWith('${', at)) {
      template.text += '¤'
      template.depth = 1
      return at + 1
    } else template.text += source.charAt(at)
    return at
  }

  /** Reads one character of code, or a string; returns the last position read. */
  function readCode(template: OpenTemplate | undefined, at: number): number {
    const char = code.charAt(at)
    if (char === "'" || char === '"') return readString(at)
    if (char === '`') open.push({ start: at + 1, text: '', depth: 0 })
    else if (template && char === '{') template.depth += 1
    else if (template && char === '}') {
      template.depth -= 1
      if (template.depth === 0) template.text = template.text.padEnd(at + 1 - template.start)
    }
    return at
  }

  function readString(at: number): number {
    const end = code.indexOf(code.charAt(at), at + 1)
    if (end < 0) return at
    found.push({ start: at + 1, text: source.slice(at + 1, end) })
    return end
  }
}

/** A word or a parameter that prose does not have. */
const IS_SQL =
  /\b(SELECT|FROM|WHERE|JOIN|SET|VALUES|AND|OR|NOT|CASE|WHEN|IN|IS|BY|CREATE|CHECK|UNION|EXISTS|HAVING|LIMIT|CONFLICT|TEXT|INTEGER)\b|\b(min|max|round|random|instr|typeof|strftime|julianday|unixepoch)\(|(?<![\w$])\$[a-z]\w*/

/** SQL that is not the same for all databases. */
export function checkSql(file: SourceFile): Breach[] {
  if (!COMMON_SQL.test(file.file)) return []
  return literalsOf(file)
    .filter(({ text }) => IS_SQL.test(text))
    .flatMap(({ start, text }) => {
      const statement = text
        .replace(/\\n/g, '  ')
        .replace(/'[^'\n]*'/g, (quoted) => `'${' '.repeat(quoted.length - 2)}'`)
      return BANNED_SQL.flatMap(({ what, pattern, reason }) =>
        [...statement.matchAll(pattern)].map((match) => ({
          file: file.file,
          line: lineOf(file.source, start + match.index),
          rule: `SQL ${what}: ${match[0].replace(/\s+/g, ' ').slice(-40)}`,
          reason,
        })),
      )
    })
}
