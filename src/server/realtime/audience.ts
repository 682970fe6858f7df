import type { Change } from '../../db/index.ts'
import type { EventStream } from './event-stream.ts'
import type { Topic } from './topic.ts'

/** One subscription of one client. */
export interface Listener {
  readonly stream: EventStream
  readonly topic: Topic
}

/** Who listens to what: finding the listeners of a record does not look at the others. */
export class Audience {
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #byStream = new Map<EventStream, Listener[]>()

  /** Replaces what a stream listens to. */
  set(stream: EventStream, topics: readonly Topic[]): void {
    this.remove(stream)
    const own = topics.map((topic) => ({ stream, topic }))
    this.#byStream.set(stream, own)
    for (const listener of own) {
      const key = keyOf(listener.topic.collection.name, listener.topic.record)
      const others = this.#listeners.get(key)
      if (others) others.add(listener)
      else this.#listeners.set(key, new Set([listener]))
    }
  }

  remove(stream: EventStream): void {
    for (const listener of this.#byStream.get(stream) ?? []) {
      const key = keyOf(listener.topic.collection.name, listener.topic.record)
      const others = this.#listeners.get(key)
      others?.delete(listener)
      if (others?.size === 0) this.#listeners.delete(key)
    }
    this.#byStream.delete(stream)
  }

  /** Whether anybody listens to the changed record. */
  has({ collection, id }: Pick<Change, 'collection' | 'id'>): boolean {
    return this.#listeners.has(keyOf(collection, '*')) || this.#listeners.has(keyOf(collection, id))
  }

  /** Those who listen to the changed record or to all of its collection. */
  of({ collection, id }: Pick<Change, 'collection' | 'id'>): Listener[] {
    const all = this.#listeners.get(keyOf(collection, '*')) ?? []
    const one = this.#listeners.get(keyOf(collection, id)) ?? []
    return [...all, ...one]
  }
}

function keyOf(collection: string, record: string): string {
  return `${collection}/${record}`
}
