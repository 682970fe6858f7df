import {
  type Circuit,
  lowerProgram,
  type Op,
  parseProgram,
  QasmError,
  runDynamic,
} from '../../src/qasm/index.ts'

/** A complex number. */
export interface Complex {
  re: number
  im: number
}

/** Lowers a program text. */
export function lower(text: string, values: number[] = []): Circuit {
  return lowerProgram(parseProgram(text), values)
}

/** An OpenQASM 3 program with the standard gates. */
export function program3(body: string): string {
  return `OPENQASM 3.0;\ninclude "stdgates.inc";\n${body}`
}

/** An OpenQASM 2 program with the standard gates. */
export function program2(body: string): string {
  return `OPENQASM 2.0;\ninclude "qelib1.inc";\n${body}`
}

/** The steps of a program without feedback. */
export function opsOf(text: string, values: number[] = []): Op[] {
  const { ops } = lower(text, values)
  if (ops === undefined) throw new Error('The program is dynamic')
  return ops
}

/** Code, line and column of the error that `work` throws; undefined if it throws none. */
export function faultOf(work: () => unknown): [string, number, number] | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof QasmError) return [error.code, error.line, error.column]
    throw error
  }
}

/** Every step of one run in which each measurement yields `outcome`. */
export function runWith(text: string, values: number[], outcome: 0 | 1 | ((qubit: number) => 0 | 1)) {
  const ops: Op[] = []
  const sink = {
    apply: (op: Op) => {
      ops.push(op)
    },
    measure: (qubit: number) => (typeof outcome === 'function' ? outcome(qubit) : outcome),
  }
  const bits = runDynamic(parseProgram(text), values, sink)
  return { ops, bits: [...bits] }
}

/** The angle of the last `gphase` of a program: the value of an expression, observed from outside. */
export function numberOf(expression: string, before = ''): number {
  const { ops } = runWith(program3(`${before}\ngphase(${expression});`), [], 0)
  const op = ops.findLast(({ kind }) => kind === 'phase')
  if (op?.kind !== 'phase') throw new Error('There is no gphase')
  return op.angle
}

function entry(matrix: Float64Array, index: number): Complex {
  return { re: matrix[2 * index] ?? 0, im: matrix[2 * index + 1] ?? 0 }
}

/** Column `column` of the unitary that the steps form, by plain summation over all basis states. */
export function columnOf(ops: readonly Op[], qubits: number, column: number): Complex[] {
  let state: Complex[] = Array.from({ length: 2 ** qubits }, (_, index) => ({
    re: index === column ? 1 : 0,
    im: 0,
  }))
  for (const op of ops) state = applyOp(op, state)
  return state
}

function applyOp(op: Op, state: Complex[]): Complex[] {
  if (op.kind === 'barrier' || op.kind === 'delay') return state
  if (op.kind !== 'unitary' && op.kind !== 'phase') throw new Error(`${op.kind} is not unitary`)
  const targets = op.kind === 'unitary' ? op.targets : []
  const size = 2 ** targets.length
  const active = (index: number) =>
    op.controls.every((qubit, bit) => ((index >> qubit) & 1) === ((op.controlValues >> bit) & 1))
  const local = (index: number) =>
    targets.reduce((sum, qubit, bit) => sum + (((index >> qubit) & 1) << bit), 0)
  const rest = (index: number) => targets.reduce((left, qubit) => left & ~(1 << qubit), index)
  const element = (row: number, inner: number) =>
    op.kind === 'unitary'
      ? entry(op.matrix, row * size + inner)
      : { re: Math.cos(op.angle), im: Math.sin(op.angle) }
  return state.map((amplitude, row) => {
    if (!active(row)) return amplitude
    let re = 0
    let im = 0
    for (const [inner, from] of state.entries()) {
      if (rest(inner) !== rest(row)) continue
      const factor = element(local(row), local(inner))
      re += factor.re * from.re - factor.im * from.im
      im += factor.re * from.im + factor.im * from.re
    }
    return { re, im }
  })
}

/** The unitary of a program as columns. */
export function unitaryOf(text: string, values: number[] = []): Complex[][] {
  const circuit = lower(text, values)
  const { ops, qubits } = circuit
  if (ops === undefined) throw new Error('The program is dynamic')
  return Array.from({ length: 2 ** qubits }, (_, column) => columnOf(ops, qubits, column))
}

/** Largest difference between two unitaries; a common phase counts unless `upToPhase`. */
export function distance(a: Complex[][], b: Complex[][], upToPhase = false): number {
  const phase = upToPhase ? relativePhase(a, b) : { re: 1, im: 0 }
  let largest = 0
  for (const [column, entries] of a.entries()) {
    for (const [row, { re, im }] of entries.entries()) {
      const other = b[column]?.[row] ?? { re: Number.NaN, im: Number.NaN }
      const turned = {
        re: other.re * phase.re - other.im * phase.im,
        im: other.re * phase.im + other.im * phase.re,
      }
      largest = Math.max(largest, Math.hypot(re - turned.re, im - turned.im))
    }
  }
  return largest
}

/** The phase of tr(b^dagger a). */
function relativePhase(a: Complex[][], b: Complex[][]): Complex {
  let re = 0
  let im = 0
  for (const [column, entries] of a.entries()) {
    for (const [row, x] of entries.entries()) {
      const y = b[column]?.[row] ?? { re: 0, im: 0 }
      re += x.re * y.re + x.im * y.im
      im += x.im * y.re - x.re * y.im
    }
  }
  const size = Math.hypot(re, im)
  return { re: re / size, im: im / size }
}
