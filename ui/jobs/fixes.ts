import { offsetOf, type Problem } from './problems.ts'

/** A change of the text that removes a problem: `insert` replaces the text between two offsets. */
interface Fix {
  label: string
  from: number
  to: number
  insert: string
}

/** Gates of `stdgates.inc` and `qelib1.inc`. */
const STANDARD_GATES =
  'p x y z h s sdg t tdg sx sxdg id rx ry rz cx cy cz cp crx cry crz ch cs csx swap ccx ccz cswap cu u1 u2 u3 U'.split(
    ' ',
  )

/** The change that certainly is what was meant; undefined when there is none or more than one. */
export function fixOf(text: string, { text: message, line, column }: Problem): Fix | undefined {
  if (line === undefined || column === undefined) return undefined
  const at = offsetOf(text, line, column)
  const library = /include "([\w.]+)"$/.exec(message)?.[1]
  const name = /^\w+/.exec(text.slice(at))?.[0]
  if (message.startsWith('Expected ";"')) return insertSemicolon(text, at)
  if (message.startsWith('There is no gate') && name) {
    if (library && STANDARD_GATES.includes(name)) return includeLibrary(text, library)
    return replaceName(name, at, [...STANDARD_GATES, ...namesOf(text, /\bgate\s+(\w+)/g)])
  }
  if (message.endsWith('is not declared') && name) return replaceName(name, at, declaredNames(text))
  return undefined
}

function insertSemicolon(text: string, at: number): Fix | undefined {
  const before = text.slice(0, at).trimEnd()
  // A comment in between would swallow the semicolon.
  if (/\/\/[^\n]*$/.test(before)) return undefined
  return { label: 'Insert ;', from: before.length, to: before.length, insert: ';' }
}

function includeLibrary(text: string, library: string): Fix {
  const version = /^\s*OPENQASM\s+[\d.]+\s*;[^\n]*\n?/m.exec(text)
  const from = version ? version.index + version[0].length : 0
  return { label: `Include ${library}`, from, to: from, insert: `include "${library}";\n` }
}

function replaceName(name: string, at: number, known: readonly string[]): Fix | undefined {
  const near = [...new Set(known)].filter((each) => each !== name && isNear(name, each))
  const [only] = near
  if (only === undefined || near.length > 1) return undefined
  return { label: `Use ${only}`, from: at, to: at + name.length, insert: only }
}

function declaredNames(text: string): string[] {
  const sized = /\b(?:qubit|bit|int|uint|float|angle|bool|duration|complex)(?:\s*\[[^\]]*\])?\s+(\w+)/g
  return [...namesOf(text, sized), ...namesOf(text, /\b(?:qreg|creg|let|const\s+\w+)\s+(\w+)/g)]
}

function namesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

/** Whether one inserted, removed or changed character, or two swapped ones, make one name the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.length > 1 && isSwapped)
  )
}
