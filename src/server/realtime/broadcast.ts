import type { Clock, Log } from '../../base/index.ts'
import type { AnyCollection, Change, Database, RecordOf } from '../../db/index.ts'
import type { Audience, Listener } from './audience.ts'
import type { Teller } from './change-publisher.ts'
import type { EventStream } from './event-stream.ts'

/** Changes that may wait to be told; beyond, clients do better to read everything anew. */
const MOST_CHANGES = 10_000
/** Decisions in one reading of the database. */
const PER_READ = 250
/** Decisions and ms after which other work of the server gets its turn. */
const PER_TURN = 5_000
const TURN_MS = 20

const ACCOUNTS: readonly string[] = ['users', 'superusers', 'api_tokens']

interface BroadcastParts {
  db: Pick<Database, 'read' | 'changes'>
  log: Log
  clock: Clock
  audience: Audience
  teller: Teller
  /** Something about an account changed: its streams must prove anew who they are. */
  checkAccount(id: string): Promise<void>
  /** Called after each turn of events. */
  afterTurn(): void
  /** More happened than can be told: all streams are to end. */
  giveUp(): void
}

/** Tells listeners of committed changes, in the order of the commits; the events of one turn go in one write. */
export class Broadcast {
  readonly #parts: BroadcastParts
  #queue: Change[] = []
  #work: Promise<void> | undefined
  /** Monotonic ms when this turn began. */
  #turnBegan = 0
  #unsubscribe: () => void = () => undefined

  constructor(parts: BroadcastParts) {
    this.#parts = parts
  }

  start(): void {
    this.#unsubscribe = this.#parts.db.changes.subscribe((changes) => this.#hear(changes))
  }

  /** Resolves when nothing is told any more. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#queue = []
    await this.#work
  }

  #hear(changes: readonly Change[]): void {
    const { audience, log } = this.#parts
    const wanted = changes.filter((each) => ACCOUNTS.includes(each.collection) || audience.has(each))
    const waiting = this.#queue.length + wanted.length
    if (waiting > MOST_CHANGES) {
      log.warn('too many changes at once, ending the event streams', { changes: waiting })
      this.#queue = []
      this.#parts.giveUp()
      return
    }
    this.#queue.push(...wanted)
    // The write that made the change is answered first.
    if (this.#queue.length > 0) this.#work ??= this.#tellAll().finally(() => (this.#work = undefined))
  }

  async #tellAll(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#nextTurn()
      const told = new Set<EventStream>()
      let decisions = 0
      for (let change = this.#queue.shift(); change; change = this.#queue.shift()) {
        decisions += await this.#tell(change, told)
        if (decisions >= PER_TURN || this.#isTurnOver()) break
      }
      for (const stream of told) stream.flush()
      this.#parts.afterTurn()
    }
  }

  /** Tells of one change; returns how many listeners it was about, at least 1. */
  async #tell(change: Change, told: Set<EventStream>): Promise<number> {
    try {
      const account = accountOf(change)
      // Who was locked out hears of nothing any more, but of the end of the own account.
      if (account !== undefined && change.action !== 'delete') await this.#parts.checkAccount(account)
      const listeners = this.#parts.audience.of(change)
      if (isWhole(change)) await this.#tellListeners(change, listeners, told)
      if (account !== undefined && change.action === 'delete') await this.#parts.checkAccount(account)
      return 1 + listeners.length
    } catch (error) {
      this.#parts.log.error('a change could not be published', {
        collection: change.collection,
        id: change.id,
        error,
      })
      return 1
    }
  }

  async #tellListeners(change: WholeChange, listeners: readonly Listener[], told: Set<EventStream>) {
    const telling = this.#parts.teller.tell(change)
    for (let at = 0; at < listeners.length; at += PER_READ) {
      if (this.#isTurnOver()) await this.#nextTurn()
      await this.#parts.db.read((tx) => {
        for (const { stream, topic } of listeners.slice(at, at + PER_READ)) {
          const data = telling.to(tx, topic, stream.caller)
          if (data && stream.send(topic.text, data)) told.add(stream)
        }
      })
    }
  }

  #isTurnOver(): boolean {
    return this.#parts.clock.monotonic() - this.#turnBegan > TURN_MS
  }

  async #nextTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#turnBegan = this.#parts.clock.monotonic()
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
