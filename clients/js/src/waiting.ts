import type { JobDetail, Job as JobSummary } from './generated/wire.gen.ts'
import { isTemporary, sleep } from './repetition.ts'
import { type Change, changesOf } from './stream.ts'
import type { Transport } from './transport.ts'

/** The states that a job does not leave. */
export function hasEnded(status: JobDetail['status']): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** From this number of awaited jobs on, one event stream replaces a waiting request for each. */
const STREAM_FROM = 3
/** How long the server holds a request, in s; proxies may end quiet connections after 60 s. */
const HELD_S = 30
/** Between two readings of all awaited jobs, beside the stream or without it, in ms. */
const SYNC_MS = 30_000
const POLL_MS = 2_000
const SOON_MS = 50
const LISTED_EVERY_MS = 1_000
const MAX_PAUSE_MS = 10_000
/** Jobs whose last event is kept; most of them are awaited by nobody. */
const MAX_STREAMED = 10_000
/** Rows of one page of jobs that have not ended. */
const PAGE = 1_000
/** Everything but the program: it does not change. */
const FIELDS = [
  'id',
  'name',
  'tags',
  'status',
  'qpu',
  'qpu_target',
  'shots',
  'attempt',
  'held',
  'error',
  'results',
  'created',
  'started_at',
  'finished_at',
  'duration',
  'charged_seconds',
  'timeline',
  'waiting',
  'queue_position',
  'estimated_start',
  'user_id',
].join(',')

interface Awaited {
  readonly id: string
  readonly status: JobDetail['status']
  wake(): void
}

/**
 * Waits for jobs: with requests that the server holds, or for many jobs with one event stream. The stream and
 * the list of active jobs only say which job to read; what counts is the reading, so that no end is missed.
 * Failures of the network and of the server never end the wait.
 */
export class Waiting {
  readonly #transport: Transport
  readonly #awaited = new Set<Awaited>()
  /** Last status in the stream since the job was read. */
  readonly #streamed = new Map<string, unknown>()
  #feed: AbortController | undefined
  /** When the active jobs were listed last. */
  #listed = 0
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads a job as it is. */
  read(id: string, query: { wait?: number; status?: string } = {}, signal?: AbortSignal): Promise<JobDetail> {
    const path = `/api/jobs/${encodeURIComponent(id)}`
    return this.#transport.request('GET', path, { query: { ...query, fields: FIELDS }, signal })
  }

  /** Reads the job that was submitted with an idempotency key. */
  readOfKey(key: string): Promise<JobDetail> {
    const path = `/api/jobs/by-key/${encodeURIComponent(key)}`
    return this.#transport.request('GET', path, { query: { fields: FIELDS } })
  }

  /**
   * Resolves with the job once its status is another one than `status`. @throws SvcError if it cannot be
   * read.
   */
  async next(id: string, status: JobDetail['status'], signal?: AbortSignal): Promise<JobDetail> {
    for (let failures = 0; ; ) {
      try {
        const job = await this.#look(id, status, signal)
        if (job.status !== status) return job
        failures = 0
      } catch (error) {
        signal?.throwIfAborted()
        if (!isTemporary(error)) throw error
        failures += 1
        await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 500 * 2 ** failures), signal)
      }
    }
  }

  async #look(id: string, status: JobDetail['status'], signal?: AbortSignal): Promise<JobDetail> {
    let wake = () => {}
    const awake = new Promise<void>((resolve) => {
      wake = resolve
    })
    const entry = { id, status, wake }
    this.#awaited.add(entry)
    signal?.addEventListener('abort', wake)
    try {
      if (this.#awaited.size < STREAM_FROM) return await this.read(id, { wait: HELD_S, status }, signal)
      this.#startFeed()
      this.#syncSoon()
      // An event may have come while the job was read.
      if ((this.#streamed.get(id) ?? status) === status) await awake
      signal?.throwIfAborted()
      this.#streamed.delete(id)
      return await this.read(id, {}, signal)
    } finally {
      signal?.removeEventListener('abort', wake)
      this.#awaited.delete(entry)
      // The next job may begin to wait in the same turn.
      setTimeout(() => this.#awaited.size === 0 && this.#feed?.abort(), 1_000)
    }
  }

  /**
   * What was read before the stream began may have changed; all that begin to wait together share a request.
   */
  #syncSoon(): void {
    this.#soon ??= setTimeout(
      () => {
        this.#soon = undefined
        if (this.#feed) this.#wakeEnded(this.#feed.signal).catch(() => {})
      },
      Math.max(SOON_MS, this.#listed + LISTED_EVERY_MS - Date.now()),
    )
  }

  #startFeed(): void {
    if (this.#feed) return
    const feed = new AbortController()
    this.#feed = feed
    // The first reading comes with the confirmed stream.
    void Promise.all([this.#watch(feed.signal), this.#sync(feed.signal)]).finally(() => {
      this.#feed = undefined
      if (this.#awaited.size > 0) this.#startFeed()
    })
  }

  /** Wakes those whose job has changed, as the stream says; reads all after each new connection. */
  async #watch(signal: AbortSignal): Promise<void> {
    const options = encodeURIComponent(JSON.stringify({ query: { fields: 'id,status' } }))
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        for await (const change of changesOf(
          this.#transport,
          [`quantum_jobs/*?options=${options}`],
          signal,
        )) {
          failures = 0
          if (change) this.#receive(change.record)
          else await this.#wakeEnded(signal)
        }
      } catch {
        // Without a stream, which the server may refuse, the list of active jobs remains.
      }
      await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 500 * 2 ** failures), signal).catch(() => {})
    }
  }

  #receive({ id, status }: Change['record']): void {
    if (this.#streamed.size >= MAX_STREAMED) this.#streamed.clear()
    this.#streamed.set(id, status)
    this.#wake((awaited) => awaited.id === id)
  }

  async #sync(signal: AbortSignal): Promise<void> {
    for (let pause = POLL_MS; !signal.aborted; pause = Math.min(pause * 1.5, SYNC_MS)) {
      await sleep(pause, signal).catch(() => {})
      await this.#wakeEnded(signal).catch(() => {})
    }
  }

  /** Wakes those whose job is not active with the status that they know: one request for a thousand jobs. */
  async #wakeEnded(signal: AbortSignal): Promise<void> {
    this.#listed = Date.now()
    const active = new Map<string, string>()
    for (let before: string | undefined; ; ) {
      const query = { status: 'pending,running', fields: 'id,status', limit: PAGE, before }
      const jobs = await this.#transport.request<JobSummary[]>('GET', '/api/jobs', { query, signal })
      for (const { id, status } of jobs) active.set(id, status)
      if (jobs.length < PAGE) break
      before = jobs.at(-1)?.id
    }
    this.#wake(({ id, status }) => active.get(id) !== status)
  }

  #wake(has: (awaited: Awaited) => boolean): void {
    for (const awaited of this.#awaited) if (has(awaited)) awaited.wake()
  }
}
