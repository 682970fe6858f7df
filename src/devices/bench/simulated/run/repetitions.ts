/** How often the same content was asked for within a second of the chip: each time has its own noise. */
export class Repetitions {
  #second = Number.NaN
  readonly #counts = new Map<string, number>()

  next(key: string, second: number): number {
    if (second !== this.#second) this.#counts.clear()
    this.#second = second
    const count = this.#counts.get(key) ?? 0
    this.#counts.set(key, count + 1)
    return count
  }
}
