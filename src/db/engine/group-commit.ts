import { type AppError, type Clock, systemClock, TimeSlice } from '../../base/index.ts'
import type { Connection } from './connection.ts'
import { isUnflushed } from './failure.ts'

/** The result of a unit of work that has run but is not yet on disk. */
interface Joined<T> {
  value: T
  /**
   * Resolves after the commit. Rejects when the commit fails, and then nothing of the whole group was
   * written, or when what the work has posted fails.
   */
  committed: Promise<void>
  /** Whether all rows of what it has posted are there; otherwise `onSent` is called later. */
  isSent: boolean
}

/**
 * Whether what a work has posted leaves with the COMMIT, one round trip less, unless another work joins its
 * group: `alone` if it is the first one; `last` behind others, too, which are then undone with it if one of
 * these statements fails: only for statements without values of clients.
 */
export type WithCommit = 'alone' | 'last'

interface JoinOptions {
  /** Called after the work. */
  withCommit?: () => WithCommit | undefined
  /** Called when the rows of what the work has posted are there, if they are not when `join` returns. */
  onSent?: () => void
}

/** Groups writes of one connection into shared commits. */
interface GroupCommit {
  /**
   * Runs `work` immediately, in the open transaction if there is one. If it throws, only this work is undone.
   */
  join<T>(work: () => T, options?: JoinOptions): Joined<T>
  /** Commits the open group. */
  flush(): void
}

/** The works of one commit, in the order in which they joined. */
interface Group {
  readonly works: PromiseWithResolvers<void>[]
}

/** A work whose posted statements wait for the COMMIT, or for the next work of its group. */
interface Kept {
  readonly group: Group
  readonly isFirst: boolean
  readonly own: PromiseWithResolvers<void>
  onSent(): void
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
  let open: Group | undefined
  let kept: Kept | undefined
  let isWorking = false

  function begin(): Group {
    connection.begin('write')
    const group: Group = { works: [] }
    slice.begin()
    setImmediate(() => endAfterOthers(group))
    return group
  }

  function endAfterOthers(group: Group): void {
    if (slice.isOver) setImmediate(() => end(group))
    else end(group)
  }

  function end(group: Group): void {
    if (group !== open) return
    open = undefined
    const last = kept
    kept = undefined
    try {
      beforeCommit?.()
      connection.commit()
      last?.onSent()
      const flushed = onCommitted?.()
      if (flushed === undefined) resolve(group)
      else
        flushed.then(
          () => resolve(group),
          (error) => refuse(group, error),
        )
    } catch (error) {
      if (connection.inTransaction()) connection.rollback()
      refuse(group, error)
    }
  }

  /** In their order, in which their changes are published. */
  function resolve({ works }: Group): void {
    for (const work of works) work.resolve()
  }

  function refuse({ works }: Group, error: unknown): void {
    if (isUnflushed(error)) onUnflushed?.(error)
    for (const work of works) work.reject(error)
  }

  function undo({ works }: Group, isFirst: boolean, error: unknown): void {
    const isOpen = connection.inTransaction()
    if (isOpen && !isFirst) {
      connection.rollbackToSavepoint()
      return
    }
    // When the disk is full, SQLite rolls back the whole transaction on its own.
    if (isOpen) connection.rollback()
    open = undefined
    for (const work of works) work.reject(error)
  }

  /** The next work sees what the last one wrote, and is not undone with it. */
  function sendKept(): void {
    if (!kept) return
    const { group, isFirst, own, onSent } = kept
    kept = undefined
    try {
      connection.settle()
    } catch (error) {
      own.reject(error)
      undo(group, isFirst, error)
      return
    }
    onSent()
  }

  function added(group: Group): PromiseWithResolvers<void> {
    const own = Promise.withResolvers<void>()
    // The caller may wait for another work of the group.
    own.promise.catch(() => undefined)
    group.works.push(own)
    return own
  }

  return {
    join(work, { withCommit = () => undefined, onSent = () => undefined } = {}) {
      if (isWorking) throw new TypeError('a transaction is open already; use its tx')
      sendKept()
      const isFirst = open === undefined
      open ??= begin()
      const group = open
      if (!isFirst) connection.savepoint()
      isWorking = true
      try {
        const value = work()
        const isKept = mayKeep(isFirst, withCommit()) && connection.hasPosted()
        if (!isKept) connection.settle()
        if (!isFirst) connection.releaseSavepoint()
        const own = added(group)
        if (isKept) kept = { group, isFirst, own, onSent }
        return { value, committed: own.promise, isSent: !isKept }
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

function mayKeep(isFirst: boolean, when: WithCommit | undefined): boolean {
  return when === 'last' || (when === 'alone' && isFirst)
}
