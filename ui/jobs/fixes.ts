import { offsetOf, type Problem } from './problems.ts'

/** A change of the text that removes a problem: `insert` replaces the text between two offsets. */
interface Fix {
  label: string
  from: number
  to: number
  insert: string
}

/** The change that certainly is what was meant; undefined when there is none or more than one. */
export function fixOf(text: string, { text: message, line, column }: Problem): Fix | undefined {
  if (line === undefined || column === undefined) return undefined
  const at = offsetOf(text, line, column)
  if (message.startsWith('Expected ";"')) return insertSemicolon(text, at)
  const meant = /; did you mean "([^"]+)"\?$/.exec(message)?.[1]
  const name = /^\w+/.exec(text.slice(at))?.[0]
  if (meant === undefined || name === undefined) return undefined
  return { label: `Use ${meant}`, from: at, to: at + name.length, insert: meant }
}

function insertSemicolon(text: string, at: number): Fix | undefined {
  const before = text.slice(0, at).trimEnd()
  // A comment in between would swallow the semicolon.
  if (/\/\/[^\n]*$/.test(before)) return undefined
  return { label: 'Insert ;', from: before.length, to: before.length, insert: ';' }
}
