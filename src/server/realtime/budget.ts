import { AppError } from '../../base/index.ts'
import type { Caller } from '../http/caller.ts'
import type { EventStream } from './event-stream.ts'
import { clientOf, STREAM_LIMITS } from './limits.ts'
import type { Streams } from './streams.ts'
import type { Subscriptions } from './subscriptions.ts'
import { hasOptions, type Topic } from './topic.ts'

/** What a client would use after a request, or uses now. */
interface Use {
  topics: number
  /** Distinct topics with options. */
  optioned: Set<string>
}

interface BudgetDependencies {
  streams: Streams
  subscriptions: Subscriptions
  /** Whether the events of a topic depend on the account that receives them. */
  isPersonal(topic: Topic): boolean
}

/** Counts the subscriptions of clients against `STREAM_LIMITS`. */
export class Budget {
  readonly #dependencies: BudgetDependencies

  constructor(dependencies: BudgetDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Checks the list of a request, as sent, against the limits of one stream and one client.
   * @throws AppError `limited` that names the limit and the remedy.
   */
  assertBelowLimits(stream: EventStream, caller: Caller, texts: readonly string[]): void {
    const optioned = texts.filter(hasOptions)
    refuseAbove(STREAM_LIMITS.optioned.stream, optioned.length, 'topics with options on one stream')
    const client = clientOf({ caller, address: stream.address })
    const others = this.#useOf(client, stream)
    const where = caller.kind === 'guest' ? 'from one address without login' : 'per account'
    refuseAbove(STREAM_LIMITS.topics.client, others.topics + texts.length, `topics ${where}`)
    const distinct = new Set([...others.optioned, ...optioned]).size
    refuseAbove(STREAM_LIMITS.optioned.client, distinct, `topics with options ${where}`)
  }

  /**
   * Checks the topics of a request against the limits of all streams. For an account, streams of guests are
   * closed until there is room.
   * @throws AppError `unavailable` that names the limit and the remedy.
   */
  displaceGuests(stream: EventStream, caller: Caller, topics: readonly Topic[]): void {
    const { subscriptions } = this.#dependencies
    const others = () => subscriptions.size - subscriptions.of(stream).length
    const excess = () => {
      if (topics.length > 0 && others() + topics.length > STREAM_LIMITS.topics.total) {
        return `All ${STREAM_LIMITS.topics.total} topics are in use`
      }
      if (this.#countEvaluations(stream, caller, topics) > STREAM_LIMITS.optioned.total) {
        return `All ${STREAM_LIMITS.optioned.total} topics with options are in use; subscribe without filter, expand and fields`
      }
      return undefined
    }
    for (let problem = excess(); problem !== undefined; problem = excess()) {
      if (caller.kind === 'guest')
        throw new AppError('unavailable', `${problem}, or log in`, { retryAfter: 60 })
      const isClosed = this.closeHeaviest((each) => each !== stream && each.caller.kind === 'guest')
      if (!isClosed) throw new AppError('unavailable', `${problem}, or try again later`, { retryAfter: 60 })
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
      return { client, weight: optioned.size * STREAM_LIMITS.topics.total + topics }
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
    add(clientOf({ caller, address: stream.address }), topics)
    return evaluations.size
  }
}

function refuseAbove(limit: number, count: number, what: string): void {
  if (count <= limit) return
  throw new AppError(
    'limited',
    `${count} ${what}, more than the limit of ${limit}; subscribe to fewer topics, or to whole collections without options`,
    { retryAfter: 60 },
  )
}
