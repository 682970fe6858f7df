/** Whether this state of a record is what a request waits for. */
export type IsAwaited = (state: string, id: string) => boolean

/** One waiting request. */
export class Wait implements Disposable {
  /** The account that the wait counts for. */
  readonly account: string
  /** Ids of the records. */
  readonly ids: readonly string[]
  /** Monotonic time in ms at which the request is answered in any case. */
  readonly due: number
  readonly isAwaited: IsAwaited
  readonly #onLeave: (wait: Wait) => void
  #resume: (() => void) | undefined
  #isOver = false
  /** Ids of records that have changed since the last call of `takeChanged`. */
  readonly #changed = new Set<string>()

  constructor(
    { account, ids, due, isAwaited }: Pick<Wait, 'account' | 'ids' | 'due' | 'isAwaited'>,
    onLeave: (wait: Wait) => void,
  ) {
    this.account = account
    this.ids = ids
    this.due = due
    this.isAwaited = isAwaited
    this.#onLeave = onLeave
  }

  /** Whether the request is answered with the record as it is: time over, client gone or server stopping. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Resolves when the request should read its record again. Call it before each read: then no change is
   * missed between the read and the wait.
   */
  next(): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resume) => {
      this.#resume = resume
    })
  }

  /** Notes that a record has the awaited state; call `resume` as well. */
  note(id: string): void {
    this.#changed.add(id)
  }

  /** The ids of records that were noted since the last call. */
  takeChanged(): string[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Makes the next read the last one; call `resume` as well. */
  expire(): void {
    this.#isOver = true
  }

  /** Lets the request read its record. */
  resume(): void {
    this.#resume?.()
  }

  /** Gives up the place, once. */
  [Symbol.dispose](): void {
    this.#onLeave(this)
  }
}
