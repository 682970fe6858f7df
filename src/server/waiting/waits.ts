import { type Clock, Turns } from '../../base/index.ts'
import type { Change, Database } from '../../db/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'
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
  /** Ids of the records, each once. */
  ids: readonly string[]
  seconds: number
  isAwaited: IsAwaited
  /** Aborts when the client has left. */
  signal: AbortSignal
}

interface WaitsDependencies {
  db: Pick<Database, 'changes'>
  clock: Clock
  /** Name of the collection of the records. */
  collection: string
  stateOf(record: unknown): string
}

/** The requests that wait for a change of records of a collection; the change feed ends their waits. */
export class Waits {
  readonly #dependencies: WaitsDependencies
  readonly #deadlines: Deadlines<Wait>
  readonly #turns: Turns
  readonly #reads: Turns
  readonly #byId = new Map<string, Set<Wait>>()
  readonly #requests = new Places(COUNTS.waitingRequests)
  readonly #records = new Places(COUNTS.awaitedJobs)
  #isOpen = false
  #unsubscribe: () => void = () => undefined

  constructor(dependencies: WaitsDependencies) {
    this.#dependencies = dependencies
    const { clock } = dependencies
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
    this.#unsubscribe = this.#dependencies.db.changes.subscribe((changes) => {
      if (this.size > 0) for (const change of changes) this.#publish(change)
    })
  }

  /** Ends all waits, whose requests are answered with the record as it is; later waits end immediately. */
  stop(): void {
    this.#isOpen = false
    this.#unsubscribe()
    this.#deadlines.stop()
    for (const waits of this.#byId.values()) for (const wait of waits) this.#end(wait)
  }

  /**
   * Takes a place for a request; dispose of the result to give it back.
   * @throws AppError `limited` (`too_many_waiting_requests`) that names the limit and the remedy.
   */
  enter({ account, ids, seconds, isAwaited, signal }: WaitOptions): Wait {
    this.#records.assertFree(account, ids.length)
    const releases = [this.#requests.enter(account), this.#records.take(account, ids.length)]
    const leave = () => this.#end(wait)
    const wait = new Wait(
      { account, ids, isAwaited, due: this.#dependencies.clock.monotonic() + seconds * 1_000 },
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

  /** When an account may read many records: undefined for now. Such reads take half of the time at most. */
  turn(account: string): Promise<void> | undefined {
    return this.#reads.enter(account)
  }

  #add(wait: Wait): void {
    for (const id of wait.ids) {
      const others = this.#byId.get(id)
      if (others) others.add(wait)
      else this.#byId.set(id, new Set([wait]))
    }
    this.#deadlines.add(wait)
  }

  #remove(wait: Wait): void {
    for (const id of wait.ids) {
      const others = this.#byId.get(id)
      others?.delete(wait)
      if (others?.size === 0) this.#byId.delete(id)
    }
    this.#deadlines.remove(wait)
  }

  #publish({ collection, id, action, record }: Change): void {
    if (collection !== this.#dependencies.collection) return
    for (const wait of this.#byId.get(id) ?? []) {
      if (action !== 'delete' && !wait.isAwaited(this.#dependencies.stateOf(record), id)) continue
      wait.note(id)
      this.#resume(wait)
    }
  }

  #end(wait: Wait): void {
    wait.expire()
    this.#resume(wait)
  }

  /** The change of one record that thousands wait for does not stop the event loop. */
  #resume(wait: Wait): void {
    void this.#turns.wait(wait.account).then(() => wait.resume())
  }
}
