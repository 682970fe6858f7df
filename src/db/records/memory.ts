import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import type { Change } from './changes.ts'
import type { Database } from './database.ts'
import type { ReadTx } from './tx.ts'

/** Where a memory follows the changes of its collection. */
export type MemorySource = Pick<Database, 'changes' | 'upcoming' | 'withdrawn'>

/**
 * The records of a small collection that changes seldom, kept in memory. The database is right: a change of a
 * record empties the memory, and until it is committed or withdrawn each transaction reads for itself, since
 * those of its commit see it and readers do not. What a transaction reads after it has written is not kept
 * either: it may be undone.
 */
export class Memory<C extends AnyCollection> {
  readonly #collection: C
  readonly #read: (tx: ReadTx) => readonly RecordOf<C>[]
  #all: readonly RecordOf<C>[] | undefined
  readonly #versions = new Map<string, number>()
  /** Changes that are neither committed nor withdrawn. */
  readonly #open = new Set<readonly Change[]>()

  /** `read`: the records to keep, by default all. */
  constructor(
    { changes, upcoming, withdrawn }: MemorySource,
    collection: C,
    read: (tx: ReadTx) => readonly RecordOf<C>[] = (tx) => tx.list(collection),
  ) {
    this.#collection = collection
    this.#read = read
    upcoming.subscribe((seen) => {
      if (this.#forget(seen)) this.#open.add(seen)
    })
    for (const feed of [changes, withdrawn])
      feed.subscribe((seen) => {
        this.#open.delete(seen)
        this.#forget(seen)
      })
  }

  /** In the order of their creation. */
  all(tx: ReadTx): readonly RecordOf<C>[] {
    if (this.#all) return this.#all
    const read = this.#read(tx)
    if (this.mayKeep(tx)) this.#all = read
    return read
  }

  get(tx: ReadTx, id: string): RecordOf<C> | undefined {
    return this.all(tx).find((record) => record.id === id)
  }

  /** A number that grows with each change of a record. */
  version(id: string): number {
    return this.#versions.get(id) ?? 0
  }

  /** Whether what the transaction reads now is the same for all others. */
  mayKeep(tx: ReadTx): boolean {
    return this.#open.size === 0 && !tx.hasWritten()
  }

  #forget(changes: readonly Change[]): boolean {
    const own = changes.filter(({ collection }) => collection === this.#collection.name)
    for (const { id } of own) this.#versions.set(id, this.version(id) + 1)
    if (own.length > 0) this.#all = undefined
    return own.length > 0
  }
}
