import { NotFoundError, SessionEndedError, type SvcError } from './errors.ts'
import type { PostSessionsBodyHolder, Session, StartedSession } from './generated/wire.gen.ts'
import { randomKey } from './random-key.ts'
import { isTemporary, pauseAfter, sleep } from './repetition.ts'
import type { Transport } from './transport.ts'

/** How a session is started. */
export interface SessionOptions {
  /** How long it lasts after its first activation; default 3600. */
  readonly seconds?: number
  /** Without a job for so long, it is paused and others run; default 60. */
  readonly idleSeconds?: number
  /**
   * `exclusive`, the default: only jobs of the account run, and the time is charged; `batch`: they go first,
   * and each is charged.
   */
  readonly mode?: 'exclusive' | 'batch'
  /** What holds it, such as a batch job, and when that ends. */
  readonly holder?: PostSessionsBodyHolder
  /** A key of your own: starts with the same key are one. */
  readonly idempotencyKey?: string
  /** Ends the request and its repetitions, and the wait until it is active. */
  readonly signal?: AbortSignal
}

/** How long a session lasts after its first activation, unless it is said, in s. */
const SECONDS = 3_600
/** How long the server holds a request, in s; proxies may end quiet connections after 60 s. */
const HELD = 30

/** The sessions of the account: QPUs that are held without a booking. */
export class Sessions {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Opens a session, or joins the open one of the same QPU and mode; repeated without harm, because it has a
   * key. The `secret` is in this response only: `new SvcClient({ session: secret })` submits jobs by it.
   *
   * @throws ConflictError with a code such as `session_open`; NotFoundError with code `no_sessions` if the
   *   server is older than this client.
   */
  async start(
    qpu: string,
    { seconds = SECONDS, idleSeconds, mode, holder, idempotencyKey, signal }: SessionOptions = {},
  ): Promise<StartedSession> {
    const body = { qpu_target: qpu, seconds, idle_seconds: idleSeconds, mode, holder }
    const headers = { 'Idempotency-Key': idempotencyKey ?? randomKey() }
    const untilResponse = `start of a session on QPU ${qpu}`
    try {
      return await this.#transport.request('POST', '/api/sessions', { body, headers, untilResponse, signal })
    } catch (error) {
      const listed = error instanceof NotFoundError && (await this.list().catch((reason: unknown) => reason))
      if (!(listed instanceof NotFoundError)) throw error
      listed.message += ': this server has no sessions, it is older than this client'
      throw Object.assign(listed, { code: 'no_sessions' })
    }
  }

  /** The sessions, newest first; superusers read those of all. */
  list(
    filter: { readonly state?: string; readonly qpu?: string; readonly limit?: number } = {},
  ): Promise<Session[]> {
    return this.#transport.request('GET', '/api/sessions', { query: filter })
  }

  /** Reads a session. */
  get(id: string): Promise<Session> {
    return this.#transport.request('GET', pathOf(id))
  }

  /** Changes how long a session lasts after its first activation. @throws SessionEndedError. */
  extend(id: string, seconds: number): Promise<Session> {
    return this.#transport.request('PATCH', pathOf(id), { body: { seconds }, isRepeatable: true })
  }

  /**
   * Ends a session, or with `holder`, as of its start, leaves one that others have joined, as a batch job
   * leaves that of its `SVC_SESSION`; the running job ends first. `reason` is that of a superuser, for its
   * user. `when: 'done'` ends it with the last of the jobs that were submitted in it.
   */
  end(
    id: string,
    query: { readonly holder?: string; readonly reason?: string; readonly when?: 'done' } = {},
  ): Promise<Session> {
    const end = (token?: string) => this.#transport.request<Session>('DELETE', pathOf(id), { query, token })
    const secret = (query.holder ?? query.reason) === undefined ? this.#transport.place.session : undefined
    return end(secret).catch((error: SvcError) => {
      // It is the secret of another session.
      if (secret && (error.status === 401 || error.status === 404)) return end()
      throw error
    })
  }

  /**
   * Waits until a session is active, or paused only because no job came. Lost connections and restarts of
   * the server do not end the wait. With `secret`, that of its start, the server knows that a program waits.
   *
   * @throws SessionEndedError.
   */
  async wait(
    id: string,
    { signal, secret: token }: { readonly signal?: AbortSignal; readonly secret?: string } = {},
  ): Promise<Session> {
    let session = await this.get(id)
    for (let failures = 0; !isReady(session); )
      try {
        const query = { wait: HELD, state: session.state }
        session = await this.#transport.request('GET', pathOf(id), { query, signal, token, isOnce: true })
        failures = 0
      } catch (error) {
        if (!isTemporary(error)) throw error
        failures += 1
        await sleep(pauseAfter(error, failures), signal)
      }
    return session
  }

  /** The session of a secret, which is on the QPU. @throws RangeError if it is on another one. */
  async ofSecret(secret: string, qpu: string | undefined): Promise<Session> {
    const [session] = await this.#transport.request<[Session]>('GET', '/api/sessions', { token: secret })
    if (qpu === undefined || qpu === session.qpu || qpu === session.qpu_target) return session
    throw new RangeError(`SVC_SESSION is a session on QPU ${session.qpu_target}, not on ${qpu}`)
  }
}

function pathOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`
}

/** Whether jobs may run, now or as soon as there are some. @throws SessionEndedError. */
function isReady({ id, state, end, paused_by: pausedBy, qpu_target: qpu }: Session): boolean {
  if (state !== 'closed') return state === 'active' || pausedBy === 'idle'
  const message = `Session ${id} on QPU ${qpu} has ended (${end})`
  throw new SessionEndedError({ status: 409, code: 'session_ended', message, requestId: '', fields: {} })
}
