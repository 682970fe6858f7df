import { type Clock, type Log, TimeSlice } from '../../base/index.ts'
import type { AnyCollection, Change, Database, RecordOf } from '../../db/index.ts'
import { COUNTS } from '../admission/limits.ts'
import type { ChangePublisher } from './change-publisher.ts'
import type { EventStream } from './event-stream.ts'
import { TURN_MS } from './limits.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** Number of decisions and of turns after which the gathered events are written. */
const DECISIONS_PER_ROUND = 5_000
const TURNS_PER_ROUND = 10

const ACCOUNTS: readonly string[] = ['users', 'superusers', 'api_tokens']

interface BroadcastDependencies {
  db: Pick<Database, 'read' | 'changes'>
  log: Log
  clock: Clock
  subscriptions: Subscriptions
  publisher: ChangePublisher
  /** Called when an account has changed, to identify the callers of its streams again. */
  checkAccount(id: string): Promise<void>
  /** Called after the events of each round have been written. */
  afterRound(): void
  /** Called when more changes wait than can be published: all streams have to end. */
  onOverflow(): void
  /** Called when changes wait because of topics with options. */
  onCostlyTopics(): void
}

/**
 * Publishes committed changes to subscribers in commit order, in turns of a few ms. Each stream receives the
 * events of a round of turns in one write.
 */
export class Broadcast {
  readonly #dependencies: BroadcastDependencies
  #queue: Change[] = []
  #work: Promise<void> | undefined
  readonly #turn: TimeSlice
  /** Decisions of this turn, and how many of them were about topics with options. */
  #decisions = { all: 0, optioned: 0 }
  #round = { decisions: 0, turns: 0 }
  #unsubscribe: () => void = () => undefined
  readonly #stop = new AbortController()

  constructor(dependencies: BroadcastDependencies) {
    this.#dependencies = dependencies
    this.#turn = new TimeSlice(dependencies.clock, TURN_MS)
  }

  start(): void {
    this.#unsubscribe = this.#dependencies.db.changes.subscribe((changes) => this.#enqueue(changes))
  }

  /** Discards waiting changes; resolves when nothing is published any more. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#queue = []
    this.#stop.abort()
    await this.#work
  }

  #enqueue(changes: readonly Change[]): void {
    const { subscriptions, log } = this.#dependencies
    const wanted = changes.filter((each) => ACCOUNTS.includes(each.collection) || subscriptions.has(each))
    const waiting = this.#queue.length + wanted.length
    if (!COUNTS.queuedChanges.isWithin('all', waiting)) {
      log.warn('too many changes at the same time; closing the event streams', { changes: waiting })
      this.#queue = []
      this.#dependencies.onOverflow()
      return
    }
    this.#queue.push(...wanted)
    // Publishing starts in a later turn, so that the response to the write is sent first.
    if (this.#queue.length > 0) this.#work ??= this.#drain().finally(() => (this.#work = undefined))
  }

  async #drain(): Promise<void> {
    await this.#nextTurn()
    while (this.#queue.length > 0) {
      const dirtyStreams = new Set<EventStream>()
      this.#round = { decisions: 0, turns: 0 }
      for (let change = this.#queue.shift(); change; change = this.#queue.shift()) {
        await this.#publish(change, dirtyStreams)
        this.#count(false)
        if (this.#turn.isOver) await this.#endTurn()
        if (this.#round.turns >= TURNS_PER_ROUND || this.#round.decisions >= DECISIONS_PER_ROUND) break
      }
      for (const stream of dirtyStreams) stream.flush()
      this.#dependencies.afterRound()
      await this.#endTurn()
    }
  }

  async #publish(change: Change, dirtyStreams: Set<EventStream>): Promise<void> {
    try {
      const account = accountOf(change)
      // A locked-out account receives no further changes, except the deletion of the account itself.
      if (account !== undefined && change.action !== 'delete') await this.#dependencies.checkAccount(account)
      const subscribers = this.#dependencies.subscriptions.to(change)
      if (isWhole(change)) await this.#publishTo(change, subscribers, dirtyStreams)
      if (account !== undefined && change.action === 'delete') await this.#dependencies.checkAccount(account)
    } catch (error) {
      this.#dependencies.log.error('change could not be published', {
        collection: change.collection,
        id: change.id,
        error,
      })
    }
  }

  async #publishTo(
    change: WholeChange,
    subscribers: readonly Subscription[],
    dirtyStreams: Set<EventStream>,
  ) {
    const prepared = this.#dependencies.publisher.prepare(change)
    let at = 0
    while (at < subscribers.length) {
      if (this.#turn.isOver) await this.#endTurn()
      await this.#dependencies.db.read((tx) => {
        do {
          const { stream, topic } = subscribers[at] as Subscription
          const data = prepared.renderFor(tx, topic, stream.caller)
          if (data && stream.send(topic.text, data)) dirtyStreams.add(stream)
          this.#count(topic.hasOptions)
          at += 1
        } while (at < subscribers.length && !this.#turn.isOver)
      })
    }
  }

  #count(hasOptions: boolean): void {
    this.#round.decisions += 1
    this.#decisions.all += 1
    if (hasOptions) this.#decisions.optioned += 1
  }

  /** Yields to other work; work for topics with options takes at most half of the time. */
  async #endTurn(): Promise<void> {
    const { onCostlyTopics } = this.#dependencies
    const isCostly = this.#turn.isOver && this.#decisions.optioned * 2 > this.#decisions.all
    if (isCostly && !COUNTS.queuedForOptions.isWithin('all', this.#queue.length)) onCostlyTopics()
    this.#round.turns += 1
    await this.#nextTurn(isCostly ? 1 : 0)
  }

  async #nextTurn(rest = 0): Promise<void> {
    await this.#turn.next(rest, this.#stop.signal)
    this.#decisions = { all: 0, optioned: 0 }
  }
}

type WholeChange = Change & { record: RecordOf<AnyCollection> }

/**
 * The change feed carries the record of each change; a record that was deleted right after `changed` is
 * absent.
 */
function isWhole(change: Change): change is WholeChange {
  return typeof change.record === 'object' && change.record !== null
}

function accountOf({ collection, id, record }: Change): string | undefined {
  if (collection === 'users' || collection === 'superusers') return id
  if (collection !== 'api_tokens' || typeof record !== 'object' || record === null) return undefined
  return 'user' in record && typeof record.user === 'string' ? record.user : undefined
}
