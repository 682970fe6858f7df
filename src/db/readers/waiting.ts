import { AppError, FairQueue } from '../../base/index.ts'

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
  readonly #queue = new FairQueue<Job>({
    perCaller: MAX_WAITING_PER_CALLER,
    all: MAX_WAITING,
    refuse: tooManyReads,
  })
  readonly #running = new Set<Job>()

  constructor(readers: number) {
    this.#readers = readers
  }

  /** @throws AppError `limited` or `unavailable` when too many wait. */
  add(job: Job): void {
    this.#queue.add(job.reading.caller, job)
  }

  /** The next job that may run, which then counts as running until `release`. */
  take(): Job | undefined {
    const job = this.#queue.take((each) => this.#mayRun(each))
    if (job) this.#running.add(job)
    return job
  }

  release(job: Job): void {
    this.#running.delete(job)
  }

  /** Removes a job that waits. */
  remove(job: Job): void {
    this.#queue.remove(job.reading.caller, job)
  }

  /** Removes and returns all that wait. */
  clear(): Job[] {
    return this.#queue.clear()
  }

  #mayRun({ reading: { caller, kind } }: Job): boolean {
    const running = [...this.#running].map(({ reading }) => reading)
    if (kind !== 'superuser' && running.some((each) => each.caller === caller)) return false
    const sameKind = running.filter((each) => each.kind === kind).length
    return kind === 'user' || sameKind < Math.max(1, this.#readers - 1)
  }
}

function tooManyReads(limit: 'caller' | 'all'): AppError {
  if (limit === 'caller') {
    return new AppError(
      'limited',
      `${MAX_WAITING_PER_CALLER} of your lists wait for the database already; send them one after another`,
      { reason: 'too_many_reads', retryAfter: 2 },
    )
  }
  const message = `${MAX_WAITING} lists wait for the database; try again later`
  return new AppError('unavailable', message, { reason: 'too_many_reads', retryAfter: 5 })
}
