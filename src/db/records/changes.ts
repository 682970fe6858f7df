import type { Log } from '../../base/index.ts'

/** One committed change of a record. */
export interface Change {
  /** Table name of the collection. */
  collection: string
  id: string
  action: 'create' | 'update' | 'delete'
  /** Number of the row of a created record. */
  seq?: number | undefined
  /** The record after the change; for a delete, the record before it. */
  record?: unknown
}

/** Called after the commit with all changes of one transaction, in order. */
type ChangeListener = (changes: readonly Change[]) => void

/** Publishes committed changes, one call per transaction. */
export interface ChangeFeed {
  /** Calls `listener` for later changes; the returned function unsubscribes. */
  subscribe(listener: ChangeListener): () => void
}

/**
 * A feed and the function that publishes to it. An exception of a listener is logged and does not affect the
 * write.
 */
export function createChangeFeed(log: Log): ChangeFeed & { publish(changes: readonly Change[]): void } {
  const listeners = new Set<ChangeListener>()
  const queue: (readonly Change[])[] = []
  let publishing = false

  function deliver(changes: readonly Change[]): void {
    for (const listener of [...listeners]) {
      try {
        listener(changes)
      } catch (error) {
        log.error('change listener failed', { error, collection: changes[0]?.collection })
      }
    }
  }

  return {
    subscribe(listener) {
      // The same function may subscribe twice; each subscription ends separately.
      const own: ChangeListener = (changes) => listener(changes)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    // Changes made by a listener wait until all listeners have received the current ones.
    publish(changes) {
      if (changes.length === 0) return
      queue.push(changes)
      if (publishing) return
      publishing = true
      for (let next = queue.shift(); next; next = queue.shift()) deliver(next)
      publishing = false
    },
  }
}
