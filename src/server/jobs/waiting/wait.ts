import type { Job } from '../../../db/index.ts'

/** Whether a job with this status is what a request waits for. */
export type IsAwaited = (status: Job['status']) => boolean

/** One waiting request. */
export class Wait implements Disposable {
  /** Id of the job. */
  readonly job: string
  /** Monotonic time in ms at which the request is answered in any case. */
  readonly due: number
  readonly isAwaited: IsAwaited
  readonly #onLeave: (wait: Wait) => void
  #resume: (() => void) | undefined
  #isOver = false

  constructor(
    { job, due, isAwaited }: { job: string; due: number; isAwaited: IsAwaited },
    onLeave: (wait: Wait) => void,
  ) {
    this.job = job
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
