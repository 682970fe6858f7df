import type { JobResults } from './generated/wire.gen.ts'

type CircuitResultWire = JobResults['circuit_results'][number]

/**
 * Real and imaginary parts of averaged or single values, one array per shot (`single`) or one in all (`avg`).
 */
export type IqPoints =
  | readonly (readonly [number, number])[]
  | readonly (readonly (readonly [number, number])[])[]

/** The outcomes of one circuit with one set of parameters. */
export class CircuitResult {
  readonly raw: CircuitResultWire
  #counted: { readonly [bits: string]: number } | undefined

  constructor(raw: CircuitResultWire) {
    this.raw = raw
  }

  /** Name given to the circuit. */
  get name(): string {
    return this.raw.header.name
  }

  /** Number of shots that the job asked for. */
  get shots(): number {
    return this.raw.shots
  }

  /** Number of shots that the device ran and left out of counts and memory. */
  get discardedShots(): number {
    return this.raw.discarded_shots ?? 0
  }

  /** Number of shots in counts and memory. */
  get keptShots(): number {
    return this.shots - this.discardedShots
  }

  /**
   * Number of shots by outcome; bit 0 is the rightmost character. Results with packed memory may omit counts
   * that are too large: they are counted here.
   */
  get counts(): { readonly [bits: string]: number } {
    if (this.raw.counts || !this.raw.counts_omitted) return this.raw.counts ?? {}
    this.#counted ??= countEach(this.memory ?? [])
    return this.#counted
  }

  /** The exact mean of each observable of the circuit, of a job submitted with `exact`. */
  get expectationValues(): readonly number[] | undefined {
    return this.raw.expectation_values
  }

  /** Metadata given to the circuit. */
  get metadata(): { readonly [key: string]: unknown } {
    return this.raw.header.metadata
  }

  /** Why the outcomes may mean less than they seem, such as qubits that are not calibrated. */
  get warnings(): readonly string[] {
    const { warnings } = this.raw.metadata
    return Array.isArray(warnings) ? warnings.map(String) : []
  }

  /** The outcome of each shot in bits, of a job submitted with `memory`. */
  get memory(): readonly string[] | undefined {
    const { memory, header } = this.raw
    const bits = header.memory_slots
    if (typeof memory === 'string') return unpack(memory, this.keptShots, bits)
    if (!Array.isArray(memory) || typeof memory[0] !== 'string') return undefined
    return memory.map((hex) => BigInt(hex).toString(2).padStart(bits, '0'))
  }

  /** The points of a job with `meas_level` 1. */
  get iq(): IqPoints | undefined {
    const { memory } = this.raw
    return Array.isArray(memory) && Array.isArray(memory[0]) ? (memory as IqPoints) : undefined
  }

  /** Relative frequencies of the outcomes; exact probabilities of a job submitted with `exact`. */
  probabilities(): { [bits: string]: number } {
    if (this.raw.probabilities) return { ...this.raw.probabilities }
    return mapValues(this.counts, (count) => count / this.keptShots)
  }

  /** Counts, or the exact probabilities, by outcome. */
  #weights(): { readonly [bits: string]: number } {
    const { probabilities, counts, counts_omitted: isOmitted } = this.raw
    if (probabilities) return probabilities
    if (counts || isOmitted) return this.counts
    const has = this.expectationValues ? 'the means of observables (expectationValues)' : 'signals'
    throw new RangeError(`The result has ${has} in place of outcomes`)
  }

  /**
   * Counts of some bits: their numbers from the left of the new keys to the right. Probabilities in place of
   * counts of a job submitted with `exact`.
   *
   * @throws RangeError if the result has no outcomes, but signals or the exact means of observables, or not
   *   so many bits.
   */
  marginal(bits: readonly number[]): { [bits: string]: number } {
    const size = this.raw.header.memory_slots
    const absent = bits.find((bit) => bit < 0 || bit >= size)
    if (absent !== undefined) throw new RangeError(`The result has ${size} bits; there is no bit ${absent}`)
    const sums: { [bits: string]: number } = {}
    for (const [key, count] of Object.entries(this.#weights())) {
      const part = bits.map((bit) => key.at(-1 - bit) ?? '0').join('')
      sums[part] = (sums[part] ?? 0) + count
    }
    return sums
  }

  /**
   * Counts of one classical register, or probabilities as of `marginal()`.
   *
   * @throws RangeError if the circuit has no such register, or the result no outcomes.
   */
  register(name: string): { [bits: string]: number } {
    let first = 0
    for (const [register, size] of this.raw.header.creg_sizes) {
      if (register === name)
        return this.marginal(Array.from({ length: size }, (_, at) => first + size - 1 - at))
      first += size
    }
    const known = this.raw.header.creg_sizes.map(([register]) => register).join(', ')
    throw new RangeError(`The circuit has no register "${name}"; it has ${known || 'none'}`)
  }

  /**
   * Mean and standard error of a product of Pauli Z, such as `ZIZ`, whose rightmost character is bit 0. The
   * mean of exact probabilities has the error 0.
   *
   * @throws RangeError for other characters than Z and I or more of them than bits, if the device discarded
   *   all shots, and if the result has no outcomes.
   */
  expectation(pauliZ: string): { value: number; error: number } {
    if (!/^[ZI]+$/.test(pauliZ)) throw new RangeError(`"${pauliZ}" has other characters than Z and I`)
    const size = this.raw.header.memory_slots
    if (pauliZ.length > size) throw new RangeError(`"${pauliZ}" has more characters than the ${size} bits`)
    const bits = [...pauliZ].flatMap((character, at) => (character === 'Z' ? [pauliZ.length - 1 - at] : []))
    let sum = 0
    for (const [key, count] of Object.entries(this.marginal(bits)))
      sum += [...key].filter((bit) => bit === '1').length % 2 === 0 ? count : -count
    if (this.raw.probabilities) return { value: sum, error: 0 }
    if (this.keptShots === 0) throw new RangeError('The device discarded all shots')
    const value = sum / this.keptShots
    return { value, error: Math.sqrt((1 - value ** 2) / this.keptShots) }
  }
}

/** The results of a job: one for each circuit and set of parameters, in order. */
export class Result implements Iterable<CircuitResult> {
  readonly jobId: string
  readonly raw: JobResults
  readonly circuits: readonly CircuitResult[]

  constructor(jobId: string, raw: JobResults) {
    this.jobId = jobId
    this.raw = raw
    this.circuits = raw.circuit_results.map((each) => new CircuitResult(each))
  }

  /** Device, times, seed and versions. */
  get metadata(): { readonly [key: string]: unknown } {
    return this.raw.metadata
  }

  /** Counts of one circuit, by its position. @throws RangeError beyond the last one. */
  counts(at = 0): { readonly [bits: string]: number } {
    const circuit = this.circuits.at(at)
    if (!circuit)
      throw new RangeError(`The job has ${this.circuits.length} results; there is no number ${at}`)
    return circuit.counts
  }

  /** One result after the other: `for (const circuit of result)`. */
  [Symbol.iterator](): Iterator<CircuitResult> {
    return this.circuits[Symbol.iterator]()
  }
}

function countEach(outcomes: readonly string[]): { [bits: string]: number } {
  const counts: { [bits: string]: number } = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

function mapValues(counts: { readonly [bits: string]: number }, map: (count: number) => number) {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, map(count)]))
}

/** Bits of each shot: ⌈bits / 8⌉ bytes a shot, the most significant byte first. */
function unpack(base64: string, shots: number, bits: number): string[] {
  const bytes = atob(base64)
  const width = Math.ceil(bits / 8)
  return Array.from({ length: shots }, (_, shot) => {
    const row = [...bytes.slice(shot * width, (shot + 1) * width)]
    const text = row.map((byte) => byte.charCodeAt(0).toString(2).padStart(8, '0')).join('')
    return text.slice(width * 8 - bits)
  })
}
