import type { Engine } from '../../kernel/engine.ts'
import { type Kernel, memoryOf } from '../../kernel/memory.ts'
import { type Block, multiplySmall } from '../../numeric/matrix.ts'
import { UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'

/** Work of a multiplication of complex numbers, in amplitude updates of the kernel. */
const COMPLEX_WORK = 2
/** Multiplications in one call of the kernel: some milliseconds. */
const CALL_MULTIPLICATIONS = 2 ** 22
/** Below this number of multiplications a call of the kernel takes longer than the product. */
const MIN_KERNEL_MULTIPLICATIONS = 64
/** Start of the room for matrices: the first bytes of a memory belong to the kernel. */
const START = 65_536
const BYTES = 16
const FIRST_BYTES = 2 ** 21

/** A place in the memory of the kernel: address and shape of a matrix. */
interface Place {
  at: number
  rows: number
  columns: number
}

/** Eigenvectors of a Hermitian matrix that the kernel holds, before they are written out. */
interface Spectrum {
  /** Eigenvalues, descending. */
  values: number[]
  /** Writes the conjugates of the eigenvectors with these indices, as rows. */
  vectors(from: number, to: number): Place
}

/** Products and decompositions of complex matrices by the kernel, in a memory of its own. */
export class Algebra {
  readonly #engine: Engine
  readonly #work: WorkCounter
  #memory: WebAssembly.Memory | undefined
  #kernel: Kernel | undefined
  #numbers = new Float64Array(0)
  #end = START

  constructor(engine: Engine, work: WorkCounter = UNLIMITED) {
    this.#engine = engine
    this.#work = work
  }

  /** a b. */
  multiply(a: Block, b: Block): Block {
    if (a.rows * a.columns * b.columns < MIN_KERNEL_MULTIPLICATIONS) return multiplySmall(a, b)
    this.clear()
    return this.take(this.product(this.put(a), this.put(b)))
  }

  /** Frees the memory of the kernel for other matrices. */
  clear(): void {
    this.#end = START
  }

  /** Copies a matrix to the memory. */
  put({ rows, columns, data }: Block): Place {
    const place = this.#reserve(rows, columns)
    this.#numbers.set(data, place.at / 8)
    return place
  }

  /** Copies a matrix from the memory. */
  take({ at, rows, columns }: Place): Block {
    return {
      rows,
      columns,
      data: new Float64Array(this.#numbers.subarray(at / 8, at / 8 + 2 * rows * columns)),
    }
  }

  /** Rows of a matrix in the memory. */
  rowsOf({ at, columns }: Place, from: number, to: number): Place {
    return { at: at + BYTES * from * columns, rows: to - from, columns }
  }

  /** Σ |element|² of each row. */
  weightsOf({ at, rows, columns }: Place): number[] {
    const numbers = this.#numbers
    const weights: number[] = []
    let from = at / 8
    for (let row = 0; row < rows; row++) {
      let sum = 0
      for (const end = from + 2 * columns; from < end; from++) sum += (numbers[from] as number) ** 2
      weights.push(sum)
    }
    return weights
  }

  /** a b. */
  product(a: Place, b: Place): Place {
    const result = this.#reserve(a.rows, b.columns)
    const panel = this.#reserve(a.columns, 2)
    this.#inSteps(a.rows, a.columns * b.columns, (from, to) => {
      this.#functions.multiply(a.at, b.at, result.at, a.columns, b.columns, from, to, panel.at)
    })
    return result
  }

  /** a†. */
  adjoint(a: Place): Place {
    const result = this.#reserve(a.columns, a.rows)
    this.#functions.adjoint(a.at, result.at, a.rows, a.columns)
    return result
  }

  /**
   * Orthonormal rows that span the rows of a matrix, in its place; rows that others span to within `rounding`
   * of their weight are left out.
   */
  orthonormalRows(a: Place, rounding: number): Place {
    let kept = 0
    for (let row = 0; row < a.rows; row++) {
      this.#work.spend(4 * COMPLEX_WORK * kept * a.columns)
      kept = this.#functions.orthonormalize(a.at, a.columns, kept, row, rounding)
    }
    return { ...a, rows: kept }
  }

  /** Eigenvalues and eigenvectors of a a†. */
  spectrumOfGram(a: Place): Spectrum {
    const size = a.rows
    const gram = this.#reserve(size, size)
    const reflections = this.#reserve(size, size)
    const room = this.#reserve(1, size)
    const phases = this.#reserve(1, size)
    const diagonal = this.#reserve(1, size)
    const beside = this.#reserve(1, size)
    const rowBytes = 8 * (size + (size % 2))
    const vectors = this.#reserve(size, rowBytes / BYTES)
    this.#inSteps(size, (size * a.columns) / 2, (from, to) => {
      this.#functions.gram(a.at, gram.at, size, a.columns, from, to)
    })
    this.#inSteps(size, size * size, (from, to) => {
      const places = [reflections.at, room.at, diagonal.at, beside.at, phases.at] as const
      this.#functions.tridiagonalize(gram.at, size, from, to, ...places)
    })
    const numbers = this.#numbers
    numbers.fill(0, vectors.at / 8, vectors.at / 8 + (size * rowBytes) / 8)
    for (let row = 0; row < size; row++) numbers[(vectors.at + row * (rowBytes + 8)) / 8] = 1
    const norm = this.#largest(diagonal.at, size) + this.#largest(beside.at, size)
    this.#inSteps(size, 2 * size * size, (from, to) => {
      this.#functions.diagonalize(diagonal.at, beside.at, vectors.at, size, from, to, norm)
    })
    const found = [...numbers.subarray(diagonal.at / 8, diagonal.at / 8 + size)]
    const order = [...found.keys()].sort((one, other) => (found[other] as number) - (found[one] as number))
    return {
      values: order.map((index) => found[index] as number),
      vectors: (from, to) => {
        const rows = this.#reserve(to - from, size)
        this.#inSteps(to - from, size * size, (first, end) => {
          for (let row = first; row < end; row++) {
            const vector = vectors.at + (order[from + row] as number) * rowBytes
            const out = rows.at + BYTES * row * size
            this.#functions.transformBack(vector, size, reflections.at, phases.at, out)
          }
        })
        return rows
      },
    }
  }

  #largest(at: number, count: number): number {
    return this.#numbers
      .subarray(at / 8, at / 8 + count)
      .reduce((most, each) => Math.max(most, Math.abs(each)), 0)
  }

  /** Calls `then` for parts of `count` rows, each of so many multiplications, and counts the work. */
  #inSteps(count: number, multiplications: number, then: (from: number, to: number) => void): void {
    // Even, because products take two rows at a time.
    const step = 2 * Math.max(1, Math.floor(CALL_MULTIPLICATIONS / multiplications / 2))
    for (let from = 0; from < count; from += step) {
      const to = Math.min(from + step, count)
      this.#work.spend(COMPLEX_WORK * multiplications * (to - from))
      then(from, to)
    }
  }

  get #functions(): Kernel {
    return this.#kernel as Kernel
  }

  #reserve(rows: number, columns: number): Place {
    const at = this.#end
    this.#end += BYTES * rows * columns
    if (!this.#memory || this.#end > this.#memory.buffer.byteLength) this.#grow(this.#end)
    return { at, rows, columns }
  }

  #grow(bytes: number): void {
    if (this.#memory) {
      const missing = Math.max(bytes, 2 * this.#memory.buffer.byteLength) - this.#memory.buffer.byteLength
      this.#memory.grow(Math.ceil(missing / 65_536))
    } else {
      this.#memory = memoryOf(Math.max(bytes, FIRST_BYTES))
      this.#kernel = this.#engine.kernelFor(this.#memory)
    }
    this.#numbers = new Float64Array(this.#memory.buffer)
  }
}
