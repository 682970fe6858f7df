import { Fault } from '../fault.ts'

/** Words that began a statement before OpenQASM 3.0, or in OpenQASM 2 only, and what is written today. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['kernel', 'extern'],
  ['length', 'duration'],
  ['stretchinf', 'stretch'],
  ['boxas', 'box'],
  ['boxto', 'box[duration]'],
])

/** The error for a spelling from before OpenQASM 3.0. */
export function oldSpelling(at: number, written: string, today: string): Fault {
  return new Fault('syntax_error', at, `${written} is a spelling from before OpenQASM 3.0: write ${today}`)
}

/** The error for a statement that begins with this word; undefined for other words. */
export function oldWord(at: number, word: string): Fault | undefined {
  if (word === 'opaque')
    return new Fault(
      'syntax_error',
      at,
      '"opaque" exists in OpenQASM 2 only: define the gate, or begin with OPENQASM 2.0',
    )
  const today = WORDS.get(word)
  return today === undefined ? undefined : oldSpelling(at, `"${word}"`, today)
}
