import { NotFoundError, otherResponse, SvcError } from './errors.ts'
import type { JobDetail, PostJobsChangesResponse } from './generated/wire.gen.ts'
import { isTemporary, sleep } from './repetition.ts'
import type { Transport } from './transport.ts'

/** The states of a job; a newer server may have others. */
export type Status = JobDetail['status']

/** The states that a job does not leave. */
export function hasEnded(status: Status): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** Jobs of one request; the server takes no more. */
const MAX_JOBS = 500
/** How long the server holds a request, in s; proxies may end quiet connections after 60 s. */
const HELD_S = 30
/** The same for a request beside another one, and for one of several that ask for different jobs in turn. */
const HELD_BRIEFLY_S = 2
/** Requests for jobs that nobody has asked for yet, which are sent although another one is held. */
const MAX_HELD = 4
const MAX_PAUSE_MS = 10_000
/** Pauses where a server responds immediately although asked to wait. */
const POLL_FIRST_MS = 100
const POLL_LAST_MS = 2_000
/** A 404 may come from a proxy: after this time, the route for many jobs is asked again. */
const OLD_FOR_MS = 60_000
/** The program does not change. */
const OMITTED = 'payload'

/** A job that is waited for. */
interface Awaited {
  readonly id: string
  /** As it is known; empty if it is to be read in any case. */
  readonly status: Status | ''
  readonly resolve: (job: JobDetail) => void
  readonly reject: (error: unknown) => void
  /** Whether a request has asked for it before. */
  wasCovered: boolean
}

/** Status of each job as it is known. */
type Known = ReadonlyMap<string, Status | ''>

interface Changes {
  readonly changed: ReadonlyMap<string, JobDetail>
  /** Ids of jobs that do not exist for the account. */
  readonly unknown: readonly string[]
}

/** A request on its way. */
interface Held {
  readonly jobs: Set<Awaited>
  readonly seconds: number
  readonly stop: AbortController
}

/**
 * Waits with requests for many jobs that the server holds until one of them changes. All who wait share
 * requests. Failures of the network and of the server never end the wait.
 */
export class Waiting {
  readonly #transport: Transport
  /** Jobs that no request asks for now. */
  readonly #left = new Set<Awaited>()
  readonly #held = new Set<Held>()
  #isPlanned = false
  #failures = 0
  #early = 0
  /** Until when the server counts as older than this client, which responds for one job at a time. */
  #oldUntil = 0

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads a job as it is. */
  read(id: string, query: { wait?: number; status?: string } = {}, signal?: AbortSignal): Promise<JobDetail> {
    const path = `/api/jobs/${encodeURIComponent(id)}`
    return this.#transport.read(path, OMITTED, { query, signal })
  }

  /** Reads a job of which nothing is known yet; repeated for as long as a submission. */
  readFirst(id: string): Promise<JobDetail> {
    const path = `/api/jobs/${encodeURIComponent(id)}`
    return this.#transport.read(path, OMITTED, { untilResponse: `job ${id}` })
  }

  /** Reads the job that was submitted with an idempotency key, as `readFirst`. */
  readOfKey(key: string): Promise<JobDetail> {
    const path = `/api/jobs/by-key/${encodeURIComponent(key)}`
    return this.#transport.read(path, OMITTED, { untilResponse: `key ${key}` })
  }

  /**
   * Resolves with the job once its status is another one than `status`, immediately if that is empty. @throws
   * SvcError if it cannot be read.
   */
  next(id: string, status: Status | '', signal?: AbortSignal): Promise<JobDetail> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal?.removeEventListener('abort', leave)
        this.#leave(entry)
        reject(signal?.reason)
      }
      const entry: Awaited = {
        id,
        status,
        wasCovered: false,
        resolve(job) {
          signal?.removeEventListener('abort', leave)
          resolve(job)
        },
        reject(error) {
          signal?.removeEventListener('abort', leave)
          reject(error)
        },
      }
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', leave)
      this.#left.add(entry)
      this.#plan()
    })
  }

  #leave(entry: Awaited): void {
    this.#left.delete(entry)
    for (const held of this.#held) if (held.jobs.delete(entry) && held.jobs.size === 0) held.stop.abort()
  }

  /** Asks for what no request asks for, once all who begin to wait in this turn are there. */
  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setTimeout(() => {
      this.#isPlanned = false
      const jobs = [...this.#left].slice(0, MAX_JOBS)
      if (jobs.length > 0 && !this.#isSoon(jobs)) void this.#hold(jobs)
    })
  }

  /** Whether these jobs are asked for when a request on its way has ended. */
  #isSoon(jobs: readonly Awaited[]): boolean {
    if (jobs.some(({ wasCovered }) => !wasCovered)) return this.#held.size >= MAX_HELD
    return [...this.#held].some(({ seconds }) => seconds < HELD_S)
  }

  async #hold(jobs: readonly Awaited[]): Promise<void> {
    for (const job of jobs) {
      this.#left.delete(job)
      job.wasCovered = true
    }
    const isOnly = this.#held.size === 0 && this.#left.size === 0
    const seconds = isOnly ? HELD_S : HELD_BRIEFLY_S
    const held: Held = { jobs: new Set(jobs), seconds, stop: new AbortController() }
    this.#held.add(held)
    await this.#ask(held).catch((error: unknown) => {
      for (const job of held.jobs) job.reject(error)
      held.jobs.clear()
    })
    this.#held.delete(held)
    for (const job of held.jobs) this.#left.add(job)
    this.#plan()
  }

  /** Sends a request, and resolves those whose job has changed. @throws SvcError that ends their waits. */
  async #ask({ jobs, seconds, stop: { signal } }: Held): Promise<void> {
    const known = new Map<string, Status | ''>()
    // What two callers know differently is read.
    for (const { id, status } of jobs) known.set(id, (known.get(id) ?? status) === status ? status : '')
    const started = Date.now()
    try {
      const { changed, unknown } = await this.#changes(known, seconds, signal)
      this.#failures = 0
      resolveChanged(jobs, changed)
      for (const id of unknown) await this.#rejectUnknown(id, jobs, signal)
      const isEarly = changed.size + unknown.length === 0 && Date.now() - started < POLL_FIRST_MS
      this.#early = isEarly ? this.#early + 1 : 0
      if (isEarly) await sleep(Math.min(POLL_LAST_MS, POLL_FIRST_MS * 2 ** (this.#early - 1)), signal)
    } catch (error) {
      if (signal.aborted) return
      if (!isTemporary(error)) throw error
      this.#failures += 1
      await sleep(pauseOf(error, this.#failures), signal).catch(() => {})
    }
  }

  /** Ends the waits of a job that does not exist for the account, with what the server says of it. */
  async #rejectUnknown(id: string, jobs: Set<Awaited>, signal: AbortSignal): Promise<void> {
    const error = await this.read(id, {}, signal).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined) return
    if (isTemporary(error)) throw error
    for (const job of jobs) {
      if (job.id !== id) continue
      jobs.delete(job)
      job.reject(error)
    }
  }

  /** Jobs with another status than the known one, as soon as there is one, and those that do not exist. */
  async #changes(known: Known, wait: number, signal: AbortSignal): Promise<Changes> {
    if (Date.now() < this.#oldUntil) return this.#changesOfEach(known, wait, signal)
    const body = { known: [...known].map(([id, status]) => ({ id, status })), wait }
    try {
      const { jobs, unknown } = await this.#transport.request<PostJobsChangesResponse>(
        'POST',
        '/api/jobs/changes',
        { body, signal, isRepeatable: true, isOnce: true },
      )
      const other = [...jobs.map(({ id }) => id), ...unknown].find((id) => !known.has(id))
      if (other !== undefined) throw otherResponse('the changes of jobs', other)
      // The program, which only this type has in any case, was never read.
      const changed = new Map(jobs.map((job) => [job.id, job as JobDetail]))
      return { changed, unknown }
    } catch (error) {
      if (!(error instanceof SvcError) || (error.status !== 404 && error.status !== 405)) throw error
      this.#oldUntil = Date.now() + OLD_FOR_MS
      return this.#changesOfEach(known, wait, signal)
    }
  }

  /** The same from a server of an earlier release. */
  async #changesOfEach(known: Known, wait: number, signal: AbortSignal): Promise<Changes> {
    const changed = new Map<string, JobDetail>()
    const unknown: string[] = []
    for (const [id, status] of known) {
      try {
        const job = await this.read(id, known.size === 1 && status !== '' ? { wait, status } : {}, signal)
        if (job.status !== status) changed.set(id, job)
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error
        unknown.push(id)
      }
    }
    if (changed.size + unknown.length === 0 && known.size > 1) await sleep(HELD_BRIEFLY_S * 1_000, signal)
    return { changed, unknown }
  }
}

/** Ends the waits of jobs that have changed. */
function resolveChanged(jobs: Set<Awaited>, changed: Changes['changed']): void {
  for (const job of jobs) {
    const news = changed.get(job.id)
    if (!news || news.status === job.status) continue
    jobs.delete(job)
    job.resolve(news)
  }
}

/** How long nothing is asked after a failure, in ms. */
function pauseOf(error: unknown, failures: number): number {
  const asked = error instanceof SvcError ? (error.retryAfter ?? 0) * 1_000 : 0
  return Math.max(asked, Math.random() * Math.min(MAX_PAUSE_MS, 250 * 2 ** Math.min(failures - 1, 10)))
}
