import type { Clock, Log } from '../../base/index.ts'
import type { AnyCollection, Change, Database, RecordOf } from '../../db/index.ts'
import type { Subscription, Subscriptions } from './audience.ts'
import type { ChangePublisher } from './change-publisher.ts'
import type { EventStream } from './event-stream.ts'

/** Changes that may wait to be told; beyond, clients do better to read everything anew. */
const MAX_QUEUED_CHANGES = 10_000
/** Decisions in one reading of the database. */
const DECISIONS_PER_READ = 250
/** Decisions and ms after which other work of the server gets its turn. */
const DECISIONS_PER_TURN = 5_000
const MAX_TURN_MS = 20

const ACCOUNTS: readonly string[] = ['users', 'superusers', 'api_tokens']

interface BroadcastDependencies {
  db: Pick<Database, 'read' | 'changes'>
  log: Log
  clock: Clock
  subscriptions: Subscriptions
  publisher: ChangePublisher
  /** Something about an account changed: its streams must prove anew who they are. */
  checkAccount(id: string): Promise<void>
  /** Called after each turn of events. */
  afterTurn(): void
  /** More happened than can be told: all streams are to end. */
  onOverflow(): void
}

/** Tells listeners of committed changes, in the order of the commits; the events of one turn go in one write. */
export class Broadcast {
  readonly #dependencies: BroadcastDependencies
  #queue: Change[] = []
  #work: Promise<void> | undefined
  /** Monotonic ms when this turn began. */
  #turnBegan = 0
  #unsubscribe: () => void = () => undefined

  constructor(parts: BroadcastDependencies) {
    this.#dependencies = parts
  }

  start(): void {
    this.#unsubscribe = this.#dependencies.db.changes.subscribe((changes) => this.#enqueue(changes))
  }

  /** Resolves when nothing is told any more. */
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
      log.warn('too many changes at once, ending the event streams', { changes: waiting })
      this.#queue = []
      this.#dependencies.onOverflow()
      return
    }
    this.#queue.push(...wanted)
    // The write that made the change is answered first.
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

  /** Tells of one change; returns how many listeners it was about, at least 1. */
  async #publish(change: Change, dirtyStreams: Set<EventStream>): Promise<number> {
    try {
      const account = accountOf(change)
      // Who was locked out hears of nothing any more, but of the end of the own account.
      if (account !== undefined && change.action !== 'delete') await this.#dependencies.checkAccount(account)
      const listeners = this.#dependencies.subscriptions.of(change)
      if (isWhole(change)) await this.#publishTo(change, listeners, dirtyStreams)
      if (account !== undefined && change.action === 'delete') await this.#dependencies.checkAccount(account)
      return 1 + listeners.length
    } catch (error) {
      this.#dependencies.log.error('a change could not be published', {
        collection: change.collection,
        id: change.id,
        error,
      })
      return 1
    }
  }

  async #publishTo(change: WholeChange, listeners: readonly Subscription[], dirtyStreams: Set<EventStream>) {
    const prepared = this.#dependencies.publisher.prepare(change)
    for (let at = 0; at < listeners.length; at += DECISIONS_PER_READ) {
      if (this.#isTurnOver()) await this.#nextTurn()
      await this.#dependencies.db.read((tx) => {
        for (const { stream, topic } of listeners.slice(at, at + DECISIONS_PER_READ)) {
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

/** The feed carries the record of each change that `tx` made; one removed at once after `changed` has none. */
function isWhole(change: Change): change is WholeChange {
  return typeof change.record === 'object' && change.record !== null
}

function accountOf({ collection, id, record }: Change): string | undefined {
  if (collection === 'users' || collection === 'superusers') return id
  if (collection !== 'api_tokens' || typeof record !== 'object' || record === null) return undefined
  return 'user' in record && typeof record.user === 'string' ? record.user : undefined
}
