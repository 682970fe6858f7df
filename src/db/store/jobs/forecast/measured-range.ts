import { nearestOf } from './nearest.ts'

/** A range of durations in ms. */
export interface MsRange {
  from: number
  to: number
}

/**
 * Share of the durations that a range is to contain: a little more than four of five, because durations are
 * known later than ranges are needed.
 */
const WANTED = 0.83
/** Latest durations that are remembered, and those among them with the nearest expectation that count. */
const MAX_REMEMBERED = 120
const MAX_NEAREST = 60
/** No range is measured on fewer. */
const MIN_MEASURED = 10
/** How much one duration outside its range widens the next ones, of the share outside. */
const STEP = 0.02
const ROUNDING = 1e-6
const OUTSIDE = { least: 0.02, most: 0.5 }

/** An expectation and how far the duration was from it: `ln((actual + offset) / (expected + offset))`. */
interface Remembered {
  place: number
  ratio: number
}

/**
 * The range around an expected duration that contains the real one four times in five, measured on the latest
 * durations with similar expectations (split conformal prediction: Vovk, Gammerman and Shafer, "Algorithmic
 * Learning in a Random World", 2005). The share outside adapts to what happens (Gibbs and Candès, "Adaptive
 * conformal inference under distribution shift", 2021), so that it holds in the long run whatever changes.
 */
export class MeasuredRange {
  readonly #offsetMs: number
  readonly #latest: Remembered[] = []
  #outside = 1 - WANTED

  /** `offsetMs`: a duration that makes no difference, below which ratios do not count. */
  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs
  }

  /** Learns from a duration; both in ms. */
  add(expected: number, actual: number): void {
    const range = this.of(expected)
    if (range) {
      const isOutside = actual < range.from || actual > range.to
      const next = this.#outside + STEP * (1 - WANTED - (isOutside ? 1 : 0))
      this.#outside = Math.min(OUTSIDE.most, Math.max(OUTSIDE.least, next))
    }
    const place = this.#logOf(expected)
    this.#latest.push({ place, ratio: this.#logOf(actual) - place })
    if (this.#latest.length > MAX_REMEMBERED) this.#latest.shift()
  }

  /** The range in whole ms; undefined while too few durations are known. */
  of(expected: number): MsRange | undefined {
    if (this.#latest.length < MIN_MEASURED) return undefined
    const place = this.#logOf(expected)
    const distance = (one: Remembered) => Math.abs(one.place - place)
    const nearest = nearestOf(this.#latest, { distance, count: MAX_NEAREST })
    const ratios = nearest.map(({ ratio }) => ratio).sort((one, other) => one - other)
    const count = ratios.length
    const low = Math.floor((this.#outside / 2) * (count + 1)) - 1
    const high = Math.ceil((1 - this.#outside / 2) * (count + 1)) - 1
    const at = (index: number) => ratios[Math.min(count - 1, Math.max(0, index))] ?? 0
    const durationOf = (ratio: number) => Math.max(0, Math.exp(place + ratio) - this.#offsetMs)
    // A duration itself is within its range, whatever the rounding of its logarithm.
    return {
      from: Math.floor(durationOf(at(low)) + ROUNDING),
      to: Math.ceil(durationOf(at(high)) - ROUNDING),
    }
  }

  #logOf(ms: number): number {
    return Math.log(Math.max(0, ms) + this.#offsetMs)
  }
}
