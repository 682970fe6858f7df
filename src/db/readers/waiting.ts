import { AppError } from '../../base/index.ts'

/** Waiting reads of one caller; more would only wait longer than clients do. */
export const MAX_WAITING_PER_CALLER = 20
/** Waiting reads of all callers. */
export const MAX_WAITING = 200

interface Turn {
  readonly reading: { readonly caller: string; readonly kind: 'guest' | 'user' | 'superuser' }
}

/**
 * Work that waits for a reader. Callers take turns, however much each of them waits for. One read of a guest
 * or user runs at a time. All guests together leave one reader to the others if there are two, and so do all
 * superusers, whose reads may take longest.
 */
export class Waiting<Job extends Turn> {
  readonly #readers: number
  /** In the order of turns: a caller whose work was taken goes to the end. */
  readonly #queues = new Map<string, Job[]>()
  readonly #running = new Set<Job>()
  #size = 0

  constructor(readers: number) {
    this.#readers = readers
  }

  /** @throws AppError `limited` or `unavailable` when too many wait. */
  add(job: Job): void {
    const { caller } = job.reading
    const queue = this.#queues.get(caller) ?? []
    if (queue.length >= MAX_WAITING_PER_CALLER) {
      throw new AppError(
        'limited',
        `${MAX_WAITING_PER_CALLER} of your lists wait for the database already; send them one after another`,
        { reason: 'too_many_reads', retryAfter: 2 },
      )
    }
    if (this.#size >= MAX_WAITING) {
      const message = `${MAX_WAITING} lists wait for the database; try again later`
      throw new AppError('unavailable', message, { reason: 'too_many_reads', retryAfter: 5 })
    }
    queue.push(job)
    this.#queues.set(caller, queue)
    this.#size += 1
  }

  /** The next job that may run, which then counts as running until `release`. */
  take(): Job | undefined {
    for (const [caller, queue] of this.#queues) {
      const [job] = queue
      if (!job || !this.#mayRun(job)) continue
      queue.shift()
      this.#queues.delete(caller)
      if (queue.length > 0) this.#queues.set(caller, queue)
      this.#size -= 1
      this.#running.add(job)
      return job
    }
    return undefined
  }

  release(job: Job): void {
    this.#running.delete(job)
  }

  /** Removes a job that waits. */
  remove(job: Job): void {
    const { caller } = job.reading
    const queue = this.#queues.get(caller) ?? []
    const left = queue.filter((each) => each !== job)
    this.#size -= queue.length - left.length
    if (left.length > 0) this.#queues.set(caller, left)
    else this.#queues.delete(caller)
  }

  /** Removes and returns all that wait. */
  clear(): Job[] {
    const all = [...this.#queues.values()].flat()
    this.#queues.clear()
    this.#size = 0
    return all
  }

  #mayRun({ reading: { caller, kind } }: Job): boolean {
    const running = [...this.#running].map(({ reading }) => reading)
    if (kind !== 'superuser' && running.some((each) => each.caller === caller)) return false
    const sameKind = running.filter((each) => each.kind === kind).length
    return kind === 'user' || sameKind < Math.max(1, this.#readers - 1)
  }
}
