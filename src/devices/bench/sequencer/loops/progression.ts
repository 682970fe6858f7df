import { STEPS_PER_TURN } from '../sequence.ts'
import type { SweptKind } from './instruction.ts'

/** How a register changes with every passage of a loop: by a whole number, and by 1 more now and then. */
export interface Sweep {
  /** Added each time; for a phase, modulo a turn. */
  readonly step: number
  /** What is added to the remainder each time: 1 is added to the register when it reaches a unit. */
  readonly fraction: number
  /** The remainder at the start. */
  readonly remainder: number
}

/** The unit of fractions and remainders: the sum of two of them has room in a register. */
export const FRACTION_UNIT = 2 ** 30

/** A register that keeps its value. */
export const CONSTANT: Sweep = { step: 0, fraction: 0, remainder: 0 }

/** A rounded sweep longer than this becomes several: its cost grows with the square. */
const MAX_ROUNDED = 256

/**
 * Numbers that a register can run through exactly: equal steps, or a sweep of equal steps rounded to whole
 * numbers. Those are the digits of a straight line: a slope exists as long as every two numbers allow one.
 */
export class Progression {
  readonly #isPhase: boolean
  /** Without the jumps of a phase at the end of a turn. */
  readonly #values: number[]
  /** Slopes between these are possible; neither is one itself. */
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  /** The step of all values so far; undefined when they have several. */
  #exact: number | undefined

  constructor(first: number, kind: SweptKind) {
    this.#isPhase = kind === 'phase'
    this.#values = [first]
  }

  get isConstant(): boolean {
    return this.#values.length < 2 || this.#exact === 0
  }

  /** Adds a value; false, and unchanged, when it does not continue the others. */
  add(value: number): boolean {
    const values = this.#values
    const last = values.at(-1) ?? 0
    const next = this.#isPhase ? this.#unwrapped(value, last) : value
    const isExact = values.length === 1 || next - last === this.#exact
    if (!isExact && values.length >= MAX_ROUNDED) return false
    let [low, high] = [this.#low, this.#high]
    // The two ends of equal steps bound the slope most closely.
    for (let at = 0; at < (isExact && this.#exact !== undefined ? 1 : values.length); at++) {
      const [rise, run] = [next - (values[at] ?? 0), values.length - at]
      low = Math.max(low, (rise - 1) / run)
      high = Math.min(high, (rise + 1) / run)
    }
    if (low >= high) return false
    this.#exact = isExact ? next - last : undefined
    this.#low = low
    this.#high = high
    values.push(next)
    return true
  }

  /** What a register has to do; undefined when rounding forbids it. */
  sweep(): Sweep | undefined {
    if (this.#exact !== undefined) return { ...CONSTANT, step: this.#wrapped(this.#exact) }
    const slope = (this.#low + this.#high) / 2
    const step = Math.floor(slope)
    const fraction = Math.round((slope - step) * FRACTION_UNIT)
    const rests = this.#values.map((value, at) => value - step * at)
    const [first = 0] = rests
    // The remainders at the start with which every value is the floor of the line.
    const drift = (at: number) => (fraction * at) / FRACTION_UNIT
    const least = Math.max(...rests.map((rest, at) => rest - first - drift(at)))
    const most = Math.min(...rests.map((rest, at) => rest - first + 1 - drift(at)))
    const remainder = Math.round(((least + most) / 2) * FRACTION_UNIT)
    const isEqual = rests.every(
      (rest, at) => first + Math.floor((remainder + fraction * at) / FRACTION_UNIT) === rest,
    )
    if (!isEqual || remainder < 0 || fraction >= FRACTION_UNIT) return undefined
    return { step: this.#wrapped(step), fraction, remainder }
  }

  /** The value nearest to where the last step would lead, of those that differ by whole turns. */
  #unwrapped(value: number, last: number): number {
    const before = this.#values.at(-2)
    const expected = before === undefined ? last : 2 * last - before
    return value + Math.round((expected - value) / STEPS_PER_TURN) * STEPS_PER_TURN
  }

  #wrapped(step: number): number {
    return this.#isPhase ? ((step % STEPS_PER_TURN) + STEPS_PER_TURN) % STEPS_PER_TURN : step
  }
}
