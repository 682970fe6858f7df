import { bitCount, bitsOf } from '../numeric/bits.ts'
import { isReal, type KernelCall, type Scale } from './kernel-call.ts'
import { type AmplitudeFormat, FORMATS, LAYOUT } from './layout.ts'
import type { DiagonalPass, Pass, RealGatePair, RotationPair } from './schedule-stage.ts'

/** Kinds of gates, numbered as in `assembly/stage.ts`. */
const KIND = {
  scale: 0,
  negate: 1,
  exchange: 2,
  real: 3,
  one: 4,
  many: 5,
  pair: 6,
  rotations: 7,
  diagonal: 8,
  four: 9,
  sparse: 10,
} as const

/** Number of the lowest local qubits, whose factors `assembly/diagonal.ts` stores in a table. */
const TABLE_QUBITS = 7
/** A term that multiplies every amplitude. */
const EVERYWHERE: Scale = { kind: 'scale', controls: 0, value: 0, re: 1, im: 0 }
/** No controls. */
const ANYWHERE: Controls = { fixed: 0, value: 0, outside: 0, outsideValue: 0 }
const HEAD_BYTES = 32
const TERM_BYTES = 32
/** An amplitude that `assembly/dense.ts` gathers takes a vector. */
const GATHERED_BYTES = 16
/** The ends of the sections of terms: five words, rounded up to a whole term. */
const ENDS_BYTES = 32

interface GateHeader {
  kind: number
  /** Local qubits, as masks. */
  target: number
  fixed: number
  value: number
  last: number
  /** Controls outside of the block, with their values. */
  outside: number
  outsideValue: number
}

/** The controls of a gate, inside and outside of the block. */
type Controls = Pick<GateHeader, 'fixed' | 'value' | 'outside' | 'outsideValue'>

interface StageHeader {
  /** Qubits of the state. */
  qubits: number
  /** Qubits a block covers, as a mask. */
  set: number
  format: AmplitudeFormat
  /** Qubits that are still |0>: blocks where one of them is 1 contain zeros. */
  zeros: number
  /** Whether the memory does not contain the state |0…0> yet. */
  isUninitialized: boolean
}

/** Writes stages into the shared table, in the format that `assembly/stage.ts` reads. */
export class StageWriter {
  readonly #words: Uint32Array
  readonly #numbers: Float64Array
  #at = 0
  #set = 0
  #format: AmplitudeFormat = FORMATS.double

  constructor(buffer: ArrayBufferLike) {
    this.#words = new Uint32Array(buffer, 0, LAYOUT.tableEnd / 4)
    this.#numbers = new Float64Array(buffer, 0, LAYOUT.tableEnd / 8)
  }

  /**
   * Writes the stage and as many of its passes as fit into the table.
   * @returns the number of passes written.
   */
  write(head: StageHeader, passes: readonly Pass[]): number {
    this.#set = head.set
    this.#format = head.format
    const gates = this.#writeStage(head)
    this.#at = gates
    let written = 0
    for (const pass of passes) {
      if (this.#at + bytesOf(pass) > LAYOUT.tableEnd) break
      this.#writePass(pass)
      written++
    }
    if (written === 0 && passes.length > 0) throw new RangeError('a gate is larger than the table')
    this.#words[LAYOUT.table / 4 + 9] = this.#at
    return written
  }

  /** Returns where the gates begin. */
  #writeStage({ qubits, set, format, zeros, isUninitialized }: StageHeader): number {
    const outside = (2 ** qubits - 1) & ~set
    // Consecutive qubits from 0 on are contiguous in memory.
    const inRow = bitCount(set & ~(set + 1))
    const above = bitsOf(set & ~(2 ** inRow - 1))
    const runs = 2 ** above.length
    const words = [
      LAYOUT.state,
      bitCount(set),
      2 ** bitCount(outside),
      outside,
      zeros & outside,
      isUninitialized ? 1 : 0,
      runs,
      format.bytes * 2 ** inRow,
    ]
    const offsets = LAYOUT.table + 48
    const gates = offsets + 16 * Math.ceil(runs / 4)
    words.push(gates, gates, format.isSingle ? 1 : 0)
    this.#words.set(words, LAYOUT.table / 4)
    for (let run = 0; run < runs; run++) {
      const index = above.reduce((sum, bit, place) => (run & (1 << place) ? sum + bit : sum), 0)
      this.#words[offsets / 4 + run] = index * format.bytes
    }
    return gates
  }

  /** A mask of qubits of the set as a mask of local qubits. */
  #local(mask: number): number {
    const set = this.#set
    // Consecutive qubits from 0 on keep their places.
    if ((set & (set + 1)) === 0) return mask & set
    let local = 0
    for (let rest = mask & set; rest !== 0; rest &= rest - 1) {
      local |= 1 << bitCount(set & ((rest & -rest) - 1))
    }
    return local
  }

  #writePass(pass: Pass): void {
    if (pass.kind === 'diagonal') this.#writeDiagonal(pass)
    else if (pass.kind === 'pair') this.#writePair(pass)
    else if (pass.kind === 'rotations') this.#writeRotationPair(pass)
    else this.#writeCall(pass)
  }

  #writeCall(pass: KernelCall): void {
    const { controls, value } = pass
    const where: Controls = {
      fixed: this.#local(controls),
      value: this.#local(value),
      outside: controls & ~this.#set,
      outsideValue: value & ~this.#set,
    }
    switch (pass.kind) {
      case 'scale':
        this.#writeScale(where, pass)
        break
      case 'flip':
        this.#writeExchange(where, this.#local(pass.target), 0)
        break
      case 'swap': {
        const [a = 0, b = 0] = pass.targets.map((target) => this.#local(target)).sort((x, y) => x - y)
        this.#writeExchange(where, b, a)
        break
      }
      case 'one': {
        const kind = isReal(pass.matrix) ? KIND.real : KIND.one
        this.#writeGate(kind, where, this.#local(pass.target), 0, pass.matrix)
        break
      }
      case 'many':
        this.#writeMany(where, pass.targets, pass.matrix)
        break
    }
  }

  #writeScale(where: Controls, { re, im }: Scale): void {
    const kind = re === -1 && im === 0 ? KIND.negate : KIND.scale
    const numbers = this.#writeHeader({ kind, target: 0, last: 0, ...where }, 16)
    this.#numbers[numbers] = re
    this.#numbers[numbers + 1] = im
  }

  #writePair({ gates: [low, high] }: RealGatePair): void {
    const numbers = new Float64Array(16)
    numbers.set(low.matrix)
    numbers.set(high.matrix, 8)
    this.#writeGate(KIND.pair, ANYWHERE, this.#local(low.target), this.#local(high.target), numbers)
  }

  #writeRotationPair({ targets: [low, high], tangents }: RotationPair): void {
    this.#writeGate(KIND.rotations, ANYWHERE, this.#local(low), this.#local(high), tangents)
  }

  /** Exchanges the amplitudes where `high` is 1 and `low` 0 with those where `high` is 0 and `low` 1. */
  #writeExchange(where: Controls, high: number, low: number): void {
    const fixed = where.fixed | high | low
    const { value } = where
    this.#writeGate(KIND.exchange, { ...where, fixed, value: value | low }, 0, value | high, [])
  }

  #writeMany(where: Controls, targets: readonly number[], matrix: Float64Array): void {
    const local = targets.map((target) => this.#local(target))
    const dimension = 2 ** targets.length
    const offsets = this.#at + HEAD_BYTES
    for (let row = 0; row < dimension; row++) {
      const index = local.reduce((sum, bit, place) => (row & (1 << place) ? sum + bit : sum), 0)
      this.#words[offsets / 4 + row] = index * this.#format.bytes
    }
    const fixed = local.reduce((mask, bit) => mask | bit, where.fixed)
    const gap = 4 * Math.max(4, dimension)
    const rows = sparseRowsOf(matrix, dimension)
    if (!rows) {
      const kind = dimension === 4 ? KIND.four : KIND.many
      this.#writeGate(kind, { ...where, fixed }, 0, dimension, matrix, gap)
      return
    }
    const length = rows.reduce((sum, row) => sum + 2 + 2 * row.length, 0)
    let at = (this.#at + HEAD_BYTES + gap) / 8
    this.#writeGate(KIND.sparse, { ...where, fixed }, 0, dimension, new Float64Array(length), gap)
    for (const [row, entries] of rows.entries()) {
      this.#words[2 * at] = this.#words[offsets / 4 + row] as number
      this.#words[2 * at + 1] = entries.length
      at += 2
      for (const [column, factor] of entries) {
        this.#words[2 * at] = column * GATHERED_BYTES
        this.#numbers[at + 1] = factor
        at += 2
      }
    }
  }

  /** Writes a gate whose numbers start `gap` bytes after its header, and advances. */
  #writeGate(
    kind: number,
    { fixed, value, outside, outsideValue }: Controls,
    target: number,
    last: number,
    numbers: ArrayLike<number>,
    gap = 0,
  ): void {
    const head = { kind, target, fixed, value, last, outside, outsideValue }
    const at = this.#writeHeader(head, gap + 16 * Math.ceil(numbers.length / 2))
    this.#numbers.set(numbers, at + gap / 8)
  }

  /**
   * Writes the header of a gate with `bytes` of data and advances; returns the index of the data in
   * `#numbers`.
   */
  #writeHeader(head: GateHeader, bytes: number): number {
    const at = this.#at / 4
    const words = this.#words
    words[at] = head.kind
    words[at + 1] = HEAD_BYTES + bytes
    words[at + 2] = head.outside
    words[at + 3] = head.outsideValue
    words[at + 4] = head.target
    words[at + 5] = head.fixed
    words[at + 6] = head.value
    words[at + 7] = head.last
    this.#at += HEAD_BYTES + bytes
    return (4 * at + HEAD_BYTES) / 8
  }

  #writeDiagonal({ terms: phases, factor }: DiagonalPass): void {
    const terms = factor === 1 ? phases : [...phases, { ...EVERYWHERE, re: factor }]
    const common = terms.reduce((mask, { controls }) => mask & controls, -1)
    const high = this.#local(common) & ~(2 ** TABLE_QUBITS - 1)
    const outside = common & ~this.#set
    const head = {
      kind: KIND.diagonal,
      target: 0,
      fixed: high,
      value: 0,
      last: 0,
      outside,
      outsideValue: outside,
    }
    const start = this.#at + HEAD_BYTES
    this.#writeHeader(head, ENDS_BYTES + TERM_BYTES * terms.length)
    let at = start + ENDS_BYTES
    const ends = this.#sortTerms(terms).map((section) => {
      for (const { a, b, term } of section) {
        this.#words[at / 4 + 1] = a
        this.#words[at / 4 + 2] = b
        this.#numbers[at / 8 + 2] = term.re
        this.#numbers[at / 8 + 3] = term.im
        at += TERM_BYTES
      }
      return at
    })
    this.#words.set(ends, start / 4)
  }

  /** Groups the terms by the places of their qubits, in the order that `assembly/diagonal.ts` expects. */
  #sortTerms(terms: readonly Scale[]) {
    type Entry = { a: number; b: number; term: Scale }
    const sections = { outer: [], local: [], high: [], cross: [], low: [] } as Record<string, Entry[]>
    const lowMask = 2 ** TABLE_QUBITS - 1
    for (const term of terms) {
      const outer = term.controls & ~this.#set
      const local = this.#local(term.controls)
      const low = local & lowMask
      const high = local & ~lowMask
      if (local === 0) sections['outer']?.push({ a: outer, b: 0, term })
      else if (bitCount(local) === 1) sections['local']?.push({ a: outer, b: Math.log2(local), term })
      else if (low === 0) sections['high']?.push({ a: high, b: 0, term })
      else if (high === 0) sections['low']?.push({ a: low, b: 0, term })
      else sections['cross']?.push({ a: high, b: Math.log2(low), term })
    }
    sections['cross']?.sort((x, y) => x.b - y.b)
    return Object.values(sections)
  }
}

/** A real matrix with at least so many entries per row, on average, is applied as a dense one. */
const SPARSE_ENTRIES = 4.5

/** The entries that are not zero, by row, of a real matrix that has few; undefined for another one. */
function sparseRowsOf(matrix: Float64Array, dimension: number): [number, number][][] | undefined {
  const rows: [number, number][][] = []
  let most = SPARSE_ENTRIES * dimension
  for (let row = 0; row < dimension; row++) {
    const entries: [number, number][] = []
    for (let column = 0; column < dimension; column++) {
      const at = 2 * (row * dimension + column)
      if (matrix[at + 1] !== 0) return undefined
      if (matrix[at] !== 0) entries.push([column, matrix[at] as number])
    }
    // The kernel reads at least one entry.
    if (entries.length === 0) entries.push([row, 0])
    most -= entries.length
    if (most < 0) return undefined
    rows.push(entries)
  }
  return dimension === 4 && most < 2 * dimension ? undefined : rows
}

function bytesOf(pass: Pass): number {
  if (pass.kind === 'diagonal') {
    return HEAD_BYTES + ENDS_BYTES + TERM_BYTES * (pass.terms.length + (pass.factor === 1 ? 0 : 1))
  }
  if (pass.kind === 'many')
    return HEAD_BYTES + 4 * Math.max(4, 2 ** pass.targets.length) + 12 * pass.matrix.length
  if (pass.kind === 'pair') return HEAD_BYTES + 128
  return HEAD_BYTES + (pass.kind === 'one' ? 64 : 16)
}
