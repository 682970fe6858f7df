import { lowerProgram, parseProgram, QasmError } from '../../../src/qasm/index.ts'
import type { Execution } from '../jobs.ts'
import { type Ideal, idealDistribution } from './ideal-distribution.ts'

/** Gates of a program whose ideal distribution is calculated. */
const MAX_OPERATIONS = 20_000

/** The ideal distribution of an execution, or why a page cannot calculate it. */
export function findIdeal({ text, values }: Execution): Ideal {
  try {
    const program = parseProgram(text)
    // Clients send the values along with a program that they have bound already.
    const bound = program.inputs.length === 0 ? [] : values
    return idealDistribution(lowerProgram(program, bound, { operations: MAX_OPERATIONS }))
  } catch (error) {
    if (error instanceof QasmError) return { unknown: error.message }
    throw error
  }
}
