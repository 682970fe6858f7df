import { Admin } from './admin.ts'
import { Collection } from './collection.ts'
import { TooLargeError } from './errors.ts'
import type * as wire from './generated/wire.gen.ts'
import { Job, type JobWire, type WaitOptions } from './job.ts'
import { randomKey } from './random-key.ts'
import type { Result } from './result.ts'
import { type SessionOptions, Sessions } from './sessions.ts'
import { bodyOf, type Submission, withPlaces } from './submission.ts'
import { Tokens } from './tokens.ts'
import { Transport, type TransportOptions } from './transport.ts'
import { Waiting } from './waiting.ts'

/** Which jobs to list, newest first. */
export interface JobFilter {
  /** One or several, separated by commas. */
  readonly status?: string
  /** Name or id of the QPU that ran it or will. */
  readonly qpu?: string
  /** One of the tags given at submission. */
  readonly tag?: string
  /** Id of a calibration report with which they ran. */
  readonly calibration?: string
  /** Id of a job: only those submitted before it. */
  readonly before?: string
  /** Number of jobs; all unless given. */
  readonly limit?: number
  /** Ends the request and its repetitions. */
  readonly signal?: AbortSignal
}

/** How a job is submitted. */
export interface SubmitOptions {
  /** A key of your own: submissions with the same key make one job within 24 hours. */
  readonly idempotencyKey?: string
  /** Ends the request and its repetitions. */
  readonly signal?: AbortSignal
  /** Receives what the server warns of in the job; the console unless given. */
  readonly warn?: (message: string) => void
}

/** What lists leave out: it may be large. */
const OMITTED = 'payload,results'
const PAGE = 100

/**
 * A client of one server.
 *
 *     const svc = new SvcClient({ baseUrl: 'https://svc.lab.example', apiToken })
 *     const job = await svc.submitJob({ circuits: [bell], shots: 1000 })
 *     console.log((await job.result()).counts())
 */
export class SvcClient {
  /** The API tokens of the account. */
  readonly tokens: Tokens
  /** What superusers do. */
  readonly admin: Admin
  /** The sessions of the account: QPUs that are held without a booking. */
  readonly sessions: Sessions
  readonly #options: TransportOptions
  readonly #transport: Transport
  readonly #waiting: Waiting
  /** Ids of the jobs that were submitted in a session of this client. */
  #inSession: Set<string> | undefined

  /** @throws TypeError if there is no address, or one that is no URL. */
  constructor(options: TransportOptions = {}) {
    this.#options = options
    this.#transport = new Transport(options)
    this.#waiting = new Waiting(this.#transport)
    this.tokens = new Tokens(this.#transport)
    this.admin = new Admin(this.#transport)
    this.sessions = new Sessions(this.#transport)
  }

  /**
   * Submits a job: exactly one, whatever happens to the connection, because each submission has a key.
   * Without a response it is repeated for 10 minutes (`retries.withoutResponseMs`). What the server warns of,
   * such as a recalled calibration, goes to `warn`, the console by default.
   *
   * @throws InvalidRequestError with the place in the program, InsufficientTimeError, QpuUnavailableError, …
   */
  async submitJob(
    submission: Submission,
    { idempotencyKey = randomKey(), signal, warn = console.warn }: SubmitOptions = {},
  ): Promise<Job> {
    const raw = await this.#submit<JobWire & { readonly warnings?: readonly wire.Problem[] }>(submission, {
      key: idempotencyKey,
      signal,
    })
    this.#inSession?.add(raw.id)
    for (const { message } of raw.warnings ?? []) warn(message)
    return this.#job(raw)
  }

  /**
   * The job that a submission with this idempotency key has made within 24 hours, such as one whose response
   * was lost: `idempotencyKey` of an error, or what was passed to `submitJob`.
   *
   * @throws NotFoundError with code `unknown_key`: there is no such job, it can be submitted again. With
   *   another code: the server is older than this client and cannot tell; submit again with the same key.
   */
  async resume(key: string): Promise<Job> {
    return this.#job(await this.#waiting.readOfKey(key))
  }

  /** Checks a job without submitting it: all problems, with line and column. */
  checkJob(submission: Submission): Promise<wire.DryRun> {
    return this.#submit(submission, { query: { dry_run: true } })
  }

  /** Submits a job and waits for its results. */
  async run(submission: Submission, options?: WaitOptions): Promise<Result> {
    const job = await this.submitJob(submission, options?.signal ? { signal: options.signal } : {})
    return job.result(options)
  }

  /**
   * Reads a job, of this process or another. Without a response that is repeated, as a submission is. @throws
   * NotFoundError.
   */
  async job(id: string): Promise<Job> {
    return this.#job(await this.#waiting.readFirst(id))
  }

  /** Jobs of the account, newest first, read page by page as they are used. */
  async *jobs({
    limit = Number.POSITIVE_INFINITY,
    before,
    signal,
    ...filter
  }: JobFilter = {}): AsyncGenerator<Job> {
    let last = before
    for (let left = limit, most = PAGE; left > 0; ) {
      const size = Math.min(most, left)
      const query = { ...filter, before: last, limit: size }
      const read = this.#transport.read<JobWire[]>('/api/jobs', OMITTED, { query, signal })
      // A server that knows no `omit` sends programs and results.
      const page = await read.catch((error: unknown) => {
        if (!(error instanceof TooLargeError) || size === 1) throw error
      })
      if (!page) {
        most = size >> 1
        continue
      }
      for (const raw of page) yield this.#job(raw)
      if (page.length < size) return
      last = page.at(-1)?.id
      left -= size
    }
  }

  /** Waits for all jobs, or those with these ids, of which hundreds are read with one request. */
  wait(jobs: Iterable<Job | string>, options?: WaitOptions): Promise<Job[]> {
    return Promise.all([...jobs].map((job) => this.#known(job).wait(options)))
  }

  /** Yields each job when it has ended, in the order of their ends. */
  async *asCompleted(jobs: Iterable<Job | string>, options?: WaitOptions): AsyncGenerator<Job> {
    const waits = new Map(
      [...jobs].map((job, at) => [
        at,
        this.#known(job)
          .wait(options)
          .then((done) => ({ at, done })),
      ]),
    )
    // What nobody waits for any more, because the caller left the loop, is no failure.
    for (const wait of waits.values()) wait.catch(() => {})
    while (waits.size > 0) {
      const { at, done } = await Promise.race(waits.values())
      waits.delete(at)
      yield done
    }
  }

  /** All QPUs with their state and queue. */
  qpus(): Promise<wire.QpuSummary[]> {
    return this.#transport.request('GET', '/api/qpus')
  }

  /** A QPU with the description of its device: qubits, gates and errors. */
  qpu(name: string): Promise<wire.QpuDetail> {
    return this.#transport.request('GET', `/api/qpus/${encodeURIComponent(name)}`)
  }

  /** When QPUs are occupied. */
  async schedule(from: Date, to: Date): Promise<readonly wire.BusyTime[]> {
    const query = { from: from.toISOString(), to: to.toISOString() }
    const { busy } = await this.#transport.request<wire.Schedule>('GET', '/api/schedule', {
      query,
    })
    return busy
  }

  /** Books a time slot. @throws ConflictError if it is taken. */
  async book(slot: { start: Date; end: Date; qpu?: string }): Promise<wire.Slot> {
    const body = {
      start_time: slot.start.toISOString(),
      end_time: slot.end.toISOString(),
      qpu: slot.qpu ?? '',
    }
    const { slots } = await this.#transport.request<wire.PostBookingsResponse>('POST', '/api/bookings', {
      body,
    })
    return slots[0] as wire.Slot
  }

  /**
   * Holds a QPU while `use` runs: starts a session, or joins the open one of the account, and waits until
   * it is active. Between the jobs of `held`, no others start; they go to this QPU, and are refused when
   * the session has ended. Afterwards it waits for the jobs that were submitted, and ends the session;
   * after an error it ends it immediately, and what still waits is cancelled. In a batch job with
   * `SVC_SESSION` it is that session, which does not end here.
   *
   *     await svc.session('kelvin', { seconds: 600 }, (held) => held.run({ circuits: [bell] }))
   *
   * @throws SessionEndedError if it ends before it is active; ConflictError, NotFoundError as
   *   `sessions.start`; RangeError if `SVC_SESSION` is on another QPU.
   */
  async session<T>(
    qpu: string | undefined,
    options: SessionOptions,
    use: (held: SvcClient, session: wire.Session) => Promise<T>,
  ): Promise<T> {
    const { session: secret, qpu: usual } = this.#transport.place
    if (secret !== undefined) {
      const { id } = await this.sessions.ofSecret(secret, qpu)
      return use(this, await this.sessions.wait(id, options))
    }
    const target = qpu ?? usual
    if (target === undefined) throw new TypeError('No QPU: name one, or set SVC_QPU')
    const holder = { awaited: true, ...options.holder }
    const started = await this.sessions.start(target, { ...options, holder })
    try {
      const session = await this.sessions.wait(started.id, { ...options, secret: started.secret })
      const held = new SvcClient({ ...this.#options, session: started.secret })
      const own = new Set<string>()
      held.#inSession = own
      const value = await use(held, session)
      // Those that wait at the end are cancelled.
      const left: Job[] = []
      const filter = { status: 'pending,running', qpu: started.qpu }
      if (own.size > 0) for await (const job of this.jobs(filter)) if (own.has(job.id)) left.push(job)
      await this.wait(left)
      return value
    } finally {
      const end = this.sessions.end(started.id, { holder: started.holder })
      await end.catch(({ message }) => console.warn(`Session ${started.id} was not ended: ${message}`))
    }
  }

  /** The account, its balance and its limits. */
  me(): Promise<wire.Me> {
    return this.#transport.request('GET', '/api/me')
  }

  /** The records of a collection, with filters, as in `/api/collections`. */
  collection<T extends object>(name: string): Collection<T> {
    return new Collection(this.#transport, name)
  }

  async #submit<T>(submission: Submission, options: object): Promise<T> {
    const { session, qpu } = this.#transport.place
    const body = bodyOf(session === undefined && qpu !== undefined ? { qpu, ...submission } : submission)
    const sent = { ...options, token: session, body, isRepeatable: true }
    try {
      return await this.#transport.request<T>('POST', '/api/jobs', sent)
    } catch (error) {
      throw withPlaces(error, submission)
    }
  }

  /** A job of which nothing is known but its id is read by the wait. */
  #known(job: Job | string): Job {
    return typeof job === 'string' ? this.#job({ id: job } as JobWire) : job
  }

  #job(raw: JobWire): Job {
    return new Job(raw, this.#transport, this.#waiting)
  }
}
