import { feature } from 'bun:bundle'
import {
  AppError,
  assertAwaited,
  Budget,
  type Clock,
  failpoint,
  KIB,
  type Log,
  MIB,
  mustEnd,
  Turns,
} from '../../base/index.ts'
import type { Engine } from '../engine/engine.ts'
import { createGroupCommit } from '../engine/group-commit.ts'
import { WriteOutcomes } from '../engine/storage-watch.ts'
import { type Change, createChangeFeed } from './changes.ts'
import type { WriteSize } from './database.ts'
import { createReadTx, createTx, type ReadTx, type Tx, type TxDependencies } from './tx.ts'

/** What waited for the disk goes on in many turns of the event loop, in each for this time. */
const RESUMED_PER_TURN_MS = 5

/** A write of more bytes waits for the ones of such a size before it. */
const SMALL_WRITE_BYTES = 64 * KIB
/** Bytes of such writes on their way to the disk at the same time, or a single larger one. */
const UNFLUSHED_BYTES = MIB

interface TransactionsOptions {
  clock: Clock
  log: Log
  tx: TxDependencies
  /** Called in each group before its commit. */
  beforeCommit: (() => void) | undefined
  onUnflushed: ((error: AppError) => void) | undefined
}

/** The transactions of one engine, from its opening until `end`: intents in groups, and snapshots. */
export class Transactions {
  /** Changes that are committed, that are about to be, and that were not. */
  readonly feeds: Readonly<Record<'changes' | 'upcoming' | 'withdrawn', ReturnType<typeof createChangeFeed>>>
  readonly storage: WriteOutcomes
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #tx: TxDependencies
  readonly #group: ReturnType<typeof createGroupCommit>
  readonly #resumed: Turns
  readonly #large = new Budget({ all: UNFLUSHED_BYTES })
  #isOpen = true

  constructor(engine: Engine, { clock, log, tx, beforeCommit, onUnflushed }: TransactionsOptions) {
    this.#engine = engine
    this.#clock = clock
    this.#tx = tx
    this.feeds = {
      changes: createChangeFeed(log),
      upcoming: createChangeFeed(log),
      withdrawn: createChangeFeed(log),
    }
    this.storage = new WriteOutcomes(clock, log)
    this.#resumed = new Turns(clock, RESUMED_PER_TURN_MS)
    this.#group = createGroupCommit(engine.writer, {
      clock,
      ...(beforeCommit && { beforeCommit }),
      onCommitted: engine.log.committed,
      onUnflushed,
    })
  }

  /** See `Database.write`. */
  async write<T>(intent: string, work: (tx: Tx) => T, size: WriteSize = { bytes: 0 }): Promise<T> {
    const { bytes, account = '' } = size
    if (bytes <= SMALL_WRITE_BYTES) return this.#write(intent, work)
    const release = this.#large.takeFree(account, bytes) ?? (await this.#large.wait(account, bytes))
    return this.#write(intent, work).finally(() => void this.#othersFlushed().finally(release))
  }

  /** See `Database.read`. */
  async read<T>(work: (tx: ReadTx) => T): Promise<T> {
    const { reader } = this.#engine
    const turn = this.#engine.enter()
    if (turn !== undefined) await turn.then(assertAwaited)
    this.assertOpen()
    const { tx, end } = createReadTx(reader, this.#tx, this.#clock.now())
    return this.flushed(reader.transaction('read', () => finished('read', () => work(tx), end)))
  }

  /** Waits until what was read is on disk: a response must not show what a power failure would remove. */
  async flushed<T>(found: T): Promise<T> {
    const { log } = this.#engine
    if (log.flushing === undefined) return found
    await log.flushing
    await this.#resumed.wait()
    return found
  }

  assertOpen(): void {
    if (!this.#isOpen) throw new AppError('unavailable', 'The database is closed; the service is stopping')
  }

  /** Commits what has run, and refuses everything else from now on. */
  async end(): Promise<void> {
    // Those that wait for it have been accepted.
    await this.#engine.log.pause()
    this.#isOpen = false
  }

  /** Commits the open group. */
  flush(): void {
    this.#group.flush()
  }

  /** Nothing is awaited that need not be: intents of one turn of the event loop share a commit. */
  async #write<T>(intent: string, work: (tx: Tx) => T): Promise<T> {
    this.assertOpen()
    const pause = this.#engine.log.pause()
    if (pause !== undefined) await this.#afterPauses(pause)
    const turn = this.#engine.enter()
    if (turn !== undefined) await turn.then(assertAwaited)
    this.assertOpen()
    mustEnd()
    if (feature('FAILPOINTS')) failpoint(`${intent}.before`)
    try {
      const { value, published } = this.#join(intent, work)
      await published
      return value
    } catch (error) {
      this.storage.failed(error)
      throw error
    }
  }

  async #afterPauses(first: Promise<void>): Promise<void> {
    const { log } = this.#engine
    for (let pause: Promise<void> | undefined = first; pause !== undefined; pause = log.pause()) {
      await pause
      await this.#resumed.wait()
      this.assertOpen()
    }
  }

  /** Runs an intent in the open group; its changes are published after the commit of that. */
  #join<T>(intent: string, work: (tx: Tx) => T): { value: T; published: Promise<void> } {
    const { changes: committedFeed, upcoming, withdrawn } = this.feeds
    let changes: readonly Change[] = []
    const { tx, end, complete, withCommit } = createTx(this.#engine.writer, this.#tx, this.#clock.now())
    const onSent = () => {
      changes = complete()
      upcoming.publish(changes)
    }
    const joined = () => {
      const result = finished(intent, () => work(tx), end)
      if (feature('FAILPOINTS')) failpoint(`${intent}.inside`)
      return result
    }
    const { value, committed, isSent } = this.#group.join(joined, { withCommit, onSent })
    const published = committed.then(() => {
      if (feature('FAILPOINTS')) failpoint(`${intent}.after`)
      if (tx.hasWritten()) this.storage.succeeded()
      committedFeed.publish(changes)
    })
    committed.catch(() => withdrawn.publish(changes))
    // Last, so that the writes of a listener are published after this one.
    if (isSent) onSent()
    return { value, published }
  }

  /** Waits for small writes that met a large one: their responses leave before the next large one begins. */
  async #othersFlushed(): Promise<void> {
    await this.#engine.log.flushing?.catch(() => undefined)
    await this.#resumed.wait()
  }
}

/**
 * Returns the result of `work` and ends its transaction handle. A promise is rejected, since its continuation
 * would run outside the transaction.
 */
function finished<T>(intent: string, work: () => T, end: () => void): T {
  try {
    const value = work()
    if (!(value instanceof Promise)) return value
    value.catch(() => undefined)
    throw new TypeError(`the work of "${intent}" must not be async`)
  } finally {
    end()
  }
}
