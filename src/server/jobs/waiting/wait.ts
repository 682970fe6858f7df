import type { Job } from '../../../db/store/jobs/index.ts'

/** Whether this status of a job is what a request waits for. */
export type IsAwaited = (status: Job['status'], id: string) => boolean

/** One waiting request. */
export class Wait implements Disposable {
  /** The account that the wait counts for. */
  readonly account: string
  /** Ids of the jobs. */
  readonly jobs: readonly string[]
  /** Monotonic time in ms at which the request is answered in any case. */
  readonly due: number
  readonly isAwaited: IsAwaited
  readonly #onLeave: (wait: Wait) => void
  #resume: (() => void) | undefined
  #isOver = false
  /** Ids of jobs that have changed since the last call of `takeChanged`. */
  readonly #changed = new Set<string>()

  constructor(
    { account, jobs, due, isAwaited }: Pick<Wait, 'account' | 'jobs' | 'due' | 'isAwaited'>,
    onLeave: (wait: Wait) => void,
  ) {
    this.account = account
    this.jobs = jobs
    this.due = due
    this.isAwaited = isAwaited
    this.#onLeave = onLeave
  }

  /** Whether the request is answered with the job as it is: time over, client gone or server stopping. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Resolves when the request should read its job again. Call it before each read: then no change is missed
   * between the read and the wait.
   */
  next(): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resume) => {
      this.#resume = resume
    })
  }

  /** Notes that a job has the awaited status; call `resume` as well. */
  note(id: string): void {
    this.#changed.add(id)
  }

  /** The ids of jobs that were noted since the last call. */
  takeChanged(): string[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Makes the next read the last one; call `resume` as well. */
  expire(): void {
    this.#isOver = true
  }

  /** Lets the request read its job. */
  resume(): void {
    this.#resume?.()
  }

  /** Gives up the place, once. */
  [Symbol.dispose](): void {
    this.#onLeave(this)
  }
}
