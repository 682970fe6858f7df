import { MAX_ACQUISITIONS, type Sequence } from '../../../../src/devices/bench/sequencer/sequence.ts'
import type { SequencerMemory } from '../../../../src/devices/chip/hardware/modules.ts'
import { assemble, type Instruction } from './assemble.ts'
import { MAX_WAVEFORM_INDEX } from './instructions.ts'

/** The largest program text that a module accepts, in bytes. */
export const MAX_PROGRAM_BYTES = 10_496_000

/**
 * Everything because of which a module would refuse a sequence or run it otherwise than it reads:
 * instructions, memory, references to waveforms and bins, and registers that are read too early. Its cost is
 * linear in the length of the program.
 * @returns the problems, with the line where one has a line; none for a sequence that runs.
 */
export function checkSequence(sequence: Sequence, limits: SequencerMemory): string[] {
  const size = Buffer.byteLength(sequence.program)
  if (size > MAX_PROGRAM_BYTES)
    return [`the program has ${size} bytes; at most ${MAX_PROGRAM_BYTES} are accepted`]
  const { instructions, problems } = assemble(sequence.program)
  return [
    ...problems,
    ...memoryProblems(sequence, instructions.length, limits),
    ...referenceProblems(instructions, sequence, limits),
    ...flowProblems(instructions),
  ]
}

function memoryProblems(sequence: Sequence, instructions: number, limits: SequencerMemory): string[] {
  const waveforms = Object.values(sequence.waveforms)
  const acquisitions = Object.values(sequence.acquisitions)
  const samples = waveforms.reduce((sum, { data }) => sum + data.length, 0)
  const bins = acquisitions.reduce((sum, each) => sum + each.bins, 0)
  const beyond = (what: string, count: number, most: number) =>
    count > most ? [`${count} ${what}; the sequencer holds ${most}`] : []
  return [
    ...beyond('instructions', instructions, limits.instructions),
    ...beyond('samples of waveforms', samples, limits.samples),
    ...beyond('bins', bins, limits.bins),
    ...indexProblems('waveform', sequence.waveforms, MAX_WAVEFORM_INDEX),
    ...indexProblems('acquisition', sequence.acquisitions, MAX_ACQUISITIONS - 1),
    ...Object.entries(sequence.waveforms)
      .filter(([, { data }]) => data.some((sample) => !(Math.abs(sample) <= 1)))
      .map(([name]) => `waveform ${name}: a sample is not within −1 to 1`),
  ]
}

function indexProblems(
  what: string,
  entries: Readonly<Record<string, { index: number }>>,
  most: number,
): string[] {
  const seen = new Map<number, string>()
  return Object.entries(entries).flatMap(([name, { index }]) => {
    const other = seen.get(index)
    seen.set(index, name)
    if (!Number.isInteger(index) || index < 0 || index > most) {
      return [`${what} ${name}: index ${index} is not 0 to ${most}`]
    }
    return other === undefined ? [] : [`${what}s ${other} and ${name} have the same index ${index}`]
  })
}

/** References to waveforms, acquisitions and bins that the sequence does not have. */
function referenceProblems(
  instructions: readonly Instruction[],
  sequence: Sequence,
  limits: SequencerMemory,
): string[] {
  const waveforms = new Set(Object.values(sequence.waveforms).map(({ index }) => index))
  const bins = new Map(Object.values(sequence.acquisitions).map((each) => [each.index, each.bins]))
  const acquisitionProblem = (name: string, [index, bin]: readonly (number | undefined)[]) => {
    const size = bins.get(index ?? -1)
    if (limits.bins === 0) return `${name} on a module without inputs`
    if (size === undefined) return `there is no acquisition ${index}`
    return bin !== undefined && bin >= size
      ? `bin ${bin} of acquisition ${index}, which has ${size}`
      : undefined
  }
  const playProblem = (indices: readonly (number | undefined)[]) => {
    const missing = indices.find((index) => index !== undefined && !waveforms.has(index))
    return missing === undefined ? undefined : `there is no waveform ${missing}`
  }
  return instructions.flatMap(({ line, name, operation, values }) => {
    const numbers = values.slice(0, 2).map((value) => ('number' in value ? value.number : undefined))
    const problem = operation.isAcquisition
      ? acquisitionProblem(name, numbers)
      : name === 'play' && playProblem(numbers)
    return problem ? [`line ${line}: ${problem}`] : []
  })
}

/**
 * A register has its new value only after the next instruction: one that reads it at once gets the old value.
 * And the flow must not leave the program other than by `stop`.
 */
function flowProblems(instructions: readonly Instruction[]): string[] {
  return instructions.flatMap((instruction, index) => {
    const written = registersOf(instruction, ['write', 'both'])
    return successorsOf(instruction, index).flatMap((next) => {
      const reader = instructions[next]
      if (!reader) return [`line ${instruction.line}: the program can run past its end; end it with stop`]
      const early = registersOf(reader, ['read', 'both']).filter((register) => written.includes(register))
      return early.map(
        (register) =>
          `line ${reader.line}: ${reader.name} reads R${register} right after ${instruction.name} in line ` +
          `${instruction.line} wrote it and gets the old value; put a nop between`,
      )
    })
  })
}

/** The numbers of the instructions that can follow; a jump to the value of a register is not followed. */
function successorsOf({ form, values, operation }: Instruction, index: number): number[] {
  const targets = values.flatMap((value, at) =>
    form[at]?.type === 'address' && 'number' in value ? [value.number] : [],
  )
  return operation.neverContinues ? targets : [index + 1, ...targets]
}

function registersOf({ form, values }: Instruction, accesses: readonly string[]): number[] {
  return values.flatMap((value, at) => {
    const operand = form[at]
    return 'register' in value && operand?.type === 'register' && accesses.includes(operand.access)
      ? [value.register]
      : []
  })
}
