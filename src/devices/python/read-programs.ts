import type { JobPayload } from '../../protocol/index.ts'
import { inputProblem, parseProgram, QasmError, type TypedInput } from '../../qasm/index.ts'
import { JobError } from '../errors.ts'
import { foreignGate } from './foreign-gates.ts'

/** A parameter of a program: where it is declared, in code points, and the form of its value. */
interface PythonInput {
  /** Start of the keyword `input`. */
  start: number
  /** End of the name. */
  end: number
  form: 'float' | 'int' | 'bool' | 'duration'
}

/** What a device in Python learns of a program without parsing it. */
interface PythonProgram {
  qubits: number
  clbits: number
  qregs: [string, number][]
  cregs: [string, number][]
  inputs: PythonInput[]
}

/** What the device describes of itself. */
interface Described {
  /** The only gates that it runs; any by default. */
  gates?: ReadonlySet<string> | undefined
  /** Length of one `dt`, s; 1 ns by default. */
  dt?: number | undefined
}

/**
 * Parses the programs of a job.
 * @throws JobError for the first program with an error or with another gate, and for parameter sets that do
 *   not fit their program.
 */
export function readPrograms({ circuits }: JobPayload, described: Described = {}): PythonProgram[] {
  return circuits.map(({ circuit, parameter_values: sets = [] }, index) => {
    const program = readProgram(circuit, index, described)
    checkParameters(program.inputs, sets, index)
    for (const set of sets) checkValues(program.inputs, set, index)
    return program.read
  })
}

function readProgram(
  text: string,
  circuitIndex: number,
  { gates, dt }: Described,
): { read: PythonProgram; inputs: readonly TypedInput[] } {
  try {
    const { layout, statements, inputs: declared } = parseProgram(text, { dt })
    const foreign = gates && foreignGate({ statements }, gates)
    if (gates && foreign !== undefined) throw undescribed(foreign, gates, circuitIndex)
    const offsetOf = codePointOffsets(text)
    const inputs: PythonInput[] = []
    for (const node of statements) {
      if (node.kind !== 'declare' || node.form !== 'input') continue
      const [start, end] = [offsetOf(node.at), offsetOf(node.nameAt + node.name.length)]
      inputs.push({ start, end, form: formOf(declared[inputs.length]?.type) })
    }
    const { qubits, hardware, clbits, qregs, cregs } = layout
    return {
      read: { qubits: qubits + hardware, clbits, qregs, cregs, inputs },
      inputs: declared,
    }
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
    const { line, column, message, code } = error
    const where = line > 0 ? `, line ${line}, column ${column}` : ''
    throw new JobError(`circuit ${circuitIndex}${where}: ${message}`, { errorCode: code, circuitIndex })
  }
}

/** Names of gates that an error message lists. */
const MAX_GATES_SHOWN = 20

function undescribed(gate: string, gates: ReadonlySet<string>, circuitIndex: number): JobError {
  const shown = [...gates].slice(0, MAX_GATES_SHOWN).join(', ')
  const message = `circuit ${circuitIndex}: the device does not describe the gate ${gate}; compile the program for ${shown}`
  return new JobError(message, { errorCode: 'unsupported_gate', circuitIndex })
}

/** Python counts code points, JavaScript half of what is outside of the basic plane. */
function codePointOffsets(text: string): (at: number) => number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of one unit per character
  if (/^[\x00-\x7f]*$/.test(text)) return (at) => at
  return (at) => [...text.slice(0, at)].length
}

function formOf(type: TypedInput['type'] | undefined): PythonInput['form'] {
  switch (type?.kind) {
    case 'int':
    case 'uint':
    case 'bit':
    case 'bits':
      return 'int'
    case 'bool':
    case 'duration':
      return type.kind
    default:
      return 'float'
  }
}

function checkParameters(
  inputs: readonly TypedInput[],
  sets: readonly number[][],
  circuitIndex: number,
): void {
  const expected = inputs.length
  // Clients send the values along with a circuit that they have already bound.
  if (expected === 0 && sets.length <= 1) return
  const errorOf = (found: string) =>
    new JobError(`circuit ${circuitIndex} takes ${expected} parameter${expected === 1 ? '' : 's'}${found}`, {
      errorCode: 'parameter_count',
      circuitIndex,
    })
  if (sets.length === 0) {
    const names = inputs.slice(0, 5).map(({ name }) => name)
    throw errorOf(` (${names.join(', ')}${expected > 5 ? ', …' : ''}), parameter_values has none`)
  }
  const wrong = sets.findIndex((set) => set.length !== expected)
  if (wrong >= 0) throw errorOf(`, set ${wrong} has ${sets[wrong]?.length ?? 0}`)
}

/** Refuses values that the types of their inputs do not represent. */
function checkValues(inputs: readonly TypedInput[], set: readonly number[], circuitIndex: number): void {
  for (const [at, input] of inputs.entries()) {
    const problem = inputProblem(input, set[at] ?? 0)
    if (problem !== undefined)
      throw new JobError(`circuit ${circuitIndex}: ${problem}`, { errorCode: 'invalid_value', circuitIndex })
  }
}
