import { FairQueue, type QueueLimits } from '../../base/index.ts'

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
  readonly #queue: FairQueue<Job>
  readonly #running = new Set<Job>()

  /** As many wait as `limits` permit. */
  constructor(readers: number, limits?: QueueLimits) {
    this.#readers = readers
    this.#queue = new FairQueue(limits)
  }

  /** @throws what the limits refuse with when too many wait. */
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
