/** How much there may be at the same time: bytes, or a number of something. */
export interface Bounds {
  /** Limit of one account; without it, accounts share what there is. */
  readonly account?: number
  readonly all?: number
}

/** How much may wait in a queue. */
export interface QueueLimits {
  readonly bounds: Bounds
  /** The error for an item beyond a bound. */
  refuse(bound: keyof Bounds): Error
}

/**
 * What waits, in the order of turns: callers take turns, however much each of them waits for, and the items
 * of one caller keep their order.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits | undefined
  /** The caller whose turn is next comes first; one whose item was taken goes to the end. */
  readonly #queues = new Map<string, Item[]>()
  #size = 0

  /** Without limits, whoever adds items bounds them. */
  constructor(limits?: QueueLimits) {
    this.#limits = limits
  }

  /** Number of items of all callers. */
  get size(): number {
    return this.#size
  }

  /** @throws what `refuse` returns when the caller, or all of them, have too many items in the queue. */
  add(caller: string, item: Item): void {
    const queue = this.#queues.get(caller) ?? []
    const { account = Number.POSITIVE_INFINITY, all = Number.POSITIVE_INFINITY } = this.#limits?.bounds ?? {}
    if (queue.length >= account) throw this.#limits?.refuse('account')
    if (this.#size >= all) throw this.#limits?.refuse('all')
    queue.push(item)
    this.#queues.set(caller, queue)
    this.#size += 1
  }

  /** Removes and returns the next item; a caller whose first item may not start yet keeps its place. */
  take(mayStart: (item: Item) => boolean = () => true): Item | undefined {
    for (const [caller, queue] of this.#queues) {
      const [item] = queue
      if (item === undefined || !mayStart(item)) continue
      queue.shift()
      this.#queues.delete(caller)
      if (queue.length > 0) this.#queues.set(caller, queue)
      this.#size -= 1
      return item
    }
    return undefined
  }

  /** Removes an item of a caller, if it is still in the queue. */
  remove(caller: string, item: Item): void {
    const queue = this.#queues.get(caller) ?? []
    const place = queue.indexOf(item)
    if (place < 0) return
    queue.splice(place, 1)
    if (queue.length === 0) this.#queues.delete(caller)
    this.#size -= 1
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = [...this.#queues.values()].flat()
    this.#queues.clear()
    this.#size = 0
    return all
  }
}
