/** Counts the outcomes of shots, to compare them with counts. */
export interface OutcomeTally {
  /** Adds a shot by its hexadecimal digits, without leading zeros. */
  addDigits(digits: string): void
  /** Adds a shot by its bytes, the most significant one first. */
  addBytes(bytes: Buffer, at: number, width: number): void
  /** The smallest outcome of which these shots and `counts` have different numbers; undefined for none. */
  disagreement(counts: Readonly<Record<string, number>>): string | undefined
}

/** Bits of an outcome up to which it is a whole number without loss. */
const MAX_NUMBER_BITS = 48
const MAX_OUTCOME_LENGTH = 100

/** Counts outcomes of this many bits. `shots` is the most that are added. */
export function outcomeTally(bits: number, shots: number): OutcomeTally {
  return bits <= MAX_NUMBER_BITS ? new NumberTally(bits, shots) : new TextTally(bits)
}

/** Outcomes as whole numbers, which are sorted: a map takes several times longer for many outcomes. */
class NumberTally implements OutcomeTally {
  readonly #bits: number
  readonly #outcomes: Float64Array
  #length = 0

  constructor(bits: number, shots: number) {
    this.#bits = bits
    this.#outcomes = new Float64Array(shots)
  }

  addDigits(digits: string): void {
    this.#outcomes[this.#length++] = digits === '' ? 0 : Number.parseInt(digits, 16)
  }

  addBytes(bytes: Buffer, at: number, width: number): void {
    this.#outcomes[this.#length++] = bytes.readUIntBE(at, width)
  }

  disagreement(counts: Readonly<Record<string, number>>): string | undefined {
    const left = new Map<number, number>()
    for (const [outcome, counted] of Object.entries(counts))
      if (counted > 0) left.set(Number.parseInt(outcome, 2), counted)
    const found = new Disagreement<number>((a, b) => a < b)
    const sorted = this.#outcomes.subarray(0, this.#length).sort()
    for (let first = 0, at = 1; at <= sorted.length; at++) {
      const outcome = sorted[first] as number
      if (sorted[at] === outcome) continue
      found.compare(outcome, at - first, left.get(outcome) ?? 0)
      left.delete(outcome)
      first = at
    }
    for (const [outcome, counted] of left) found.compare(outcome, 0, counted)
    return found.text((outcome) => outcome.toString(2).padStart(this.#bits, '0'))
  }
}

/** Outcomes of any width, by their bytes as a text. */
class TextTally implements OutcomeTally {
  readonly #bits: number
  readonly #width: number
  readonly #shots = new Map<string, number>()

  constructor(bits: number) {
    this.#bits = bits
    this.#width = Math.ceil(bits / 8)
  }

  addDigits(digits: string): void {
    this.#add(Buffer.from(digits.padStart(2 * this.#width, '0'), 'hex').toString('latin1'))
  }

  addBytes(bytes: Buffer, at: number, width: number): void {
    this.#add(bytes.toString('latin1', at, at + width))
  }

  #add(outcome: string): void {
    this.#shots.set(outcome, (this.#shots.get(outcome) ?? 0) + 1)
  }

  disagreement(counts: Readonly<Record<string, number>>): string | undefined {
    const found = new Disagreement<string>((a, b) => a < b)
    const left = new Map(this.#shots)
    for (const [outcome, counted] of Object.entries(counts)) {
      const key = bytesOf(outcome, this.#width)
      found.compare(key, left.get(key) ?? 0, counted)
      left.delete(key)
    }
    for (const [key, shots] of left) found.compare(key, shots, 0)
    return found.text((key) => {
      const bits = [...Buffer.from(key, 'latin1')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
      return bits.slice(-this.#bits)
    })
  }
}

/** The bytes of a bit string, as a text. */
function bytesOf(outcome: string, width: number): string {
  const bytes = Buffer.alloc(width)
  for (let last = width - 1, end = outcome.length; end > 0; end -= 8, last--)
    bytes[last] = Number.parseInt(outcome.slice(Math.max(0, end - 8), end), 2)
  return bytes.toString('latin1')
}

/** The smallest outcome of which a memory and counts have different numbers of shots. */
class Disagreement<Key> {
  readonly #isSmaller: (a: Key, b: Key) => boolean
  #smallest: { outcome: Key; shots: number; counted: number } | undefined

  constructor(isSmaller: (a: Key, b: Key) => boolean) {
    this.#isSmaller = isSmaller
  }

  compare(outcome: Key, shots: number, counted: number): void {
    if (shots === counted || (this.#smallest && !this.#isSmaller(outcome, this.#smallest.outcome))) return
    this.#smallest = { outcome, shots, counted }
  }

  text(bitsOf: (outcome: Key) => string): string | undefined {
    if (!this.#smallest) return undefined
    const { outcome, shots, counted } = this.#smallest
    return `memory has ${shots} of outcome "${bitsOf(outcome).slice(0, MAX_OUTCOME_LENGTH)}", counts ${counted}`
  }
}
