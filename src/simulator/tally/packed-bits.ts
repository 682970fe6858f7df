/**
 * The outcomes of all shots in one text: base64 of as many bytes per shot as its bits need, the shots in
 * order, the most significant byte first. This is the layout of `BitArray` in Qiskit, which reads it without
 * parsing.
 */
export class PackedBits {
  readonly #bytes: Buffer
  readonly #width: number

  constructor(bits: number, shots: number) {
    this.#width = bytesOf(bits)
    this.#bytes = Buffer.alloc(shots * this.#width)
  }

  /** Characters of the text. */
  static textLength(bits: number, shots: number): number {
    return 4 * Math.ceil((shots * bytesOf(bits)) / 3)
  }

  /** Records the bits of one shot, indexed by classical bit. */
  set(shot: number, bits: Uint8Array): void {
    const last = (shot + 1) * this.#width - 1
    for (let index = 0; index < bits.length; index++) {
      if (bits[index])
        this.#bytes[last - (index >> 3)] = (this.#bytes[last - (index >> 3)] ?? 0) | (1 << (index & 7))
    }
  }

  /** Records the bits of one shot, 32 in each word from `at` on. */
  setWords(shot: number, words: Uint32Array, at: number): void {
    const last = (shot + 1) * this.#width - 1
    for (let byte = 0; byte < this.#width; byte++)
      this.#bytes[last - byte] = (words[at + (byte >> 2)] as number) >>> (8 * (byte & 3))
  }

  text(): string {
    return this.#bytes.toString('base64')
  }
}

function bytesOf(bits: number): number {
  return Math.ceil(bits / 8)
}
