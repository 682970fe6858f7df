interface ScheduledEvent {
  /** ms since the epoch. */
  at: number
  /** Position in the order of scheduling. */
  seq: number
  run: () => void
}

/**
 * The future events of a virtual clock, as a heap by time; events of the same ms run in the order of
 * scheduling.
 */
export class EventQueue {
  readonly #heap: ScheduledEvent[] = []
  #scheduled = 0

  /** Time of the next event; undefined without any. */
  get next(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Schedules `run` for the time `at`, in ms since the epoch. */
  add(at: number, run: () => void): void {
    const entry = { at, seq: this.#scheduled++, run }
    let index = this.#heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = this.#heap[parent]
      if (!above || isBefore(above, entry)) break
      this.#heap[index] = above
      index = parent
    }
    this.#heap[index] = entry
  }

  /** Removes and runs all events of the next ms that has any. */
  runNext(): void {
    const now = this.next
    while (this.#heap[0]?.at === now && now !== undefined) this.#take()?.run()
  }

  #take(): ScheduledEvent | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (!first || !last || this.#heap.length === 0) return first
    let index = 0
    for (;;) {
      const child = this.#smallerChild(index)
      const below = this.#heap[child]
      if (!below || isBefore(last, below)) break
      this.#heap[index] = below
      index = child
    }
    this.#heap[index] = last
    return first
  }

  #smallerChild(index: number): number {
    const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]]
    return left && right && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.seq < other.seq)
}
