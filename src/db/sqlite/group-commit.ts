import type { AppError } from '../../base/index.ts'
import { type Connection, isUnflushed } from './connection.ts'

/** A work that is done but not yet on disk. */
interface Joined<T> {
  value: T
  /** Resolves after the commit; rejects when it fails: then nothing of the whole group was written. */
  committed: Promise<void>
}

/** Writes of one connection that share commits. */
export interface GroupCommit {
  /** Runs `work` at once, in the open transaction if there is one. A throw undoes this work alone. */
  join<T>(work: () => T): Joined<T>
  /** Commits what is open. */
  flush(): void
}

/**
 * Works that arrive in one turn of the event loop are savepoints of one transaction: to flush the disk takes as
 * long for a hundred of them as for one. A work sees what the earlier ones of its group wrote.
 *
 * `onUnflushed` is called when a commit could not be flushed, before anybody hears that it failed.
 */
export function createGroupCommit(
  connection: Connection,
  onUnflushed: (error: AppError) => void = () => undefined,
): GroupCommit {
  let open: PromiseWithResolvers<void> | undefined
  let isWorking = false

  function begin(): PromiseWithResolvers<void> {
    connection.run('BEGIN IMMEDIATE')
    const group = Promise.withResolvers<void>()
    // Nobody waits for it when its only work has failed.
    group.promise.catch(() => undefined)
    setImmediate(() => end(group))
    return group
  }

  function end(group: PromiseWithResolvers<void>): void {
    if (group !== open) return
    open = undefined
    try {
      connection.run('COMMIT')
      group.resolve()
    } catch (error) {
      if (isUnflushed(error)) onUnflushed(error)
      if (connection.inTransaction()) connection.run('ROLLBACK')
      group.reject(error)
    }
  }

  function undo(group: PromiseWithResolvers<void>, error: unknown): void {
    if (connection.inTransaction()) {
      connection.run('ROLLBACK TO work')
      connection.run('RELEASE work')
      return
    }
    // A full disk makes SQLite roll back everything by itself.
    open = undefined
    group.reject(error)
  }

  return {
    join(work) {
      if (isWorking) throw new TypeError('a transaction is open already; use its tx')
      open ??= begin()
      const group = open
      connection.run('SAVEPOINT work')
      isWorking = true
      try {
        const value = work()
        connection.run('RELEASE work')
        return { value, committed: group.promise }
      } catch (error) {
        undo(group, error)
        throw error
      } finally {
        isWorking = false
      }
    },
    flush() {
      if (open) end(open)
    },
  }
}
