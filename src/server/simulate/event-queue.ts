interface ScheduledEvent {
  at: number
  seq: number
  run: () => void
}

/** What is still to happen on a virtual clock: a heap by time; what falls on the same ms keeps its order of entry. */
export class EventQueue {
  readonly #heap: ScheduledEvent[] = []
  #entries = 0

  /** When the next thing happens; undefined when nothing does. */
  get next(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Schedules `run` at `at` (ms since the epoch). */
  add(at: number, run: () => void): void {
    const entry = { at, seq: this.#entries++, run }
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

  /** Takes and does everything of the next moment. */
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
