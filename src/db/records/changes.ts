import type { Log } from '../../base/index.ts'

/** One committed change of a record. */
export interface Change {
  /** Table name of the collection. */
  collection: string
  id: string
  action: 'create' | 'update' | 'delete'
  /** Grows with every change of any record. */
  seq: number
  /** The record after the change; before it for a delete. */
  record?: unknown
}

/** Receives the changes of one transaction, in order, after its commit. */
export type ChangeListener = (changes: readonly Change[]) => void

/** Tells about committed changes, one call per transaction. */
export interface ChangeFeed {
  /** Calls `listener` from now on; the returned function ends that. */
  subscribe(listener: ChangeListener): () => void
}

/** A feed and the function that feeds it. A listener that throws is logged; it never harms the write. */
export function createChangeFeed(log: Log): ChangeFeed & { publish(changes: readonly Change[]): void } {
  const listeners = new Set<ChangeListener>()
  const queue: (readonly Change[])[] = []
  let publishing = false

  function tell(changes: readonly Change[]): void {
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
      // A function may subscribe twice; each subscription ends by itself.
      const own: ChangeListener = (changes) => listener(changes)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    // A listener that writes makes new changes: they wait until everybody has heard of these.
    publish(changes) {
      if (changes.length === 0) return
      queue.push(changes)
      if (publishing) return
      publishing = true
      for (let next = queue.shift(); next; next = queue.shift()) tell(next)
      publishing = false
    },
  }
}
