import type { Change } from '../../db/index.ts'
import type { EventStream } from './event-stream.ts'
import type { Topic } from './topic.ts'

/** One subscription of one client. */
export interface Subscription {
  readonly stream: EventStream
  readonly topic: Topic
}

/** The subscriptions of all streams, indexed by record. */
export class Subscriptions {
  readonly #byRecord = new Map<string, Set<Subscription>>()
  readonly #byStream = new Map<EventStream, Subscription[]>()

  /** Replaces the subscriptions of a stream. */
  set(stream: EventStream, topics: readonly Topic[]): void {
    this.remove(stream)
    const own = topics.map((topic) => ({ stream, topic }))
    this.#byStream.set(stream, own)
    for (const subscription of own) {
      const key = keyOf(subscription.topic.collection.name, subscription.topic.record)
      const others = this.#byRecord.get(key)
      if (others) others.add(subscription)
      else this.#byRecord.set(key, new Set([subscription]))
    }
  }

  remove(stream: EventStream): void {
    for (const subscription of this.#byStream.get(stream) ?? []) {
      const key = keyOf(subscription.topic.collection.name, subscription.topic.record)
      const others = this.#byRecord.get(key)
      others?.delete(subscription)
      if (others?.size === 0) this.#byRecord.delete(key)
    }
    this.#byStream.delete(stream)
  }

  /** Whether the changed record has subscribers. */
  has({ collection, id }: Pick<Change, 'collection' | 'id'>): boolean {
    return this.#byRecord.has(keyOf(collection, '*')) || this.#byRecord.has(keyOf(collection, id))
  }

  /** The subscriptions to the changed record and to its whole collection. */
  of({ collection, id }: Pick<Change, 'collection' | 'id'>): Subscription[] {
    const all = this.#byRecord.get(keyOf(collection, '*')) ?? []
    const one = this.#byRecord.get(keyOf(collection, id)) ?? []
    return [...all, ...one]
  }
}

function keyOf(collection: string, record: string): string {
  return `${collection}/${record}`
}
