import { Fault } from '../fault.ts'
import type { Limits } from '../limits.ts'
import type { Cell } from '../values/values.ts'

/** The qubits and classical bits that the declarations of a program add up to, in declaration order. */
export interface Layout {
  qubits: number
  /** Bits of the result. */
  clbits: number
  /** Bits declared anywhere, also in blocks and subroutines. */
  bits: number
  qregs: [string, number][]
  cregs: [string, number][]
  /** The classical bits by index. */
  cells: Cell[]
  /** One more than the highest hardware qubit named. */
  hardware: number
}

/** The layout of a program without declarations. */
export function emptyLayout(): Layout {
  return { qubits: 0, clbits: 0, bits: 0, qregs: [], cregs: [], cells: [], hardware: 0 }
}

/** Adds a quantum register and returns its qubits. */
export function addQubits(layout: Layout, name: string, size: number, limits: Limits, at: number): number[] {
  const first = layout.qubits
  expectRoom(first + layout.hardware + size, limits, at)
  layout.qubits += size
  layout.qregs.push([name, size])
  return Array.from({ length: size }, (_, index) => first + index)
}

/** Counts classical bits that a declaration is about to make. */
export function countBits(layout: Layout, size: number, limits: Limits, at: number): void {
  layout.bits += size
  if (layout.bits > limits.bits) {
    throw new Fault('too_many_bits', at, `The program declares more than ${limits.bits} bits`)
  }
}

/** Adds a classical register that consists of these cells to the result. */
export function addBits(layout: Layout, name: string, cells: readonly Cell[]): void {
  layout.clbits += cells.length
  layout.cregs.push([name, cells.length])
  for (const cell of cells) layout.cells.push(cell)
}

/** Notes that hardware qubit `$index` is used. */
export function noteHardware(layout: Layout, index: number, limits: Limits, at: number): void {
  if (index < layout.hardware) return
  expectRoom(layout.qubits + index + 1, limits, at)
  layout.hardware = index + 1
}

function expectRoom(qubits: number, limits: Limits, at: number): void {
  if (qubits <= limits.qubits) return
  throw new Fault('too_many_qubits', at, `The program uses ${qubits} qubits; ${limits.qubits} are allowed`)
}
