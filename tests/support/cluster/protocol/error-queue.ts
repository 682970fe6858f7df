/** A command that a module refuses, in the words of its error queue. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /** @param code of SCPI-99, volume 2, chapter 21 */
  constructor(code: number, message: string) {
    super(`${code},"${message}"`)
  }
}

/** Most entries; a further one replaces the last by an overflow. */
const CAPACITY = 64

/** The errors of a module or of the cluster, oldest first. */
export class ErrorQueue {
  readonly #entries: string[] = []

  get count(): number {
    return this.#entries.length
  }

  add(entry: string): void {
    if (this.#entries.length < CAPACITY) this.#entries.push(entry)
    else this.#entries[CAPACITY - 1] = '-350,"Queue overflow"'
  }

  next(): string {
    return this.#entries.shift() ?? '0,"No error"'
  }

  clear(): undefined {
    this.#entries.length = 0
  }
}
