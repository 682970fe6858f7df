import { REGISTERS } from '../../../../src/devices/bench/sequencer/sequence.ts'
import { OPERATIONS, type Operand, type Operation } from './instructions.ts'

/** An operand of an instruction: a register, or a number (labels are resolved to instruction numbers). */
type Value = { readonly register: number } | { readonly number: number }

/** One instruction with its resolved operands. */
export interface Instruction {
  /** Line of the text, counted from 1. */
  readonly line: number
  readonly name: string
  readonly operation: Operation
  /** The form that the operands match, operand by operand. */
  readonly form: readonly Operand[]
  readonly values: readonly Value[]
}

interface SourceLine {
  line: number
  name: string
  texts: string[]
}

/** Label, name and operands of a line, each of which may be absent; `#` starts a comment. */
const LINE = /^\s*(?:([A-Za-z_]\w*):)?\s*(?:([a-z]\w*)(?:\s+([^#]*))?)?\s*(?:#.*)?$/
const NUMBER = /^-?(?:\d+|0x[\da-f]+)$/i

/**
 * Reads a program of the sequencer language as the assembler of the modules does.
 * @returns the instructions, and one problem a line that it would refuse.
 */
export function assemble(program: string): { instructions: Instruction[]; problems: string[] } {
  const { lines, labels, problems } = readLines(program)
  const instructions: Instruction[] = []
  for (const source of lines) {
    const operation = OPERATIONS[source.name]
    if (!operation) {
      problems.push(`line ${source.line}: unknown instruction ${source.name}`)
      continue
    }
    const values = source.texts.map((text) => operandValue(text, labels))
    const form = operation.forms.find((each) => matches(each, values))
    if (form)
      instructions.push({ line: source.line, name: source.name, operation, form, values: values as Value[] })
    else problems.push(`line ${source.line}: ${problemOf(source, operation, values)}`)
  }
  return { instructions, problems }
}

function readLines(program: string) {
  const lines: SourceLine[] = []
  const labels = new Map<string, number>()
  const problems: string[] = []
  for (const [index, text] of program.split('\n').entries()) {
    const [match, label, name, operands] = LINE.exec(text) ?? []
    if (match === undefined) problems.push(`line ${index + 1}: cannot be read: ${text.trim().slice(0, 80)}`)
    if (label !== undefined) {
      if (labels.has(label)) problems.push(`line ${index + 1}: the label ${label} is defined twice`)
      labels.set(label, lines.length)
    }
    if (name !== undefined) lines.push({ line: index + 1, name, texts: operandsOf(operands ?? '') })
  }
  return { lines, labels, problems }
}

function operandsOf(text: string): string[] {
  const trimmed = text.trim()
  return trimmed === '' ? [] : trimmed.split(/\s*,\s*/)
}

/** The value of an operand; undefined when it cannot be read or names a label that no line defines. */
function operandValue(text: string, labels: ReadonlyMap<string, number>): Value | undefined {
  if (NUMBER.test(text)) return { number: Number(text) }
  const register = /^R(\d+)$/.exec(text)
  if (register && Number(register[1]) < REGISTERS) return { register: Number(register[1]) }
  const target = text.startsWith('@') ? labels.get(text.slice(1)) : undefined
  return target === undefined ? undefined : { number: target }
}

function matches(form: readonly Operand[], values: readonly (Value | undefined)[]): boolean {
  return form.length === values.length && form.every((operand, index) => isAccepted(operand, values[index]))
}

function isAccepted(operand: Operand, value: Value | undefined): boolean {
  if (!value) return false
  if (operand.type === 'register') return 'register' in value
  if ('register' in value) return false
  const min = operand.type === 'address' ? 0 : operand.min
  return value.number >= min && value.number <= operand.max
}

/** Which operand of an instruction is at fault, and what is accepted there. */
function problemOf(source: SourceLine, operation: Operation, values: readonly (Value | undefined)[]): string {
  const forms = operation.forms.filter(({ length }) => length === values.length)
  if (forms.length === 0) {
    const counts = [...new Set(operation.forms.map(({ length }) => length))].join(' or ')
    return `${source.name} takes ${counts} operands, not ${values.length}`
  }
  const accepted = (index: number) => [...new Set(forms.map((form) => nameOf(form[index])))].join(' or ')
  const at = values.findIndex(
    (value, index) => !forms.some((form) => form[index] && isAccepted(form[index], value)),
  )
  if (at === -1) return `${source.name} takes either numbers or registers: ${source.texts.join(',')}`
  return `${source.name}: operand ${at + 1} is ${source.texts[at]}; accepted: ${accepted(at)}`
}

function nameOf(operand: Operand | undefined): string {
  if (operand?.type === 'immediate') return `${operand.min} to ${operand.max}`
  return operand?.type === 'address' ? `a defined @label or 0 to ${operand.max}` : 'a register R0 to R63'
}
