import { PURPOSE, type Rng } from '../numeric/random.ts'
import { canMisread, type Readout, type ReadoutError } from '../readout/readout.ts'
import type { WorkCounter } from '../timing/time-budget.ts'
import { bitString, bitStringOfWords } from './bit-string.ts'
import { PackedBits } from './packed-bits.ts'
import type { ResultBudget } from './result-budget.ts'

type Point = [number, number]

/**
 * Centers and standard deviation of the simulated readout signals for the outcomes 0 and 1, in arbitrary
 * units.
 */
const IQ_CLOUDS = {
  centers: [
    [0.1, 0.05],
    [0.9, 0.85],
  ] as readonly [Point, Point],
  sigma: 0.05,
}

/** Length of a point in a result, in characters, for the budget: two numbers of up to 20 digits. */
const POINT_LENGTH = 44

/** Work of counting a shot and each of its bits, in amplitude updates. */
const SHOT_WORK = 256
const BIT_WORK = 16
const POINT_WORK = 256
/** Work of writing one outcome into the results. */
const KEY_WORK = 512

interface TallyOptions {
  clbits: number
  shots: number
  /** Classical bits that a measurement writes: those with a readout signal. */
  measured: readonly number[]
  /** Final measurements, whose outcomes do not include the readout error yet. */
  terminal: readonly { qubit: number; clbit: number }[]
  readout: Readout
  rng: Rng
  /** Sub-stream of this circuit. */
  stream: number
  resultBudget: ResultBudget
  /** Number of times that the results contain the counts; 1 when absent. */
  countsCopies?: number
  /** Ends the work at the deadline of the job. */
  timeBudget?: WorkCounter
}

/** Collects the outcomes of one circuit. Shots may come in any order and in groups. */
export class Tally {
  readonly #options: TallyOptions
  /** Classical bits with a readout error that the tally applies. */
  readonly #misreadable: { clbit: number; error: ReadoutError }[]
  /** Undefined once the results come without counts. */
  #counts: Map<string, number> | undefined = new Map()
  readonly #memory: string[] = []
  readonly #packed: PackedBits | undefined
  readonly #points: Point[][] = []
  readonly #sums: Point[]

  constructor(options: TallyOptions) {
    this.#options = options
    this.#misreadable = options.terminal
      .map(({ qubit, clbit }) => ({ clbit, error: options.readout.readoutErrorOf(qubit) }))
      .filter(({ error }) => canMisread(error))
    this.#sums = Array.from({ length: options.clbits }, (): Point => [0, 0])
    const { clbits, shots, readout, resultBudget } = options
    if (readout.memory === 'bits') resultBudget.spend(shots * (Math.ceil(clbits / 4) + 5))
    if (readout.memory === 'packed_bits') {
      resultBudget.spend(PackedBits.textLength(clbits, shots))
      this.#packed = new PackedBits(clbits, shots)
    }
    if (readout.memory === 'points') resultBudget.spend(shots * clbits * POINT_LENGTH)
    if (readout.memory === 'mean_point') resultBudget.spend(clbits * POINT_LENGTH)
  }

  /** Whether shots with equal outcomes still differ in the result. */
  get isPerShot(): boolean {
    return this.#misreadable.length > 0 || this.#options.readout.memory !== 'none'
  }

  /** Adds `shots` shots of equal outcome without their numbers. `bits` is indexed by classical bit. */
  addMany(bits: Uint8Array, shots: number): void {
    this.#count(bits, shots)
  }

  /** Adds the shots with these numbers, which all have the outcome `bits`. */
  add(bits: Uint8Array, shots: ArrayLike<number>): void {
    if (!this.isPerShot) this.addMany(bits, shots.length)
    else for (let index = 0; index < shots.length; index++) this.#addShot(bits, shots[index] as number)
  }

  /**
   * Adds the shots from `first` on, each with `width` words of 32 classical bits, those of one shot after
   * those of the other. They contain all readout errors.
   */
  addWords(words: Uint32Array, width: number, { first, shots }: { first: number; shots: number }): void {
    const { clbits, readout, timeBudget } = this.#options
    const isPlain = this.#packed || readout.memory === 'none'
    const bits = new Uint8Array(clbits)
    for (let shot = 0; shot < shots; shot++) {
      const at = shot * width
      if (isPlain) {
        timeBudget?.spend(SHOT_WORK + BIT_WORK * width)
        if (this.#counts && clbits > 0) this.#countText(bitStringOfWords(words, at, clbits), 1)
        this.#packed?.setWords(first + shot, words, at)
      } else {
        for (let clbit = 0; clbit < clbits; clbit++)
          bits[clbit] = ((words[at + (clbit >> 5)] as number) >>> (clbit & 31)) & 1
        this.#addRead(bits, first + shot)
      }
    }
  }

  #addShot(bits: Uint8Array, shot: number): void {
    this.#addRead(this.#misreadable.length > 0 ? this.#misread(bits, shot) : bits, shot)
  }

  /** Adds a shot with the bits that were read. */
  #addRead(read: Uint8Array, shot: number): void {
    const { memory } = this.#options.readout
    if (memory === 'points' || memory === 'mean_point') {
      this.#addSignal(read, shot)
      return
    }
    this.#count(read, 1)
    if (memory === 'bits') this.#memory[shot] = toHexadecimal(read)
    this.#packed?.set(shot, read)
  }

  #misread(bits: Uint8Array, shot: number): Uint8Array {
    const { rng, stream } = this.#options
    const read = bits.slice()
    rng.seek(stream, shot, PURPOSE.readout)
    for (const { clbit, error } of this.#misreadable) {
      const outcome = bits[clbit] === 1 ? 1 : 0
      if (rng.next() < error[outcome]) read[clbit] = 1 - outcome
    }
    return read
  }

  #addSignal(bits: Uint8Array, shot: number): void {
    const { measured, rng, stream, clbits, readout, timeBudget } = this.#options
    timeBudget?.spend(SHOT_WORK + POINT_WORK * clbits)
    rng.seek(stream, shot, PURPOSE.signal)
    const points = Array.from({ length: clbits }, (): Point => [0, 0])
    for (const clbit of measured) {
      const [re, im] = IQ_CLOUDS.centers[bits[clbit] === 1 ? 1 : 0]
      const point: Point = [re + IQ_CLOUDS.sigma * rng.normal(), im + IQ_CLOUDS.sigma * rng.normal()]
      points[clbit] = point
      const sum = this.#sums[clbit]
      if (sum) this.#sums[clbit] = [sum[0] + point[0], sum[1] + point[1]]
    }
    if (readout.memory === 'points') this.#points[shot] = points
  }

  #count(bits: Uint8Array, shots: number): void {
    this.#options.timeBudget?.spend(SHOT_WORK + BIT_WORK * bits.length)
    // A program without result bits has no outcomes.
    if (bits.length === 0 || !this.#counts) return
    this.#countText(bitString(bits), shots)
  }

  #countText(text: string, shots: number): void {
    if (!this.#counts) return
    const before = this.#counts.get(text)
    // A key, its quotes and a number of a few digits.
    const { resultBudget, countsCopies = 1 } = this.#options
    const isCounted = before !== undefined || resultBudget.spendCounts(countsCopies * (text.length + 8))
    if (isCounted) this.#counts.set(text, (before ?? 0) + shots)
    else this.#counts = undefined
  }

  /** Shots by bit string; undefined if they are omitted. */
  counts(): Record<string, number> | undefined {
    if (!this.#counts) return undefined
    const counts: Record<string, number> = {}
    // `Object.fromEntries` takes several times longer.
    this.#counts.forEach((shots, text) => {
      this.#options.timeBudget?.spend(KEY_WORK)
      counts[text] = shots
    })
    return counts
  }

  /** The `memory` of the result; undefined when the job did not request it. */
  memory(): unknown {
    const { readout, shots } = this.#options
    if (readout.memory === 'bits') return this.#memory
    if (this.#packed) return this.#packed.text()
    if (readout.memory === 'points') return this.#points
    if (readout.memory === 'none') return undefined
    return this.#sums.map(([re, im]): Point => [re / shots, im / shots])
  }
}

/** `0x…` of classical bits given in index order, with as few digits as possible. */
function toHexadecimal(bits: Uint8Array): string {
  let last = bits.length - 1
  while (last > 0 && bits[last] === 0) last--
  const digits = Buffer.allocUnsafe((Math.max(0, last) >> 2) + 1)
  for (let place = 0; place < digits.length; place++) {
    let digit = 0
    for (let bit = 0; bit < 4; bit++) if (bits[4 * place + bit]) digit |= 1 << bit
    digits[digits.length - 1 - place] = HEX_DIGITS.charCodeAt(digit)
  }
  return `0x${digits.toString('latin1')}`
}

const HEX_DIGITS = '0123456789abcdef'
