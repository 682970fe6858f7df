import {
  checkProgram,
  type Drawing,
  drawProgram,
  lowerProgram,
  parseProgram,
  QasmError,
} from '../../../src/qasm/index.ts'
import type { Description } from '../../api/model/qpus/chip.ts'
import { type Expected, expectedFidelity } from '../fidelity/expected-fidelity.ts'
import type { Diagnostics } from '../problems.ts'

/** More symbols than this do not help to understand a program. */
const MAX_STEPS = 400

/** Checks a program with the parser that the server uses. */
export function findProblems(text: string): Diagnostics {
  const { inputs, problems, qubits } = checkProgram(text)
  return {
    text,
    inputs: inputs.map(({ name }) => name),
    qubits,
    problems: problems.map(({ message, line, column }) => ({
      field: 'program',
      text: message,
      line,
      column,
    })),
  }
}

/** A diagram, and the line of the first error, where it ends. */
export interface Diagram {
  drawing: Drawing
  errorLine: number | undefined
}

/**
 * The diagram of a program up to its first error; undefined if nothing before it can be drawn. `values` are
 * bound to the inputs; missing ones are 0.
 */
export function drawDiagram(text: string, values: readonly number[]): Diagram | undefined {
  try {
    return { drawing: draw(text, values), errorLine: undefined }
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
    const before = text
      .split('\n')
      .slice(0, error.line - 1)
      .join('\n')
    try {
      const drawing = draw(before, values)
      return drawing.qregs.length > 0 ? { drawing, errorLine: error.line } : undefined
    } catch {
      return undefined
    }
  }
}

/** Gates of a program whose fidelity is predicted while it is typed. */
const MAX_PREDICTED_OPERATIONS = 100_000

/**
 * The fidelity that one execution of a program has on a described QPU; undefined for a program with problems,
 * or with more gates than are counted. `values` are bound to the inputs; missing ones are 0.
 */
export function predictFidelity(
  text: string,
  values: readonly number[],
  description: Description,
): Expected | undefined {
  try {
    const program = parseProgram(text)
    const bound = program.inputs.map((_, index) => values[index] ?? 0)
    return expectedFidelity(
      lowerProgram(program, bound, { operations: MAX_PREDICTED_OPERATIONS }),
      description,
    )
  } catch (error) {
    if (error instanceof QasmError) return undefined
    throw error
  }
}

function draw(text: string, values: readonly number[]): Drawing {
  const program = parseProgram(text)
  return drawProgram(
    program,
    program.inputs.map((_, index) => values[index] ?? 0),
    MAX_STEPS,
  )
}
