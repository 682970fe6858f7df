import { Fault } from '../fault.ts'
import type { Limits } from '../limits.ts'
import type { Cell } from '../values/values.ts'

/** The qubits and classical bits that the declarations of a program add up to, in declaration order. */
export interface Layout {
  qubits: number
  /** Number of bits of the result. */
  clbits: number
  /** Number of bits declared anywhere, including blocks and subroutines. */
  bits: number
  qregs: [string, number][]
  cregs: [string, number][]
  /** The classical bits by index. */
  cells: Cell[]
  /** One more than the highest hardware qubit in use. */
  hardware: number
}

/** The layout of a program without declarations. */
export function emptyLayout(): Layout {
  return { qubits: 0, clbits: 0, bits: 0, qregs: [], cregs: [], cells: [], hardware: 0 }
}

/** Adds a quantum register and returns its qubits. */
export function addQubits(layout: Layout, name: string, size: number, limits: Limits, at: number): number[] {
  const first = layout.qubits
  assertQubitsFit(first + layout.hardware + size, limits, at)
  layout.qubits += size
  layout.qregs.push([name, size])
  return Array.from({ length: size }, (_, index) => first + index)
}

/** Counts the classical bits of a declaration before they are created. */
export function countBits(layout: Layout, size: number, limits: Limits, at: number): void {
  layout.bits += size
  if (layout.bits > limits.bits) {
    throw new Fault('too_many_bits', at, `The program declares more than ${limits.bits} bits`)
  }
}

/** Adds a classical register with these cells to the result. */
export function addBits(layout: Layout, name: string, cells: readonly Cell[]): void {
  layout.clbits += cells.length
  layout.cregs.push([name, cells.length])
  for (const cell of cells) layout.cells.push(cell)
}

/** Records the use of hardware qubit `$index`. */
export function registerHardwareQubit(layout: Layout, index: number, limits: Limits, at: number): void {
  if (index < layout.hardware) return
  assertQubitsFit(layout.qubits + index + 1, limits, at)
  layout.hardware = index + 1
}

function assertQubitsFit(qubits: number, limits: Limits, at: number): void {
  if (qubits <= limits.qubits) return
  throw new Fault('too_many_qubits', at, `The program uses ${qubits} qubits; ${limits.qubits} are allowed`)
}
