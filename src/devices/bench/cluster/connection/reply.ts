import { MIB } from '../../../../base/index.ts'
/** A reply that is not what the protocol says, or a connection that ended; the message is for people. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}

/** Longest text line of a reply, in bytes. */
const MAX_LINE_BYTES = 1_000_000
/** Longest binary block of a reply, in bytes: twice the bins of the largest sequencer. */
const MAX_BLOCK_BYTES = 512 * MIB

/** The bytes of replies in the order of their arrival, of which one reader waits for the next. */
export class ReplyBytes {
  readonly #chunks: Buffer[] = []
  #length = 0
  #failure: Error | undefined
  #onChange: () => void = () => undefined

  /** Adds bytes that have arrived. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    this.#onChange()
  }

  /** Ends the stream: whoever waits, now or later, gets the failure. */
  fail(failure: Error): void {
    this.#failure ??= failure
    this.#onChange()
  }

  /** Whether bytes have arrived that nobody has read. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** A line of text without its end, which is LF or CR LF. */
  async line(): Promise<string> {
    for (let searched = 0; ; ) {
      const all = this.#joined()
      const end = all.indexOf(0x0a, searched)
      if (end >= 0)
        return this.#cut(end + 1)
          .toString('utf8')
          .replace(/\r?\n$/, '')
      if (all.length > MAX_LINE_BYTES) throw new ClusterError(`a line of more than ${MAX_LINE_BYTES} bytes`)
      searched = all.length
      await this.#moreThan(searched)
    }
  }

  /**
   * The content of a block `#<d><d digits of the length><bytes>` (IEEE 488.2, definite length). A comma
   * before it, which separates blocks that follow each other, is skipped.
   */
  async block(): Promise<Buffer> {
    let [mark = ''] = (await this.take(1)).toString('latin1')
    if (mark === ',') mark = (await this.take(1)).toString('latin1')
    const count = (await this.take(1)).toString('latin1')
    if (mark !== '#' || !/^[1-9]$/.test(count)) {
      throw new ClusterError(
        `expected a block, which starts with # and a digit, got ${JSON.stringify(mark + count)}`,
      )
    }
    const digits = (await this.take(Number(count))).toString('latin1')
    if (!/^\d+$/.test(digits)) throw new ClusterError(`the length of a block is ${JSON.stringify(digits)}`)
    const length = Number(digits)
    if (length > MAX_BLOCK_BYTES) {
      throw new ClusterError(`a block of ${length} bytes; at most ${MAX_BLOCK_BYTES} are accepted`)
    }
    return this.take(length)
  }

  /** Exactly `count` bytes. */
  async take(count: number): Promise<Buffer> {
    while (this.#length < count) await this.#moreThan(this.#length)
    return this.#cut(count)
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks))
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  #cut(count: number): Buffer {
    const all = this.#joined()
    this.#chunks[0] = all.subarray(count)
    this.#length -= count
    return all.subarray(0, count)
  }

  async #moreThan(length: number): Promise<void> {
    while (this.#length <= length) {
      if (this.#failure) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }
}
