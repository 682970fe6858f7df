import { AppError } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import { columnName, type StoredTable, type Table } from '../engine/stored-schema.ts'
import { type DatabasePlace, openForReading } from '../read-database.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { type AnyRecord, createPlans } from '../schema/plan.ts'
import { tablesOf } from '../schema/tables.ts'
import { readPage } from './pages.ts'

/** A snapshot of the database, read without affecting a server that uses it. */
export interface Snapshot {
  /** Every record in insertion order, with one page in memory at a time. */
  records(collection: AnyCollection): Generator<AnyRecord, void, undefined>
  close(): void
}

/**
 * Opens a database read-only.
 * @throws AppError as `openForReading` does; `conflict` (`database_other_version`) when its tables differ
 *   from those of this version.
 */
export function openSnapshot(place: DatabasePlace): Snapshot {
  const { connection, tables } = openForReading(place)
  const planOf = createPlans()
  try {
    // The first read fixes the snapshot of all later ones.
    connection.begin('read')
    const stored = tables()
    assertHasTables(stored, COLLECTIONS.flatMap(tablesOf))
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    *records(collection) {
      for (let after = 0; ; ) {
        const page = readPage(connection, collection, planOf(collection), after)
        if (page.last === undefined) return
        yield* page.records
        after = page.last
      }
    },
    close() {
      connection.commit()
      connection.close()
    },
  }
}

/** @throws AppError `conflict` (`database_other_version`) when one of `tables` lacks a column. */
export function assertHasTables(existing: readonly StoredTable[], tables: readonly Table[]): void {
  for (const table of tables) {
    const stored = existing.find(({ name }) => name === table.name)?.definitions ?? []
    const missing = table.columns.find(({ name }) => !stored.some((each) => columnName(each) === name))
    if (!missing) continue
    throw new AppError(
      'conflict',
      `The database has no ${table.name}.${missing.name}: another version wrote it; use that version, or start svc serve of this one on it first`,
      { reason: 'database_other_version' },
    )
  }
}
