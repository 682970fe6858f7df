import { type AppError, type Clock, systemClock, TimeSlice } from '../../base/index.ts'
import type { Connection } from './connection.ts'
import { isUnflushed } from './failure.ts'

/** The result of a unit of work that has run but is not yet on disk. */
interface Joined<T> {
  value: T
  /**
   * Resolves after the commit. Rejects when the commit fails; then nothing of the whole group was written.
   */
  committed: Promise<void>
}

/** Groups writes of one connection into shared commits. */
interface GroupCommit {
  /**
   * Runs `work` immediately, in the open transaction if there is one. If it throws, only this work is undone.
   */
  join<T>(work: () => T): Joined<T>
  /** Commits the open group. */
  flush(): void
}

/** A commit does not follow work of this time immediately: other requests run between them. */
const LONG_WORK_MS = 5

interface CommitListeners {
  clock?: Clock
  /** Called in each group before its commit; what it throws undoes the group. */
  beforeCommit?: () => void
  /** Called after each commit; its promises resolve when the returned one has. */
  onCommitted?: () => Promise<void> | undefined
  /** Called when a commit could not be flushed, before its promises reject. */
  onUnflushed?: ((error: AppError) => void) | undefined
}

/**
 * Units of work that arrive in one turn of the event loop share one transaction, because one flush takes as
 * long for a hundred of them as for one; see docs/decisions/0008-group-commit.md. Each sees the writes of
 * the earlier ones in its group. From the second on they are savepoints; the first is undone with the
 * transaction, since a savepoint copies every page before its change.
 */
export function createGroupCommit(
  connection: Connection,
  { beforeCommit, onCommitted, onUnflushed, clock = systemClock }: CommitListeners = {},
): GroupCommit {
  const slice = new TimeSlice(clock, LONG_WORK_MS)
  let open: PromiseWithResolvers<void> | undefined
  let isWorking = false

  function begin(): PromiseWithResolvers<void> {
    connection.begin('write')
    const group = Promise.withResolvers<void>()
    // Nobody waits for it when its only work has failed.
    group.promise.catch(() => undefined)
    slice.begin()
    setImmediate(() => endAfterOthers(group))
    return group
  }

  function endAfterOthers(group: PromiseWithResolvers<void>): void {
    if (slice.isOver) setImmediate(() => end(group))
    else end(group)
  }

  function end(group: PromiseWithResolvers<void>): void {
    if (group !== open) return
    open = undefined
    try {
      beforeCommit?.()
      connection.commit()
      const flushed = onCommitted?.()
      if (flushed === undefined) group.resolve()
      else flushed.then(group.resolve, (error) => refuse(group, error))
    } catch (error) {
      if (connection.inTransaction()) connection.rollback()
      refuse(group, error)
    }
  }

  function refuse(group: PromiseWithResolvers<void>, error: unknown): void {
    if (isUnflushed(error)) onUnflushed?.(error)
    group.reject(error)
  }

  function undo(group: PromiseWithResolvers<void>, isFirst: boolean, error: unknown): void {
    const isOpen = connection.inTransaction()
    if (isOpen && !isFirst) {
      connection.rollbackToSavepoint()
      return
    }
    // When the disk is full, SQLite rolls back the whole transaction on its own.
    if (isOpen) connection.rollback()
    open = undefined
    group.reject(error)
  }

  return {
    join(work) {
      if (isWorking) throw new TypeError('a transaction is open already; use its tx')
      const isFirst = open === undefined
      open ??= begin()
      const group = open
      if (!isFirst) connection.savepoint()
      isWorking = true
      try {
        const value = work()
        connection.settle()
        if (!isFirst) connection.releaseSavepoint()
        return { value, committed: group.promise }
      } catch (error) {
        undo(group, isFirst, error)
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
