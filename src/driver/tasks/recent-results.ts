import { MIB } from '../../base/index.ts'

const MAX_RESULTS = 256
const MAX_CHARACTERS = 32 * MIB

/** Recently acknowledged results, so that a job that is dispatched again does not run twice. */
export class RecentResults {
  readonly #bodies = new Map<string, string>()
  #characters = 0

  get(id: string): string | undefined {
    return this.#bodies.get(id)
  }

  /** Stores `body`; evicts the oldest results above 256, or above 64 MiB (two bytes per character). */
  add(id: string, body: string): void {
    this.#drop(id)
    this.#bodies.set(id, body)
    this.#characters += body.length
    for (const oldest of this.#bodies.keys()) {
      if (this.#bodies.size <= MAX_RESULTS && this.#characters <= MAX_CHARACTERS) return
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    this.#characters -= this.#bodies.get(id)?.length ?? 0
    this.#bodies.delete(id)
  }
}
