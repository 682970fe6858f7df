import type { Clock } from '../../base/index.ts'

/** Items become due at most so many ms too late, never too early. */
const TICK_MS = 250

/**
 * Calls `onDue` for each item whose time has come. All items share one timer, which runs only while there are
 * any: adding and removing an item touches one set.
 */
export class Deadlines<Item extends { readonly due: number }> {
  readonly #clock: Clock
  readonly #onDue: (item: Item) => void
  /** Items by the number of the tick at which they become due. */
  readonly #byTick = new Map<number, Set<Item>>()
  #timer: AbortController | undefined

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Adds an item that is due at the monotonic time `item.due`. */
  add(item: Item): void {
    const tick = tickOf(item)
    const others = this.#byTick.get(tick)
    if (others) others.add(item)
    else this.#byTick.set(tick, new Set([item]))
    if (!this.#timer) void this.#run()
  }

  /** Removes an item; does nothing if it has become due. */
  remove(item: Item): void {
    const tick = tickOf(item)
    const others = this.#byTick.get(tick)
    others?.delete(item)
    if (others?.size === 0) this.#byTick.delete(tick)
  }

  /** Ends the timer. */
  stop(): void {
    this.#timer?.abort()
  }

  async #run(): Promise<void> {
    const timer = new AbortController()
    this.#timer = timer
    while (this.#byTick.size > 0 && !timer.signal.aborted) {
      await this.#clock.sleep(TICK_MS, timer.signal).catch(() => undefined)
      const now = this.#clock.monotonic()
      for (const [tick, items] of this.#byTick) {
        if (tick * TICK_MS > now) continue
        this.#byTick.delete(tick)
        for (const item of items) this.#onDue(item)
      }
    }
    this.#timer = undefined
  }
}

function tickOf({ due }: { due: number }): number {
  return Math.ceil(due / TICK_MS)
}
