import { Budget } from '../../base/index.ts'

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
  readonly #lanes = {
    normal: new Budget({ all: LIMITS.normal }),
    strained: new Budget({ all: LIMITS.strained }),
  }
  readonly #users = new Budget({ account: LIMITS.perUser, all: LIMITS.normal + LIMITS.strained })
  readonly #webhooks = new Budget({ all: LIMITS.normal + LIMITS.strained })

  /** Attempts that run now. */
  get size(): number {
    return this.#deliveries.size
  }

  /** Attempts to this webhook that run now. */
  sizeOf({ id }: Pick<Owned, 'id'>): number {
    return this.#webhooks.usedBy(id)
  }

  /** Number of attempts that may begin. */
  free(isStrained: boolean): number {
    return LIMITS[laneOf(isStrained)] - this.#lanes[laneOf(isStrained)].used
  }

  /** Maximum number of attempts to one webhook. */
  mostOf(isStrained: boolean): number {
    return isStrained ? LIMITS.perStrainedWebhook : LIMITS.perUser
  }

  /** Begins an attempt; returns the function that ends it, or undefined when it may not begin now. */
  enter(webhook: Owned, delivery: string, isStrained: boolean): (() => void) | undefined {
    const lane = this.#lanes[laneOf(isStrained)]
    const isFull =
      lane.exceeded('') !== undefined ||
      this.#users.exceeded(webhook.user) !== undefined ||
      this.sizeOf(webhook) >= this.mostOf(isStrained)
    if (isFull || this.#deliveries.has(delivery)) return undefined
    this.#deliveries.add(delivery)
    const releases = [lane.take(''), this.#users.take(webhook.user), this.#webhooks.take(webhook.id)]
    return () => {
      this.#deliveries.delete(delivery)
      for (const release of releases) release()
    }
  }
}

function laneOf(isStrained: boolean): 'strained' | 'normal' {
  return isStrained ? 'strained' : 'normal'
}
