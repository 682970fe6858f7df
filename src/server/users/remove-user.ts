import { AppError, messageOf } from '../../base/index.ts'
import {
  beginUserRemoval,
  finishUserRemoval,
  listUnfinishedRemovals,
  removalSteps,
} from '../../db/store/maintenance/index.ts'
import type { ServerContext } from '../context.ts'
import { inShortWrites } from '../short-writes.ts'

/**
 * Removes users in short transactions, so that 100,000 jobs of one user stop nobody else. From the first one
 * on the user cannot log in, and name and address are erased. A removal that a stop interrupts continues
 * after the next start.
 */
export class UserRemovals {
  readonly name = 'removal of users'
  readonly #dependencies: Pick<ServerContext, 'db' | 'clock' | 'log'>
  readonly #running = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()

  constructor(dependencies: Pick<ServerContext, 'db' | 'clock' | 'log'>) {
    this.#dependencies = dependencies
  }

  /** Continues interrupted removals in the background. */
  async start(): Promise<void> {
    for (const { id } of await listUnfinishedRemovals(this.#dependencies.db)) {
      this.#runOnce(id).catch((error: unknown) =>
        this.#dependencies.log.error('user not removed', { user: id, error: messageOf(error) }),
      )
    }
  }

  /** Stops after the current transactions. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled(this.#running.values())
  }

  /**
   * Removes the user; settles when nothing is left. False when there is no such user.
   * @throws AppError `unavailable` when the server stops first; the removal then continues later.
   */
  async remove(id: string, actor: string): Promise<boolean> {
    const { db } = this.#dependencies
    const exists = await db.write('begin removal of user', (tx) => beginUserRemoval(tx, id, actor))
    if (exists) await this.#runOnce(id)
    return exists
  }

  #runOnce(id: string): Promise<void> {
    const running = this.#running.get(id) ?? this.#run(id).finally(() => this.#running.delete(id))
    this.#running.set(id, running)
    return running
  }

  async #run(id: string): Promise<void> {
    const { db, clock, log } = this.#dependencies
    const work = { db, clock, signal: this.#stop.signal, pauseMs: 5 }
    for (const step of removalSteps(id)) {
      if (await inShortWrites(work, 'remove user', step)) continue
      throw new AppError('unavailable', 'The server is stopping; the user is removed after its next start', {
        retryAfter: 5,
      })
    }
    await db.write('finish removal of user', (tx) => finishUserRemoval(tx, id))
    log.info('user removed', { user: id })
  }
}
