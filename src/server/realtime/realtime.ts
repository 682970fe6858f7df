import * as v from 'valibot'
import { AppError, Loop, MINUTE_MS, newSecret, TimeSlice } from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import type { LoginAsker, LoginRelay } from '../auth/oauth2/redirect.ts'
import type { ServerContext } from '../context.ts'
import { accountOf, type Caller, callerName } from '../http/caller.ts'
import { EVENT_STREAM_HEADERS } from '../http/media.ts'
import { defineRoute, Reply, type Route, type RouteRequest } from '../http/route.ts'
import type { RecordService } from '../records/service.ts'
import { Broadcast } from './broadcast.ts'
import { type ChangePublisher, createChangePublisher } from './change-publisher.ts'
import { encodeData } from './encode-change.ts'
import { EventStream } from './event-stream.ts'
import { TURN_MS } from './limits.ts'
import { Streams } from './streams.ts'
import { Subscriptions } from './subscriptions.ts'
import { badTopic, HEARTBEAT_TOPIC, OAUTH2_TOPIC, parseTopic, type Topic } from './topic.ts'
import { TopicUse } from './topic-use.ts'

/** Streams end after these times without events and in total; clients reconnect automatically. */
const MAX_IDLE_MS = 5 * MINUTE_MS
const MAX_AGE_MS = 30 * MINUTE_MS
const CHECK_MS = 20_000
const HEARTBEAT_MS = 2_000

interface RealtimeDependencies {
  context: ServerContext
  records: RecordService
  identify(request: Request): Promise<Caller>
}

const setSubscriptions = v.object({
  clientId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
  subscriptions: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(2_500))), v.maxLength(COUNTS.streamTopics.bounds.account)),
    [],
  ),
})

/**
 * Publishes committed changes to clients: `GET /api/realtime` opens a stream, `POST /api/realtime` sets its
 * subscriptions and identifies the caller. The rules of the collection decide for each event who receives it.
 */
export class Realtime implements LoginRelay {
  readonly #dependencies: RealtimeDependencies
  readonly #streams: Streams
  readonly #subscriptions = new Subscriptions()
  readonly #use: TopicUse
  readonly #publisher: ChangePublisher
  readonly #broadcast: Broadcast
  readonly #checks: Loop
  readonly #heartbeats: Loop
  /** The exact topic on which a stream waits for the outcome of a login, and what asked for it. */
  readonly #logins = new WeakMap<EventStream, { topic: string; origin: string; userAgent: string }>()
  /** Number of requests to subscribe so far, and of the last one in force by stream. */
  #requests = 0
  readonly #inForce = new WeakMap<EventStream, number>()
  #isOpen = false

  constructor(dependencies: RealtimeDependencies) {
    this.#dependencies = dependencies
    const { clock, log, db } = dependencies.context
    this.#streams = new Streams(() => dependencies.context.config.guestStreams)
    this.#publisher = createChangePublisher(dependencies.records)
    this.#use = new TopicUse({
      streams: this.#streams,
      subscriptions: this.#subscriptions,
      isPersonal: (topic) => this.#publisher.isPersonal(topic),
    })
    this.#broadcast = new Broadcast({
      db,
      log,
      clock,
      subscriptions: this.#subscriptions,
      publisher: this.#publisher,
      checkAccount: (id) => this.#checkAccount(id),
      afterRound: () => this.#streams.dropSlowest(),
      onOverflow: () => this.#endAll(),
      onCostlyTopics: () => this.#closeCostliest(),
    })
    this.#checks = new Loop({
      name: 'realtime',
      clock,
      log,
      intervalMs: CHECK_MS,
      runOnce: () => this.#checkStreams(),
    })
    this.#heartbeats = new Loop({
      name: 'heartbeats of event streams',
      clock,
      log,
      intervalMs: HEARTBEAT_MS,
      runOnce: () => this.#sendHeartbeats(),
    })
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  start(): void {
    this.#isOpen = true
    this.#broadcast.start()
    this.#checks.start()
    this.#heartbeats.start()
  }

  /** Ends all streams and refuses new ones: the HTTP server cannot stop before that. */
  endStreams(): void {
    this.#isOpen = false
    this.#endAll()
  }

  async stop(): Promise<void> {
    this.endStreams()
    await Promise.all([this.#checks.stop(), this.#heartbeats.stop()])
    await this.#broadcast.stop()
  }

  /**
   * What waits for the outcome of a login on the stream with this id; undefined when no stream of this id
   * that was opened from `address` does.
   */
  askerOf(clientId: string, address: string): LoginAsker | undefined {
    const stream = this.#streams.get(clientId)
    const login = stream && this.#logins.get(stream)
    if (!login || stream.address !== address) return undefined
    const account = accountOf(stream.caller)?.email
    return { origin: login.origin || undefined, userAgent: login.userAgent, account }
  }

  /**
   * Reports the outcome of a login at an OAuth2 provider to the window that opened it, once. False when no
   * stream with this id, opened from `address`, waits for one.
   */
  reportLogin(clientId: string, address: string, outcome: Readonly<Record<string, string>>): boolean {
    const stream = this.#streams.get(clientId)
    const login = stream && this.#logins.get(stream)
    if (!login || stream.address !== address) return false
    this.#logins.delete(stream)
    const sent = stream.send(login.topic, encodeData(outcome))
    stream.flush()
    return sent
  }

  routes(): Route[] {
    return [
      defineRoute('GET /api/realtime', {
        access: 'public',
        summary: 'Open a stream of changes (server-sent events)',
        statuses: [200, 405],
        media: 'text/event-stream',
        run: async (_, request) => this.#open(request),
      }),
      defineRoute('POST /api/realtime', {
        access: 'public',
        scope: 'read',
        summary: 'Set the subscriptions of a stream and identify its caller',
        body: setSubscriptions,
        errors: { login_relay_off: 403 },
        statuses: [204, 404],
        run: async (_, request) => this.#subscribe(request.body, request),
      }),
    ]
  }

  #open({ request, address, caller, setIdleTimeout }: RouteRequest<unknown, unknown>): Response {
    const headers = EVENT_STREAM_HEADERS
    // No client would ever read, and thereby end, a stream opened by HEAD.
    if (request.method === 'HEAD') return new Response(null, { headers })
    if (!this.#isOpen) throw new AppError('unavailable', 'The server is stopping', { retryAfter: 5 })
    this.#streams.assertBelowLimit(caller, address)
    this.#streams.evictOldestGuest()
    const id = newSecret(20)
    const stream = new EventStream({
      id,
      address,
      caller,
      credentials: credentialsOf(request),
      clock: this.#dependencies.context.clock,
      setIdleTimeout,
      onEnd: () => {
        this.#streams.remove(id)
        this.#subscriptions.remove(stream)
      },
    })
    this.#streams.add(stream)
    return new Response(stream.body, { headers })
  }

  async #subscribe(
    { clientId, subscriptions }: v.InferOutput<typeof setSubscriptions>,
    { address, caller, request }: RouteRequest<unknown, unknown>,
  ): Promise<Reply> {
    const wanted = [...new Set(subscriptions)]
    this.#requests += 1
    const number = this.#requests
    this.#streamOf(clientId, { address, caller, wanted })
    const login = this.#loginTopicOf(wanted)
    const topics: Topic[] = []
    const turn = new TimeSlice(this.#dependencies.context.clock, TURN_MS)
    for (const text of wanted) {
      const topic = this.#readTopic(text, caller)
      if (topic) topics.push(topic)
      if (turn.isOver) await turn.next()
    }
    // The stream and the use of the limits may have changed in the meantime.
    const stream = this.#streamOf(clientId, { address, caller, wanted })
    // A later request that had less to read is in force already.
    if ((this.#inForce.get(stream) ?? 0) > number) return new Reply(204)
    if (stream.caller.kind === 'guest' && caller.kind !== 'guest') {
      this.#streams.assertBelowLimit(caller, address)
    }
    this.#use.displaceGuests(stream, caller, topics)
    stream.caller = caller
    stream.credentials = credentialsOf(request)
    stream.wantsHeartbeats = wanted.includes(HEARTBEAT_TOPIC)
    this.#subscriptions.set(stream, topics)
    this.#inForce.set(stream, number)
    if (login === undefined) this.#logins.delete(stream)
    else {
      const [origin = '', userAgent = ''] = ['origin', 'user-agent'].map(
        (name) => request.headers.get(name) ?? '',
      )
      this.#logins.set(stream, { topic: login, origin, userAgent })
    }
    return new Reply(204)
  }

  /** @throws AppError `forbidden` when the server does not relay logins. */
  #loginTopicOf(topics: readonly string[]): string | undefined {
    const topic = topics.find((text) => text.split('?')[0] === OAUTH2_TOPIC)
    if (topic === undefined || this.#dependencies.context.config.oauth2Relay) return topic
    throw new AppError(
      'forbidden',
      'This server does not pass logins to other programs; log in on its own pages, or by a redirect',
      { reason: 'login_relay_off' },
    )
  }

  /**
   * The stream with this id.
   * @throws AppError when the caller may not set its subscriptions to `wanted`.
   */
  #streamOf(
    clientId: string,
    { address, caller, wanted }: { address: string; caller: Caller; wanted: readonly string[] },
  ): EventStream {
    const stream = this.#streams.get(clientId)
    if (!stream) throw new AppError('not_found', 'Missing or invalid client id')
    if (stream.address !== address) {
      throw new AppError('invalid', 'The stream was opened from another address; open a new stream')
    }
    if (stream.caller.kind !== 'guest' && callerName(stream.caller) !== callerName(caller)) {
      throw new AppError(
        'forbidden',
        "The current and the previous request authorization don't match; open a new stream",
      )
    }
    this.#use.assertBelowLimits(stream, caller, wanted)
    return stream
  }

  /** Undefined for a topic that is not a collection, of which nothing is ever sent. */
  #readTopic(text: string, caller: Caller): Topic | undefined {
    const topic = parseTopic(text, this.#dependencies.context.db.names)
    if (!topic) return undefined
    try {
      this.#publisher.check(topic, caller)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid') throw badTopic(error.message)
      throw error
    }
    return topic
  }

  /** Applies a changed password, a disabled account or a deleted token to open streams. */
  async #checkAccount(id: string): Promise<void> {
    for (const stream of this.#streams.all()) {
      if (accountOf(stream.caller)?.id === id) await this.#identifyAgain(stream)
    }
  }

  async #identifyAgain(stream: EventStream): Promise<void> {
    if (stream.caller.kind === 'guest') return
    const { credentials } = stream
    const caller = await this.#dependencies.identify(credentials)
    // A subscription set in the meantime has identified its own caller.
    if (stream.credentials === credentials) stream.caller = caller
  }

  async #checkStreams(): Promise<void> {
    const { clock } = this.#dependencies.context
    const now = clock.monotonic()
    const turn = new TimeSlice(clock, TURN_MS)
    for (const stream of this.#streams.all()) {
      const isOver = now - stream.openedAt >= MAX_AGE_MS || now - stream.lastEventAt >= MAX_IDLE_MS
      if (isOver) stream.close()
      // Credentials are checked as well, because tokens expire without a change of any record.
      else if (stream.sendComment()) await this.#identifyAgain(stream)
      if (turn.isOver) await turn.next()
    }
  }

  async #sendHeartbeats(): Promise<void> {
    const turn = new TimeSlice(this.#dependencies.context.clock, TURN_MS)
    for (const stream of this.#streams.all()) {
      if (stream.wantsHeartbeats) stream.sendHeartbeat()
      if (turn.isOver) await turn.next()
    }
  }

  /** Ends the streams of the client whose topics with options delay the changes of everybody. */
  #closeCostliest(): void {
    const client = this.#use.closeHeaviest((stream) =>
      this.#subscriptions.of(stream).some((topic) => topic.hasOptions),
    )
    this.#dependencies.context.log.warn('changes wait for topics with options; closed the event streams', {
      client,
    })
  }

  #endAll(): void {
    for (const stream of this.#streams.all()) stream.close()
  }
}

/** A request with only the credentials of the given one. */
function credentialsOf(request: Request): Request {
  const headers = new Headers()
  for (const name of ['authorization', 'x-api-token']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(request.url, { headers })
}
