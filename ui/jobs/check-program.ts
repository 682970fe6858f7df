import { checkProgram } from '../../src/qasm/index.ts'
import type { Diagnostics } from './problems.ts'

/** Checks a program with the parser that the server uses. */
export function findProblems(text: string): Diagnostics {
  const { inputs, problems } = checkProgram(text)
  return {
    text,
    inputs,
    problems: problems.map(({ message, line, column }) => ({
      field: 'program',
      text: message,
      line,
      column,
    })),
  }
}
