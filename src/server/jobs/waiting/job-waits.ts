import { type Clock, Turns } from '../../../base/index.ts'
import type { Change, Database } from '../../../db/index.ts'
import { type Job, quantumJobs } from '../../../db/store/jobs/index.ts'
import { COUNTS } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'
import { Deadlines } from './deadlines.ts'
import { type IsAwaited, Wait } from './wait.ts'

/** How long one request may wait, and for how many jobs. */
export const WAIT_LIMITS = { seconds: 60, jobsOfRequest: 500 } as const

/** Requests resume for this time in one turn of the event loop; each reads and encodes a job. */
const RESUMED_PER_TURN_MS = 5
/** Requests that read many jobs begin for this time, then other work is done for as long as they took. */
const READ_PER_TURN_MS = 5

interface WaitOptions {
  /** The account that the wait counts for. */
  account: string
  /** Ids of the jobs, each once. */
  jobs: readonly string[]
  seconds: number
  isAwaited: IsAwaited
  /** Aborts when the client has left. */
  signal: AbortSignal
}

/** The requests that wait for a change of a job; the change feed ends their waits. */
export class JobWaits {
  readonly #db: Pick<Database, 'changes'>
  readonly #clock: Clock
  readonly #deadlines: Deadlines<Wait>
  readonly #turns: Turns
  readonly #reads: Turns
  readonly #byJob = new Map<string, Set<Wait>>()
  readonly #requests = new Places(COUNTS.waitingRequests)
  readonly #jobs = new Places(COUNTS.awaitedJobs)
  #isOpen = false
  #unsubscribe: () => void = () => undefined

  constructor({ db, clock }: { db: Pick<Database, 'changes'>; clock: Clock }) {
    this.#db = db
    this.#clock = clock
    this.#turns = new Turns(clock, RESUMED_PER_TURN_MS)
    this.#reads = new Turns(clock, READ_PER_TURN_MS, 1)
    this.#deadlines = new Deadlines(clock, (wait) => this.#end(wait))
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#requests.used
  }

  start(): void {
    this.#isOpen = true
    this.#unsubscribe = this.#db.changes.subscribe((changes) => {
      if (this.size > 0) for (const change of changes) this.#publish(change)
    })
  }

  /** Ends all waits, whose requests are answered with the job as it is; later waits end immediately. */
  stop(): void {
    this.#isOpen = false
    this.#unsubscribe()
    this.#deadlines.stop()
    for (const waits of this.#byJob.values()) for (const wait of waits) this.#end(wait)
  }

  /**
   * Takes a place for a request; dispose of the result to give it back.
   * @throws AppError `limited` (`too_many_waiting_requests`) that names the limit and the remedy.
   */
  enter({ account, jobs, seconds, isAwaited, signal }: WaitOptions): Wait {
    this.#jobs.assertFree(account, jobs.length)
    const releases = [this.#requests.enter(account), this.#jobs.take(account, jobs.length)]
    const leave = () => this.#end(wait)
    const wait = new Wait(
      { account, jobs, isAwaited, due: this.#clock.monotonic() + seconds * 1_000 },
      () => {
        signal.removeEventListener('abort', leave)
        for (const release of releases) release()
        this.#remove(wait)
      },
    )
    this.#add(wait)
    signal.addEventListener('abort', leave, { once: true })
    if (!this.#isOpen || signal.aborted) wait.expire()
    return wait
  }

  /** When an account may read many jobs: undefined for now. Such reads take half of the time at most. */
  turn(account: string): Promise<void> | undefined {
    return this.#reads.enter(account)
  }

  #add(wait: Wait): void {
    for (const job of wait.jobs) {
      const others = this.#byJob.get(job)
      if (others) others.add(wait)
      else this.#byJob.set(job, new Set([wait]))
    }
    this.#deadlines.add(wait)
  }

  #remove(wait: Wait): void {
    for (const job of wait.jobs) {
      const ofJob = this.#byJob.get(job)
      ofJob?.delete(wait)
      if (ofJob?.size === 0) this.#byJob.delete(job)
    }
    this.#deadlines.remove(wait)
  }

  #publish({ collection, id, action, record }: Change): void {
    if (collection !== quantumJobs.name) return
    for (const wait of this.#byJob.get(id) ?? []) {
      if (action !== 'delete' && !wait.isAwaited((record as Job).status, id)) continue
      wait.note(id)
      this.#resume(wait)
    }
  }

  #end(wait: Wait): void {
    wait.expire()
    this.#resume(wait)
  }

  /** The end of one job that thousands wait for does not stop the event loop. */
  #resume(wait: Wait): void {
    void this.#turns.wait(wait.account).then(() => wait.resume())
  }
}
