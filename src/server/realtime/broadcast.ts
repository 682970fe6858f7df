import type { Clock, Log } from '../../base/index.ts'
import type { AnyCollection, Change, Database, RecordOf } from '../../db/index.ts'
import type { ChangePublisher } from './change-publisher.ts'
import type { EventStream } from './event-stream.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** Maximum number of changes that wait to be published; with more, reloading is cheaper for the clients. */
const MAX_QUEUED_CHANGES = 10_000
/** Decisions per read transaction. */
const DECISIONS_PER_READ = 250
/** Number of decisions, and time in ms, after which the loop yields to other work of the server. */
const DECISIONS_PER_TURN = 5_000
const MAX_TURN_MS = 20

const ACCOUNTS: readonly string[] = ['users', 'superusers', 'api_tokens']

interface BroadcastDependencies {
  db: Pick<Database, 'read' | 'changes'>
  log: Log
  clock: Clock
  subscriptions: Subscriptions
  publisher: ChangePublisher
  /** Called when an account has changed, to identify the callers of its streams again. */
  checkAccount(id: string): Promise<void>
  /** Called after the events of each turn have been written. */
  afterTurn(): void
  /** Called when more changes wait than can be published: all streams have to end. */
  onOverflow(): void
}

/**
 * Publishes committed changes to subscribers in commit order; each stream receives the events of a turn in
 * one write.
 */
export class Broadcast {
  readonly #dependencies: BroadcastDependencies
  #queue: Change[] = []
  #work: Promise<void> | undefined
  /** Monotonic ms when this turn began. */
  #turnBegan = 0
  #unsubscribe: () => void = () => undefined

  constructor(dependencies: BroadcastDependencies) {
    this.#dependencies = dependencies
  }

  start(): void {
    this.#unsubscribe = this.#dependencies.db.changes.subscribe((changes) => this.#enqueue(changes))
  }

  /** Discards waiting changes; resolves when nothing is published any more. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#queue = []
    await this.#work
  }

  #enqueue(changes: readonly Change[]): void {
    const { subscriptions, log } = this.#dependencies
    const wanted = changes.filter((each) => ACCOUNTS.includes(each.collection) || subscriptions.has(each))
    const waiting = this.#queue.length + wanted.length
    if (waiting > MAX_QUEUED_CHANGES) {
      log.warn('too many changes at once; closing the event streams', { changes: waiting })
      this.#queue = []
      this.#dependencies.onOverflow()
      return
    }
    this.#queue.push(...wanted)
    // Publishing starts in a later turn, so that the response to the write is sent first.
    if (this.#queue.length > 0) this.#work ??= this.#drain().finally(() => (this.#work = undefined))
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#nextTurn()
      const dirtyStreams = new Set<EventStream>()
      let decisions = 0
      for (let change = this.#queue.shift(); change; change = this.#queue.shift()) {
        decisions += await this.#publish(change, dirtyStreams)
        if (decisions >= DECISIONS_PER_TURN || this.#isTurnOver()) break
      }
      for (const stream of dirtyStreams) stream.flush()
      this.#dependencies.afterTurn()
    }
  }

  /** Publishes one change; returns the number of decisions, at least 1. */
  async #publish(change: Change, dirtyStreams: Set<EventStream>): Promise<number> {
    try {
      const account = accountOf(change)
      // A locked-out account receives no further changes, except the deletion of the account itself.
      if (account !== undefined && change.action !== 'delete') await this.#dependencies.checkAccount(account)
      const subscribers = this.#dependencies.subscriptions.of(change)
      if (isWhole(change)) await this.#publishTo(change, subscribers, dirtyStreams)
      if (account !== undefined && change.action === 'delete') await this.#dependencies.checkAccount(account)
      return 1 + subscribers.length
    } catch (error) {
      this.#dependencies.log.error('change could not be published', {
        collection: change.collection,
        id: change.id,
        error,
      })
      return 1
    }
  }

  async #publishTo(
    change: WholeChange,
    subscribers: readonly Subscription[],
    dirtyStreams: Set<EventStream>,
  ) {
    const prepared = this.#dependencies.publisher.prepare(change)
    for (let at = 0; at < subscribers.length; at += DECISIONS_PER_READ) {
      if (this.#isTurnOver()) await this.#nextTurn()
      await this.#dependencies.db.read((tx) => {
        for (const { stream, topic } of subscribers.slice(at, at + DECISIONS_PER_READ)) {
          const data = prepared.renderFor(tx, topic, stream.caller)
          if (data && stream.send(topic.text, data)) dirtyStreams.add(stream)
        }
      })
    }
  }

  #isTurnOver(): boolean {
    return this.#dependencies.clock.monotonic() - this.#turnBegan > MAX_TURN_MS
  }

  async #nextTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#turnBegan = this.#dependencies.clock.monotonic()
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
