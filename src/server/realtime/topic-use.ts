import { COUNTS } from '../admission/limits.ts'
import type { Caller } from '../http/caller.ts'
import { readerOf } from '../http/reading.ts'
import type { EventStream } from './event-stream.ts'
import type { Streams } from './streams.ts'
import type { Subscriptions } from './subscriptions.ts'
import { hasOptions, type Topic } from './topic.ts'

/** What a client would use after a request, or uses now. */
interface Use {
  topics: number
  /** Distinct topics with options. */
  optioned: Set<string>
}

interface TopicUseDependencies {
  streams: Streams
  subscriptions: Subscriptions
  /** Whether the events of a topic depend on the account that receives them. */
  isPersonal(topic: Topic): boolean
}

/** Counts the subscriptions of clients against their limits. */
export class TopicUse {
  readonly #dependencies: TopicUseDependencies

  constructor(dependencies: TopicUseDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Checks the list of a request, as sent, against the limits of one stream and one client.
   * @throws AppError `limited` that names the limit and the remedy.
   */
  assertBelowLimits(stream: EventStream, caller: Caller, texts: readonly string[]): void {
    const optioned = texts.filter(hasOptions)
    COUNTS.streamOptions.assertWithin('account', optioned.length)
    const client = readerOf(caller, stream.address)
    const others = this.#useOf(client, stream)
    const isGuest = caller.kind === 'guest'
    COUNTS.topics.assertWithin('account', others.topics + texts.length, isGuest)
    const distinct = new Set([...others.optioned, ...optioned]).size
    COUNTS.options.assertWithin('account', distinct, isGuest)
  }

  /**
   * Checks the topics of a request against the limits of all streams. For an account, streams of guests are
   * closed until there is room.
   * @throws AppError `unavailable` that names the limit and the remedy.
   */
  displaceGuests(stream: EventStream, caller: Caller, topics: readonly Topic[]): void {
    const { subscriptions } = this.#dependencies
    const others = () => subscriptions.size - subscriptions.of(stream).length
    const isGuest = caller.kind === 'guest'
    const exceeded = () => {
      if (topics.length > 0 && !COUNTS.topics.isWithin('all', others() + topics.length)) return COUNTS.topics
      const evaluations = this.#countEvaluations(stream, caller, topics)
      return COUNTS.options.isWithin('all', evaluations) ? undefined : COUNTS.options
    }
    for (let limit = exceeded(); limit; limit = exceeded()) {
      const makesRoom =
        !isGuest && this.closeHeaviest((each) => each !== stream && each.caller.kind === 'guest')
      if (!makesRoom) throw limit.refuse('all', topics.length, isGuest)
    }
  }

  /**
   * Closes the streams of the client with the most topics with options, then with the most topics, among
   * those with any. Returns the client; undefined when none is left.
   */
  closeHeaviest(among: (stream: EventStream) => boolean): string | undefined {
    const { streams } = this.#dependencies
    const candidates = streams.all().filter(among)
    const weights = [...new Set(candidates.map((stream) => stream.client))].map((client) => {
      const { topics, optioned } = this.#useOf(client)
      return { client, weight: optioned.size * COUNTS.topics.bounds.all + topics }
    })
    const heaviest = weights.toSorted((a, b) => b.weight - a.weight)[0]
    if (!heaviest || heaviest.weight === 0) return undefined
    for (const stream of candidates) if (stream.client === heaviest.client) stream.close()
    return heaviest.client
  }

  #useOf(client: string, except?: EventStream): Use {
    const { streams, subscriptions } = this.#dependencies
    const use: Use = { topics: 0, optioned: new Set() }
    for (const stream of streams.all()) {
      if (stream === except || stream.client !== client) continue
      const topics = subscriptions.of(stream)
      use.topics += topics.length
      for (const topic of topics) if (topic.hasOptions) use.optioned.add(topic.text)
    }
    return use
  }

  /** Evaluations of all topics with options when these are the topics of `stream`; 0 if it has none. */
  #countEvaluations(stream: EventStream, caller: Caller, topics: readonly Topic[]): number {
    const { streams, subscriptions, isPersonal } = this.#dependencies
    if (!topics.some((topic) => topic.hasOptions)) return 0
    const evaluations = new Set<string>()
    const add = (client: string, each: readonly Topic[]) => {
      for (const topic of each) {
        if (topic.hasOptions) evaluations.add(isPersonal(topic) ? `${client} ${topic.text}` : topic.text)
      }
    }
    for (const other of streams.all()) if (other !== stream) add(other.client, subscriptions.of(other))
    add(readerOf(caller, stream.address), topics)
    return evaluations.size
  }
}
