import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type Clock, type Log } from '../base/index.ts'
import { type Change, type ChangeFeed, createChangeFeed } from './changes.ts'
import type { AnyCollection } from './collection.ts'
import { COLLECTIONS, type CollectionName } from './collections/index.ts'
import { type Connection, openConnection } from './connection.ts'
import { type CollectionNames, createNames } from './names.ts'
import { createPlans } from './plan.ts'
import { syncTables } from './sync.ts'
import { INTERNAL_TABLES, tableOf } from './tables.ts'
import { createReadTx, createTx, type ReadTx, type Tx, type TxParts } from './tx.ts'

export type { ReadTx, Tx } from './tx.ts'

/** The store of everything: one SQLite file, one writing process. */
export interface Database {
  /**
   * Runs one intent as one IMMEDIATE transaction; any throw undoes it whole. `work` is synchronous.
   * Changes are published after the commit, before the promise resolves.
   * @throws AppError `storage_full` when the disk refuses; nothing was written then.
   */
  write<T>(intent: string, work: (tx: Tx) => T): Promise<T>
  /** Runs `work` on a consistent snapshot of what is committed. */
  read<T>(work: (tx: ReadTx) => T): Promise<T>
  readonly changes: ChangeFeed
  readonly names: CollectionNames
  /** Closes the file and gives the folder free; safe to call twice. */
  close(): Promise<void>
}

/** What `openDatabase` needs. */
export interface DatabaseOptions {
  /** Folder of the database; created when missing. */
  dir: string
  clock: Clock
  log: Log
  /** Configured public names of collections. */
  names?: Partial<Record<CollectionName, string>>
}

/**
 * Opens (or creates) the database in `dir` and makes it fit the declarations.
 * @throws AppError with the remedy in its message.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const collections: readonly AnyCollection[] = COLLECTIONS
  const names = createNames(collections, options.names ?? {})
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const path = join(options.dir, 'svc.db')
  const writer = openConnection(path, 'write')
  const tables = [...INTERNAL_TABLES, ...collections.map(tableOf)]
  writer.transaction('IMMEDIATE', () => syncTables(writer, tables, 1))
  const reader = openConnection(path, 'read')
  return databaseOf(options, { writer, reader, names, parts: { collections, planOf: createPlans() } })
}

interface OpenParts {
  writer: Connection
  reader: Connection
  names: CollectionNames
  parts: TxParts
}

function databaseOf({ clock, log }: DatabaseOptions, { writer, reader, names, parts }: OpenParts): Database {
  const feed = createChangeFeed(log)
  let open = true

  function mustBeOpen(): void {
    if (!open) throw new AppError('unavailable', 'The database is closed; the service is stopping')
  }

  return {
    names,
    changes: { subscribe: feed.subscribe },
    // Async functions, so that every failure is a rejection.
    async write(intent, work) {
      mustBeOpen()
      const changes: Change[] = []
      const result = writer.transaction('IMMEDIATE', () => {
        const value = work(createTx(writer, parts, clock.now(), changes))
        if (value instanceof Promise) throw new TypeError(`the work of "${intent}" must not be async`)
        pruneChangeLog(writer, changes.at(-1)?.seq)
        return value
      })
      feed.publish(changes)
      return result
    },
    async read(work) {
      mustBeOpen()
      return reader.transaction('DEFERRED', () => work(createReadTx(reader, parts, clock.now())))
    },
    async close() {
      if (!open) return
      open = false
      reader.close()
      writer.close()
    },
  }
}

const CHANGES_KEPT = 100_000
const PRUNE_EVERY = 500

/** Now and then drops the oldest changes, at most a few more than were added since. */
function pruneChangeLog(writer: Connection, newest: number | undefined): void {
  if (newest === undefined || newest % PRUNE_EVERY !== 0) return
  writer.run('DELETE FROM change_log WHERE seq <= $last', { last: newest - CHANGES_KEPT })
}
