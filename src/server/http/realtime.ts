import * as v from 'valibot'
import { AppError, Loop, newSecret } from '../../base/index.ts'
import type { AnyCollection, Change, RecordOf } from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from './caller.ts'
import { EventStream, encodeChange, encodeData } from './event-stream.ts'
import { mayRead } from './may-read.ts'
import { defineRoute, Reply, type Route, type RouteRequest } from './route.ts'
import { parseTopic, type Subscription } from './subscription.ts'

const MOST_STREAMS = 500
const MOST_PER_USER = 5
/** Clients come back by themselves with a fresh stream. */
const MAX_IDLE_MS = 5 * 60_000
const MAX_AGE_MS = 30 * 60_000
const BEAT_MS = 20_000
/** The topic on which a login in another window reports its end; it is no collection. */
const OAUTH2_TOPIC = '@oauth2'

type Row = Readonly<Record<string, unknown>>

/** A collection whose changes clients can listen to. */
export interface Feed {
  collection: AnyCollection
  /** The record as the routes of its collection show it to everybody who may read it. */
  present(record: Row): object | Promise<object>
}

/** Declares a feed; `present` gets the collection's own records. */
export function defineFeed<C extends AnyCollection>(
  collection: C,
  present: (record: RecordOf<C>) => object | Promise<object>,
): Feed {
  // The change feed carries the records of the very collection the change names.
  return { collection, present: present as Feed['present'] }
}

interface RealtimeParts {
  context: ServerContext
  feeds: readonly Feed[]
  identify(request: Request): Promise<Caller>
}

const setSubscriptions = v.object({
  clientId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
  subscriptions: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(2_500))), v.maxLength(1_000)), []),
})

/**
 * Tells clients of committed changes: `GET /api/realtime` opens a stream, `POST /api/realtime` says what it
 * is to carry and proves who listens. Visibility is decided for each stream and record at the time of the event.
 */
export class Realtime {
  readonly #parts: RealtimeParts
  readonly #streams = new Map<string, EventStream>()
  readonly #loop: Loop
  /** Streams that await the end of a login in another window. */
  readonly #logins = new WeakSet<EventStream>()
  #unsubscribe: () => void = () => undefined
  #isOpen = false
  /** Events are presented one after another, so that they arrive in the order of their commits. */
  #last: Promise<void> = Promise.resolve()

  constructor(parts: RealtimeParts) {
    this.#parts = parts
    const { clock, log } = parts.context
    this.#loop = new Loop({
      name: 'realtime',
      clock,
      log,
      intervalMs: BEAT_MS,
      runOnce: () => this.#beatOnce(),
    })
  }

  /** Open streams. */
  get size(): number {
    return this.#streams.size
  }

  start(): void {
    this.#isOpen = true
    this.#unsubscribe = this.#parts.context.db.changes.subscribe((changes) => this.#hear(changes))
    this.#loop.start()
  }

  /** Ends all streams: the HTTP server cannot stop before that. */
  async stop(): Promise<void> {
    this.#isOpen = false
    this.#unsubscribe()
    await this.#loop.stop()
    for (const stream of [...this.#streams.values()]) stream.close()
    await this.#last
  }

  /**
   * Tells the window that opened a login at an OAuth2 provider how it ended, once. False when no stream of this
   * id, opened from `address`, awaits one.
   */
  tellLogin(clientId: string, address: string, outcome: Readonly<Record<string, string>>): boolean {
    const stream = this.#streams.get(clientId)
    if (!stream || stream.address !== address || !this.#logins.delete(stream)) return false
    return stream.send(OAUTH2_TOPIC, encodeData(outcome))
  }

  routes(): Route[] {
    return [
      defineRoute({
        method: 'GET',
        path: '/api/realtime',
        access: 'public',
        summary: 'Open a stream of changes (server-sent events)',
        statuses: [200, 405, 503],
        media: 'text/event-stream',
        run: async (_, request) => this.#open(request),
      }),
      defineRoute({
        method: 'POST',
        path: '/api/realtime',
        access: 'public',
        summary: 'Say which records a stream is to carry, and prove who listens',
        body: setSubscriptions,
        statuses: [204, 400, 403, 404, 429],
        run: async (_, request) => this.#subscribe(request.body, request),
      }),
    ]
  }

  #open({ request, address, caller, setIdleTimeout }: RouteRequest<unknown, unknown>): Response | Reply {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    }
    // Nobody would ever read, and so end, the stream behind a HEAD.
    if (request.method === 'HEAD') return new Response(null, { headers })
    if (!this.#isOpen) throw new AppError('unavailable', 'The server is stopping', { retryAfter: 5 })
    this.#refuseTooMany(caller)
    if (this.#streams.size >= MOST_STREAMS && !this.#endOldestGuest()) {
      throw new AppError('unavailable', `All ${MOST_STREAMS} streams are in use`, { retryAfter: 60 })
    }
    const id = newSecret(20)
    const stream = new EventStream({
      id,
      address,
      caller,
      credentials: credentialsOf(request),
      clock: this.#parts.context.clock,
      setIdleTimeout,
      onEnd: () => this.#streams.delete(id),
    })
    this.#streams.set(id, stream)
    return new Response(stream.body, { headers })
  }

  #subscribe(
    { clientId, subscriptions }: v.InferOutput<typeof setSubscriptions>,
    { address, caller, request }: RouteRequest<unknown, unknown>,
  ): Reply {
    const stream = this.#streams.get(clientId)
    if (!stream) throw new AppError('not_found', 'Missing or invalid client id')
    if (stream.address !== address) {
      throw new AppError('invalid', 'The stream was opened from another address; open a new one')
    }
    if (stream.caller.kind !== 'guest' && callerName(stream.caller) !== callerName(caller)) {
      throw new AppError(
        'forbidden',
        "The current and the previous request authorization don't match; open a new stream",
      )
    }
    const { context, feeds } = this.#parts
    const collections = feeds.map((feed) => feed.collection)
    const topics = subscriptions.filter((topic) => topic !== OAUTH2_TOPIC)
    const parsed = topics.map((topic) => parseTopic(topic, collections, context.db.names))
    if (stream.caller.kind === 'guest') this.#refuseTooMany(caller)
    stream.caller = caller
    stream.credentials = credentialsOf(request)
    stream.subscriptions = parsed
    if (topics.length < subscriptions.length) this.#logins.add(stream)
    else this.#logins.delete(stream)
    return new Reply(204)
  }

  #refuseTooMany(caller: Caller): void {
    if (caller.kind === 'guest') return
    const name = callerName(caller)
    const open = [...this.#streams.values()].filter((stream) => callerName(stream.caller) === name)
    if (open.length < MOST_PER_USER) return
    throw new AppError('limited', `At most ${MOST_PER_USER} streams per user; close another page first`, {
      retryAfter: 60,
    })
  }

  /** Makes room for one more stream at the cost of nobody who is signed in. */
  #endOldestGuest(): boolean {
    const oldest = [...this.#streams.values()].find((stream) => stream.caller.kind === 'guest')
    oldest?.close()
    return oldest !== undefined
  }

  #hear(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#checkAccount(change)
      const feed = this.#parts.feeds.find((each) => each.collection.name === change.collection)
      const { record } = change
      if (!feed || !isRow(record) || !this.#hasListener(change)) continue
      this.#last = this.#last.then(() => this.#publish(feed, change, record))
    }
  }

  /** A changed password, a disabled account or a deleted token takes effect on open streams too. */
  #checkAccount({ collection, id, record }: Change): void {
    if (collection !== 'users' && collection !== 'superusers' && collection !== 'api_tokens') return
    const account = collection === 'api_tokens' && isRow(record) ? record['user'] : id
    for (const stream of this.#streams.values()) {
      if (accountOf(stream.caller) === account) this.#inBackground(this.#identifyAgain(stream))
    }
  }

  async #identifyAgain(stream: EventStream): Promise<void> {
    if (stream.caller.kind === 'guest') return
    const { credentials } = stream
    const caller = await this.#parts.identify(credentials)
    // A new subscription in the meantime has proved its own caller.
    if (stream.credentials === credentials) stream.caller = caller
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#parts.context.log.error('realtime failed', { error }))
  }

  #hasListener({ collection, id }: Change): boolean {
    for (const stream of this.#streams.values()) {
      if (stream.subscriptions.some((each) => concerns(each, collection, id))) return true
    }
    return false
  }

  async #publish(feed: Feed, change: Change, record: Row): Promise<void> {
    const { config, log } = this.#parts.context
    try {
      const data = encodeChange(change.action, await feed.present(record))
      for (const stream of [...this.#streams.values()]) {
        const wanted = stream.subscriptions.filter((each) => concerns(each, change.collection, change.id))
        if (wanted.length === 0 || !mayRead(feed.collection, record, stream.caller, config)) continue
        for (const { topic } of wanted) stream.send(topic, data)
      }
    } catch (error) {
      log.error('a change could not be published', { collection: change.collection, id: change.id, error })
    }
  }

  async #beatOnce(): Promise<void> {
    const now = this.#parts.context.clock.monotonic()
    for (const stream of [...this.#streams.values()]) {
      const isOver = now - stream.openedAt >= MAX_AGE_MS || now - stream.lastEventAt >= MAX_IDLE_MS
      if (isOver) stream.close()
      // Also the credentials: tokens expire without a change of any record.
      else if (stream.beat()) await this.#identifyAgain(stream)
    }
  }
}

function isRow(record: unknown): record is Row {
  return typeof record === 'object' && record !== null
}

function concerns({ collection, record }: Subscription, name: string, id: string): boolean {
  return collection.name === name && (record === '*' || record === id)
}

function accountOf(caller: Caller): string | undefined {
  if (caller.kind === 'guest') return undefined
  return caller.kind === 'user' ? caller.user.id : caller.superuser.id
}

/** The headers that say who calls, without the rest of the request. */
function credentialsOf(request: Request): Request {
  const headers = new Headers()
  for (const name of ['authorization', 'x-api-token']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(request.url, { headers })
}
