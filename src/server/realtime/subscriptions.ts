import type { Change } from '../../db/index.ts'
import type { EventStream } from './event-stream.ts'
import type { Topic } from './topic.ts'

/** One subscription of one client. */
export interface Subscription {
  readonly stream: EventStream
  readonly topic: Topic
}

/** A topic that streams share, so that what is known about it is computed once. */
interface SharedTopic {
  readonly topic: Topic
  readonly streams: Set<EventStream>
}

/** The subscriptions of all streams, indexed by record. */
export class Subscriptions {
  /** By collection and record, then by text. */
  readonly #byRecord = new Map<string, Map<string, SharedTopic>>()
  readonly #byStream = new Map<EventStream, readonly Topic[]>()
  #size = 0

  /** Number of subscriptions of all streams. */
  get size(): number {
    return this.#size
  }

  /** Replaces the subscriptions of a stream. */
  set(stream: EventStream, topics: readonly Topic[]): void {
    this.remove(stream)
    this.#byStream.set(
      stream,
      topics.map((topic) => this.#share(topic, stream)),
    )
    this.#size += topics.length
  }

  /** Listed under the topic with the same text, if there is one. */
  #share(topic: Topic, stream: EventStream): Topic {
    const key = keyOf(topic.collection.name, topic.record)
    const ofRecord = this.#byRecord.get(key) ?? new Map<string, SharedTopic>()
    this.#byRecord.set(key, ofRecord)
    const shared = ofRecord.get(topic.text) ?? { topic, streams: new Set() }
    ofRecord.set(topic.text, shared)
    shared.streams.add(stream)
    return shared.topic
  }

  remove(stream: EventStream): void {
    const topics = this.of(stream)
    for (const { collection, record, text } of topics) {
      const key = keyOf(collection.name, record)
      const ofRecord = this.#byRecord.get(key)
      const streams = ofRecord?.get(text)?.streams
      streams?.delete(stream)
      if (streams?.size === 0) ofRecord?.delete(text)
      if (ofRecord?.size === 0) this.#byRecord.delete(key)
    }
    this.#byStream.delete(stream)
    this.#size -= topics.length
  }

  /** The topics of a stream. */
  of(stream: EventStream): readonly Topic[] {
    return this.#byStream.get(stream) ?? []
  }

  /** Whether the changed record has subscribers. */
  has({ collection, id }: Pick<Change, 'collection' | 'id'>): boolean {
    return this.#byRecord.has(keyOf(collection, '*')) || this.#byRecord.has(keyOf(collection, id))
  }

  /** The subscriptions to the changed record and to its whole collection, those of one topic together. */
  to({ collection, id }: Pick<Change, 'collection' | 'id'>): Subscription[] {
    const keys = [keyOf(collection, '*'), keyOf(collection, id)]
    return keys
      .flatMap((key) => [...(this.#byRecord.get(key)?.values() ?? [])])
      .flatMap(({ topic, streams }) => [...streams].map((stream) => ({ stream, topic })))
  }
}

function keyOf(collection: string, record: string): string {
  return `${collection}/${record}`
}
