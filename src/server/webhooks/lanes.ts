import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'

interface Owned {
  id: string
  user: string
}

/** Bounds how many attempts run at the same time: in total, per user and per webhook. */
export class Lanes {
  /** Ids of the deliveries that are being attempted. */
  readonly #deliveries = new Set<string>()
  /** Receivers whose last attempt failed or took more than 1 s do not delay the others. */
  readonly #lanes = { normal: new Places(COUNTS.attempts), strained: new Places(COUNTS.strainedAttempts) }
  readonly #users = new Places(COUNTS.attemptsOfUser)
  readonly #webhooks = new Places(COUNTS.attemptsOfUser)

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
    const limit = isStrained ? COUNTS.strainedAttempts : COUNTS.attempts
    return limit.bounds.all - this.#lanes[laneOf(isStrained)].used
  }

  /** Maximum number of attempts to one webhook. */
  mostOf(isStrained: boolean): number {
    return (isStrained ? COUNTS.strainedAttempts : COUNTS.attemptsOfUser).bounds.account
  }

  /** Begins an attempt; returns the function that ends it, or undefined when it may not begin now. */
  enter(webhook: Owned, delivery: string, isStrained: boolean): (() => void) | undefined {
    const lane = this.#lanes[laneOf(isStrained)]
    const isFull =
      lane.exceeded(webhook.id) !== undefined ||
      this.#users.exceeded(webhook.user) !== undefined ||
      this.sizeOf(webhook) >= this.mostOf(isStrained)
    if (isFull || this.#deliveries.has(delivery)) return undefined
    this.#deliveries.add(delivery)
    const releases = [lane.take(webhook.id), this.#users.take(webhook.user), this.#webhooks.take(webhook.id)]
    return () => {
      this.#deliveries.delete(delivery)
      for (const release of releases) release()
    }
  }
}

function laneOf(isStrained: boolean): 'strained' | 'normal' {
  return isStrained ? 'strained' : 'normal'
}
