import { feature } from 'bun:bundle'
import { type AppError, type Clock, failpoint, type Log, toTimestamp } from '../base/index.ts'
import { quantumJobs } from './collections/quantum_jobs.ts'
import { COLLECTIONS, type CollectionName } from './collections.ts'
import type { Engine, NewEngine, OpenEngine } from './engine/engine.ts'
import type { Statement } from './engine/sql.ts'
import { checkInvariants } from './integrity/invariants.ts'
import type { Database } from './records/database.ts'
import { Transactions } from './records/transactions.ts'
import type { AnyCollection } from './schema/collection.ts'
import { INTERNAL_TABLES } from './schema/internal/index.ts'
import { isNew, keepBeforeAdditions, type Migration, migrate, recordAll } from './schema/migrate.ts'
import { type CollectionNames, createNames } from './schema/names.ts'
import { createPlans } from './schema/plan.ts'
import { isIncomplete, syncTables } from './schema/sync.ts'
import { tablesOf } from './schema/tables.ts'
import { countingTriggers } from './sums/triggers.ts'
import { createSumsWriter, prepareSums, writeSums } from './sums/write.ts'

/** Dependencies of a database on any engine. */
export interface CommonOptions {
  clock: Clock
  log: Log
  /** Called when a commit could not be flushed to disk, before its promises reject. */
  onUnflushed?: (error: AppError) => void
  /** Configured public names of collections. */
  names?: Partial<Record<CollectionName, string>>
}

/** The required form of the database; tests pass their own. */
export interface Schema {
  collections: readonly AnyCollection[]
  migrations: readonly Migration[]
}

/**
 * Opens an engine and brings its database to `schema`.
 * @throws AppError that states a remedy, with the reason `database_newer`, `migration_missing` or others, and
 *   what `openEngine` throws.
 */
export async function openDatabaseOn(
  openEngine: OpenEngine,
  options: CommonOptions,
  schema: Schema,
): Promise<Database> {
  const names = createNames(schema.collections, options.names ?? {})
  const engine = openEngine((opened) => prepareSchema(opened, schema, options))
  try {
    const database = databaseOf(options, { engine, names, schema })
    await warnOfBrokenInvariants(database, schema, options.log)
    return database
  } catch (error) {
    engine.release()
    throw error
  }
}

function prepareSchema(engine: NewEngine, schema: Schema, { clock, log }: CommonOptions): void {
  const { writer, schema: stored } = engine
  const at = toTimestamp(clock.now())
  const tables = [...INTERNAL_TABLES, ...schema.collections.flatMap(tablesOf)]
  const nextMigration = Math.max(0, ...schema.migrations.map((migration) => migration.id)) + 1
  const fresh = isNew(stored)
  const ran = fresh ? [] : migrate(engine, schema.migrations, at)
  if (ran.length > 0) log.info('database migrated', { migrations: ran.join(', ') })
  else if (!fresh && isIncomplete(stored, tables)) {
    log.info('database copied before its tables are extended', { copy: keepBeforeAdditions(stored, at) })
  }
  // One transaction: a new database has all its tables and migration records, or nothing.
  writer.transaction('write', () => {
    const isCounted = schema.collections.includes(quantumJobs)
    syncTables(stored, tables, nextMigration, isCounted ? [countingTriggers] : [])
    if (fresh) recordAll(writer, schema.migrations, at)
    if (isCounted) prepareSums(writer, clock.now())
    if (feature('FAILPOINTS')) failpoint('schema.inside')
  })
}

async function warnOfBrokenInvariants(database: Database, schema: Schema, log: Log): Promise<void> {
  if (schema.collections !== COLLECTIONS) return
  const findings = await database.read((tx) => checkInvariants(tx, { fast: true }))
  for (const { id, text, rows } of findings) {
    log.error('stored data violates an invariant, run svc doctor', { id, text, rows: JSON.stringify(rows) })
  }
}

interface Opened {
  engine: Engine
  names: CollectionNames
  schema: Schema
}

function databaseOf({ clock, log, onUnflushed }: CommonOptions, { engine, names, schema }: Opened): Database {
  const { writer, readers, files, shared } = engine
  const isCounted = schema.collections.includes(quantumJobs)
  const transactions = new Transactions(engine, {
    clock,
    log,
    tx: { collections: schema.collections, planOf: createPlans() },
    beforeCommit: isCounted ? createSumsWriter(writer, clock) : undefined,
    onUnflushed,
  })
  const { changes, upcoming, withdrawn } = transactions.feeds
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    // A database that nobody uses has complete sums, for whoever reads the file.
    if (isCounted)
      await unlessItFails('the sums over jobs are not written; the next start writes them', () =>
        transactions.write('finish sums', writeSums),
      )
    await transactions.end()
    readers.close()
    transactions.flush()
    await unlessItFails('the write-ahead log stays; the next start reads it', () => engine.log.finish())
    engine.release()
  }

  async function unlessItFails(warning: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error) => log.warn(warning, { error }))
  }

  return {
    names,
    dialect: writer.dialect,
    storage: transactions.storage,
    files,
    shared,
    changes: { subscribe: changes.subscribe },
    upcoming: { subscribe: upcoming.subscribe },
    withdrawn: { subscribe: withdrawn.subscribe },
    // Async functions, so that every failure is a rejected promise.
    write: async (intent, work, size) => transactions.write(intent, work, size),
    read: async (work) => transactions.read(work),
    async select(selection, reading) {
      transactions.assertOpen()
      return transactions.flushed(await readers.select(selection, reading))
    },
    async exportPage(page, reading) {
      transactions.assertOpen()
      return transactions.flushed(await readers.exportPage(page, reading))
    },
    async readApart<Row>(statement: Statement) {
      transactions.assertOpen()
      return transactions.flushed((await readers.rows(statement)) as Row[])
    },
    async close() {
      closing ??= close()
      return closing
    },
  }
}
