interface RecentLimits {
  /** Number of values. */
  entries: number
  /** Sum of their sizes, in whatever unit `add` is given. */
  size: number
}

/** The values that were added last, by key: the oldest are evicted above the limits. */
export class Recent<Value> {
  readonly #limits: RecentLimits
  readonly #entries = new Map<string, { value: Value; size: number }>()
  #size = 0

  constructor(limits: RecentLimits) {
    this.#limits = limits
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Adds a value, in place of the one of this key. One that is larger than the limit is not kept. */
  add(key: string, value: Value, size: number): void {
    this.#drop(key)
    this.#entries.set(key, { value, size })
    this.#size += size
    const { entries, size: most } = this.#limits
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#size <= most) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }
}
