/** A qubit of the register, or the name of the loop variable or parameter that stands for one. */
export type Operand = number | string

export interface Bit {
  register: string
  index: number
}

/** A value of one bit. */
export type BitValue =
  | { kind: 'bit'; bit: Bit }
  | { kind: 'constant'; value: 0 | 1 }
  | { kind: 'not'; of: BitValue }
  | { kind: '^' | '&' | '|'; one: BitValue; other: BitValue }

export type Truth =
  | { kind: 'isOne'; of: BitValue }
  | { kind: 'isZero'; of: BitValue }
  | { kind: 'compare'; register: string; relation: '==' | '!=' | '<' | '>'; value: number }
  /** Of an input or a loop variable. */
  | { kind: 'number'; name: string; value: number }
  | { kind: '&&' | '||'; one: Truth; other: Truth }

export type Modifier = 'inv' | 'ctrl' | 'negctrl' | 'pow(2)' | 'pow(-1)' | 'pow(3)'

/** An angle in rad, or a multiple of an input. */
export type Angle = number | { input: string; factor: number }

export type Statement =
  | { kind: 'gate'; gate: string; angle?: Angle; modifiers: Modifier[]; qubits: Operand[] }
  | { kind: 'measure'; qubit: Operand; bit?: Bit }
  | { kind: 'reset'; qubit: Operand }
  | { kind: 'barrier'; qubits: Operand[] }
  | { kind: 'assign'; bit: Bit; value: BitValue }
  | { kind: 'if'; truth: Truth; taken: Statement[]; otherwise: Statement[] | undefined }
  | { kind: 'while'; truth: Truth; body: Statement[] }
  | { kind: 'for'; name: string; from: number; to: number; body: Statement[] }
  | {
      kind: 'switch'
      register: string
      cases: { values: number[]; body: Statement[] }[]
      otherwise: Statement[]
    }
  | { kind: 'call'; name: string; qubits: Operand[]; bit?: Bit }
  | { kind: 'break' | 'continue' | 'end' }

/** A subroutine of two qubits `a` and `b` with a bit `r`, which it returns. */
export interface Subroutine {
  name: string
  body: Statement[]
}

/** Probabilities of the errors behind gates and in readouts; `damping` is decay, no Pauli channel. */
export interface NoiseSpec {
  x: number
  z: number
  damping: number
  /** X on the first and Z on the second qubit of a gate of two. */
  pair: number
  readout: readonly [one: number, zero: number]
}

export interface RandomProgram {
  seed: number
  /** Of the register. */
  declared: number
  /** Qubits that the program may change or measure, ascending. */
  touched: number[]
  /** Registers of bits in the order of their declaration, with their widths. */
  registers: [string, number][]
  /** Inputs with the values of each parameter set; `real` is a float, `whole` an int. */
  inputs: { real: number; whole: number }[]
  subroutines: Subroutine[]
  statements: Statement[]
  noise: NoiseSpec | undefined
}

/** Gates with their numbers of angles, controls and targets. */
export const GATES: Readonly<Record<string, readonly [angles: number, controls: number, targets: number]>> = {
  ...Object.fromEntries(
    ['x', 'y', 'z', 'h', 's', 'sdg', 'sx', 'id', 't', 'tdg'].map((gate) => [gate, [0, 0, 1]]),
  ),
  ...Object.fromEntries(['rx', 'ry', 'rz', 'p'].map((gate) => [gate, [1, 0, 1]])),
  ...Object.fromEntries(['cx', 'cy', 'cz', 'ch'].map((gate) => [gate, [0, 1, 1]])),
  swap: [0, 0, 2],
  ccx: [0, 2, 1],
  // Defined by the program.
  pair: [1, 0, 2],
}

/** The program in OpenQASM 3. */
export function textOf({ declared, registers, inputs, subroutines, statements }: RandomProgram): string {
  return [
    'OPENQASM 3.0; include "stdgates.inc";',
    'gate pair(t) a, b { h a; cx a, b; rz(t) b; }',
    ...subroutines.map(
      ({ name, body }) => `def ${name}(qubit a, qubit b) -> bit { bit r; ${all(body)} return r; }`,
    ),
    ...(inputs.length > 0 ? ['input float real; input int whole;'] : []),
    `qubit[${declared}] q;`,
    ...registers.map(([name, width]) => `bit[${width}] ${name};`),
    ...statements.map((each) => statement(each, registers)),
  ].join('\n')

  function all(body: readonly Statement[]): string {
    return body.map((each) => statement(each, registers)).join(' ')
  }
}

const operand = (qubit: Operand) => (qubit === 'a' || qubit === 'b' ? qubit : `q[${qubit}]`)
const operands = (qubits: readonly Operand[]) => qubits.map(operand).join(', ')
const bitName = ({ register, index }: Bit) => (register === 'r' ? 'r' : `${register}[${index}]`)

function bitText(value: BitValue): string {
  if (value.kind === 'bit') return bitName(value.bit)
  if (value.kind === 'constant') return `${value.value}`
  if (value.kind === 'not') return `~${bitText(value.of)}`
  return `(${bitText(value.one)} ${value.kind} ${bitText(value.other)})`
}

function truthText(truth: Truth, widths: ReadonlyMap<string, number>): string {
  if (truth.kind === 'isOne') return bitText(truth.of)
  if (truth.kind === 'isZero') return `!${bitText(truth.of)}`
  if (truth.kind === 'number') return `${truth.name} == ${truth.value}`
  if (truth.kind === 'compare')
    return `uint[${widths.get(truth.register)}](${truth.register}) ${truth.relation} ${truth.value}`
  return `(${truthText(truth.one, widths)}) ${truth.kind} (${truthText(truth.other, widths)})`
}

function statement(node: Statement, registers: RandomProgram['registers']): string {
  const widths = new Map(registers)
  const block = (body: readonly Statement[]) =>
    `{ ${body.map((each) => statement(each, registers)).join(' ')} }`
  const into = (bit: Bit | undefined, value: string) => `${bit ? `${bitName(bit)} = ` : ''}${value};`
  switch (node.kind) {
    case 'gate': {
      const { gate, angle, modifiers, qubits } = node
      const argument =
        typeof angle === 'object'
          ? `(${angle.factor} * ${angle.input})`
          : angle === undefined
            ? ''
            : `(${angle})`
      return `${modifiers.map((each) => `${each} @ `).join('')}${gate}${argument} ${operands(qubits)};`
    }
    case 'measure':
      return into(node.bit, `measure ${operand(node.qubit)}`)
    case 'reset':
      return `reset ${operand(node.qubit)};`
    case 'barrier':
      return `barrier ${operands(node.qubits)};`
    case 'assign':
      return into(node.bit, bitText(node.value))
    case 'if': {
      const head = `if (${truthText(node.truth, widths)}) ${block(node.taken)}`
      return node.otherwise ? `${head} else ${block(node.otherwise)}` : head
    }
    case 'while':
      return `while (${truthText(node.truth, widths)}) ${block(node.body)}`
    case 'for':
      return `for int ${node.name} in [${node.from}:${node.to}] ${block(node.body)}`
    case 'switch': {
      const cases = node.cases.map(({ values, body }) => `case ${values.join(', ')} ${block(body)}`)
      const control = `uint[${widths.get(node.register)}](${node.register})`
      return `switch (${control}) { ${cases.join(' ')} default ${block(node.otherwise)} }`
    }
    case 'call':
      return into(node.bit, `${node.name}(${operands(node.qubits)})`)
    default:
      return `${node.kind};`
  }
}
