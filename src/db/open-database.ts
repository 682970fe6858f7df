import { feature } from 'bun:bundle'
import {
  AppError,
  assertAwaited,
  Budget,
  type Clock,
  failpoint,
  KIB,
  type Log,
  MIB,
  mustEnd,
  Turns,
  toTimestamp,
} from '../base/index.ts'
import { quantumJobs } from './collections/quantum_jobs.ts'
import { COLLECTIONS, type CollectionName } from './collections.ts'
import type { Engine, NewEngine, OpenEngine } from './engine/engine.ts'
import { createGroupCommit } from './engine/group-commit.ts'
import type { Statement } from './engine/sql.ts'
import { WriteOutcomes } from './engine/storage-watch.ts'
import { checkInvariants } from './integrity/invariants.ts'
import { type Change, createChangeFeed } from './records/changes.ts'
import type { Database } from './records/database.ts'
import { createReadTx, createTx, type Tx } from './records/tx.ts'
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

/** What waited for the disk goes on in many turns of the event loop, in each for this time. */
const RESUMED_PER_TURN_MS = 5

/** A write of more bytes waits for the ones of such a size before it. */
const SMALL_WRITE_BYTES = 64 * KIB
/** Bytes of such writes on their way to the disk at the same time, or a single larger one. */
const UNFLUSHED_BYTES = MIB

interface Opened {
  engine: Engine
  names: CollectionNames
  schema: Schema
}

function databaseOf({ clock, log, onUnflushed }: CommonOptions, { engine, names, schema }: Opened): Database {
  const { writer, reader, readers, files, shared, log: commits } = engine
  const dependencies = { collections: schema.collections, planOf: createPlans() }
  const feed = createChangeFeed(log)
  const upcoming = createChangeFeed(log)
  const withdrawn = createChangeFeed(log)
  const storage = new WriteOutcomes(clock, log)
  const isCounted = schema.collections.includes(quantumJobs)
  const group = createGroupCommit(writer, {
    clock,
    ...(isCounted && { beforeCommit: createSumsWriter(writer, clock) }),
    onCommitted: commits.committed,
    onUnflushed,
  })
  const resumed = new Turns(clock, RESUMED_PER_TURN_MS)
  const large = new Budget({ all: UNFLUSHED_BYTES })
  let open = true
  let closing: Promise<void> | undefined

  function assertOpen(): void {
    if (!open) throw new AppError('unavailable', 'The database is closed; the service is stopping')
  }

  /** Waits until what was read is on disk: a response must not show what a power failure would remove. */
  async function flushed<T>(found: T): Promise<T> {
    if (commits.flushing === undefined) return found
    await commits.flushing
    await resumed.wait()
    return found
  }

  /** Waits for small writes that met a large one: their responses leave before the next large one begins. */
  async function othersFlushed(): Promise<void> {
    await commits.flushing?.catch(() => undefined)
    await resumed.wait()
  }

  async function write<T>(intent: string, work: (tx: Tx) => T): Promise<T> {
    assertOpen()
    for (let pause = commits.pause(); pause !== undefined; pause = commits.pause()) {
      await pause
      await resumed.wait()
      assertOpen()
    }
    const turn = engine.enter()
    if (turn !== undefined) await turn.then(assertAwaited)
    assertOpen()
    mustEnd()
    if (feature('FAILPOINTS')) failpoint(`${intent}.before`)
    const changes: Change[] = []
    const { tx, end, complete } = createTx(writer, dependencies, clock.now(), changes)
    try {
      const { value, committed } = group.join(() => {
        const completed = () => {
          const result = work(tx)
          complete()
          return result
        }
        const result = finished(intent, completed, end)
        if (feature('FAILPOINTS')) failpoint(`${intent}.inside`)
        return result
      })
      const published = committed.then(() => {
        if (feature('FAILPOINTS')) failpoint(`${intent}.after`)
        if (tx.hasWritten()) storage.succeeded()
        feed.publish(changes)
      })
      committed.catch(() => withdrawn.publish(changes))
      // Published last, so that the writes of a listener are published after this one.
      upcoming.publish(changes)
      await published
      return value
    } catch (error) {
      storage.failed(error)
      throw error
    }
  }

  async function close(): Promise<void> {
    if (isCounted) await finishSums()
    // Those that wait for it have been accepted.
    await commits.pause()
    open = false
    readers.close()
    group.flush()
    await finishLog()
    engine.release()
  }

  /** A database that nobody uses has complete sums, for whoever reads the file. */
  async function finishSums(): Promise<void> {
    try {
      await write('finish sums', writeSums)
    } catch (error) {
      log.warn('the sums over jobs are not written; the next start writes them', { error })
    }
  }

  async function finishLog(): Promise<void> {
    try {
      await commits.finish()
    } catch (error) {
      log.warn('the write-ahead log stays; the next start reads it', { error })
    }
  }

  return {
    names,
    dialect: writer.dialect,
    storage,
    files,
    shared,
    changes: { subscribe: feed.subscribe },
    upcoming: { subscribe: upcoming.subscribe },
    withdrawn: { subscribe: withdrawn.subscribe },
    // Async functions, so that every failure is a rejected promise.
    async write(intent, work, { bytes, account = '' } = { bytes: 0 }) {
      if (bytes <= SMALL_WRITE_BYTES) return write(intent, work)
      const release = large.takeFree(account, bytes) ?? (await large.wait(account, bytes))
      return write(intent, work).finally(() => void othersFlushed().finally(release))
    },
    async read(work) {
      const turn = engine.enter()
      if (turn !== undefined) await turn.then(assertAwaited)
      assertOpen()
      const { tx, end } = createReadTx(reader, dependencies, clock.now())
      return flushed(reader.transaction('read', () => finished('read', () => work(tx), end)))
    },
    async select(selection, reading) {
      assertOpen()
      return flushed(await readers.select(selection, reading))
    },
    async exportPage(page, reading) {
      assertOpen()
      return flushed(await readers.exportPage(page, reading))
    },
    async readApart<Row>(statement: Statement) {
      assertOpen()
      return flushed((await readers.rows(statement)) as Row[])
    },
    async close() {
      closing ??= close()
      return closing
    },
  }
}

/**
 * Returns the result of `work` and ends its transaction handle. A promise is rejected, since its continuation
 * would run outside the transaction.
 */
function finished<T>(intent: string, work: () => T, end: () => void): T {
  try {
    const value = work()
    if (!(value instanceof Promise)) return value
    value.catch(() => undefined)
    throw new TypeError(`the work of "${intent}" must not be async`)
  } finally {
    end()
  }
}
