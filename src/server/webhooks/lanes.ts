/** Attempts that run at the same time. */
const LIMITS = {
  /** To receivers that respond well. */
  normal: 32,
  /** To receivers whose last attempt failed or took more than 1 s, so that they do not delay the others. */
  strained: 16,
  /** And thus per webhook. */
  perUser: 4,
  perStrainedWebhook: 1,
} as const

interface Owned {
  id: string
  user: string
}

/** Bounds how many attempts run at the same time: in total, per user and per webhook. */
export class Lanes {
  /** Ids of the deliveries that are being attempted. */
  readonly #deliveries = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** Attempts that run now. */
  get size(): number {
    return this.#deliveries.size
  }

  /** Attempts to this webhook that run now. */
  sizeOf({ id }: Pick<Owned, 'id'>): number {
    return this.#count(id)
  }

  /** Number of attempts that may begin. */
  free(isStrained: boolean): number {
    return LIMITS[laneOf(isStrained)] - this.#count(laneOf(isStrained))
  }

  /** Maximum number of attempts to one webhook. */
  mostOf(isStrained: boolean): number {
    return isStrained ? LIMITS.perStrainedWebhook : LIMITS.perUser
  }

  /** Begins an attempt; returns the function that ends it, or undefined when it may not begin now. */
  enter(webhook: Owned, delivery: string, isStrained: boolean): (() => void) | undefined {
    const lane = laneOf(isStrained)
    const isFull =
      this.#count(lane) >= LIMITS[lane] ||
      this.#count(webhook.user) >= LIMITS.perUser ||
      this.#count(webhook.id) >= this.mostOf(isStrained)
    if (isFull || this.#deliveries.has(delivery)) return undefined
    const names = [lane, webhook.user, webhook.id]
    this.#deliveries.add(delivery)
    for (const name of names) this.#add(name, 1)
    return () => {
      this.#deliveries.delete(delivery)
      for (const name of names) this.#add(name, -1)
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  #add(name: string, count: number): void {
    const next = this.#count(name) + count
    if (next === 0) this.#counts.delete(name)
    else this.#counts.set(name, next)
  }
}

/** The names of lanes are no record ids, so that all counts are in one map. */
function laneOf(isStrained: boolean): 'strained' | 'normal' {
  return isStrained ? 'strained' : 'normal'
}
