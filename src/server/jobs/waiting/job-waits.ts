import { AppError, type Clock } from '../../../base/index.ts'
import { type Change, type Database, type Job, quantumJobs } from '../../../db/index.ts'
import { Deadlines } from './deadlines.ts'
import { Resumption } from './resumption.ts'
import { type IsAwaited, Wait } from './wait.ts'

/** Requests that may wait for jobs at the same time, of all accounts and of one, and how long. */
export const WAIT_LIMITS = { total: 5_000, account: 250, seconds: 60 } as const

const RETRY_AFTER_S = 5

interface WaitOptions {
  /** The account that the wait counts for. */
  account: string
  /** Id of the job. */
  job: string
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
  readonly #resumption = new Resumption()
  readonly #byJob = new Map<string, Set<Wait>>()
  readonly #byAccount = new Map<string, number>()
  #size = 0
  #isOpen = false
  #unsubscribe: () => void = () => undefined

  constructor({ db, clock }: { db: Pick<Database, 'changes'>; clock: Clock }) {
    this.#db = db
    this.#clock = clock
    this.#deadlines = new Deadlines(clock, (wait) => this.#end(wait))
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#size
  }

  start(): void {
    this.#isOpen = true
    this.#unsubscribe = this.#db.changes.subscribe((changes) => {
      if (this.#size > 0) for (const change of changes) this.#publish(change)
    })
  }

  /** Ends all waits, whose requests are answered with the job as it is; later waits end at once. */
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
  enter({ account, job, seconds, isAwaited, signal }: WaitOptions): Wait {
    this.#assertPlace(account)
    const leave = () => this.#end(wait)
    const wait = new Wait({ job, isAwaited, due: this.#clock.monotonic() + seconds * 1_000 }, () => {
      signal.removeEventListener('abort', leave)
      this.#remove(wait, account)
    })
    this.#add(wait, account)
    signal.addEventListener('abort', leave, { once: true })
    if (!this.#isOpen || signal.aborted) wait.expire()
    return wait
  }

  #assertPlace(account: string): void {
    const { total, account: most } = WAIT_LIMITS
    if ((this.#byAccount.get(account) ?? 0) >= most) throw tooMany(`${most} of your requests`)
    if (this.#size >= total) throw tooMany(`${total} requests`)
  }

  #add(wait: Wait, account: string): void {
    this.#size += 1
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1)
    const others = this.#byJob.get(wait.job)
    if (others) others.add(wait)
    else this.#byJob.set(wait.job, new Set([wait]))
    this.#deadlines.add(wait)
  }

  #remove(wait: Wait, account: string): void {
    this.#size -= 1
    const left = (this.#byAccount.get(account) ?? 0) - 1
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
    const ofJob = this.#byJob.get(wait.job)
    ofJob?.delete(wait)
    if (ofJob?.size === 0) this.#byJob.delete(wait.job)
    this.#deadlines.remove(wait)
  }

  #publish({ collection, id, action, record }: Change): void {
    if (collection !== quantumJobs.name) return
    for (const wait of this.#byJob.get(id) ?? []) {
      if (action === 'delete' || wait.isAwaited((record as Job).status)) this.#resumption.add(wait)
    }
  }

  #end(wait: Wait): void {
    wait.expire()
    this.#resumption.add(wait)
  }
}

function tooMany(who: string): AppError {
  return new AppError(
    'limited',
    `${who} are waiting for jobs already, the maximum; use one event stream for many jobs, or try again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_waiting_requests', retryAfter: RETRY_AFTER_S },
  )
}
