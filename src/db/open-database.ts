import { feature } from 'bun:bundle'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  AppError,
  Budget,
  type Clock,
  createPrivateFile,
  type FolderLock,
  failpoint,
  KIB,
  type Log,
  MIB,
  makeFolderPrivate,
  messageOf,
  Turns,
  toTimestamp,
} from '../base/index.ts'
import { quantumJobs } from './collections/quantum_jobs.ts'
import { COLLECTIONS, type CollectionName } from './collections.ts'
import type { Connection } from './engine/connection.ts'
import { createGroupCommit } from './engine/group-commit.ts'
import type { Statement } from './engine/sql.ts'
import { WriteOutcomes } from './engine/storage-watch.ts'
import { checkInvariants } from './integrity/invariants.ts'
import { type Change, createChangeFeed } from './records/changes.ts'
import type { Database } from './records/database.ts'
import { createReadTx, createTx, type Tx, type TxDependencies } from './records/tx.ts'
import type { AnyCollection } from './schema/collection.ts'
import { INTERNAL_TABLES } from './schema/internal/index.ts'
import { copyBeforeAdditions, isNew, type Migration, migrate, recordAll } from './schema/migrate.ts'
import { MIGRATIONS } from './schema/migrations/index.ts'
import { type CollectionNames, createNames } from './schema/names.ts'
import { createPlans } from './schema/plan.ts'
import { isIncomplete, syncTables } from './schema/sync.ts'
import { tablesOf } from './schema/tables.ts'
import { type FileConnection, openConnection } from './sqlite/connection.ts'
import { BACKUP_FOLDER, DATABASE_FILE, existingDatabase } from './sqlite/database-file.ts'
import { keepLogAtExit } from './sqlite/durability/exit-guard.ts'
import { reserveIndex } from './sqlite/durability/index-reserve.ts'
import { acceptLogLoss, assertLogWhole, type LogLoss } from './sqlite/durability/log-check.ts'
import { removeMarkOfGoneLog } from './sqlite/durability/log-mark.ts'
import { finishMoves, readReplacement } from './sqlite/durability/replacement.ts'
import { createReplication, litestream, type ReplicatorOptions } from './sqlite/durability/replication.ts'
import {
  type Checkpoints,
  disableCheckpoints,
  openWriteAheadLog,
  type WriteAheadLog,
} from './sqlite/durability/write-ahead-log.ts'
import { checkFile } from './sqlite/file-check.ts'
import { lockFolder } from './sqlite/lock.ts'
import { createReadThread } from './sqlite/read-thread.ts'
import { ReaderPool, type ReadLimits } from './sqlite/readers/reader-pool.ts'
import { prepareSums, writeSums } from './sums/write.ts'

/** Options and dependencies of `openDatabase`. */
export interface DatabaseOptions {
  /** Folder of the database; created if it is missing. */
  dir: string
  clock: Clock
  log: Log
  /** False rejects a folder without a database instead of creating one. */
  create?: boolean
  /**
   * Called when a commit could not be flushed to disk, before its promises reject. The content of the file is
   * then unknown: end the process without sending further responses; the next process reads the file again.
   */
  onUnflushed?: (error: AppError) => void
  /** Called when the check of a large file, which continues after the database is open, finds damage. */
  onDamaged?: (error: AppError) => void
  /** Configured public names of collections. */
  names?: Partial<Record<CollectionName, string>>
  /** Who copies the write-ahead log into the database; `server` if unset. */
  checkpoints?: Checkpoints
  /** The replicator that confirms what `replicated` waits for; without it, nothing is waited for. */
  replicator?: ReplicatorOptions | undefined
  /** Called with what may be lost, which is then accepted; without it such a database is refused. */
  onLogLoss?: (loss: LogLoss) => void
  /** Limits of reads whose cost depends on clients. */
  readLimits?: ReadLimits
  /** Command of a reader; the default one selects, but writes no pages of exports. */
  readerCommand?: readonly string[]
  /** A lock of `dir` that the caller has taken and releases; without it the database takes its own. */
  lock?: FolderLock
}

/** The required form of the database; tests pass their own. */
export interface Schema {
  collections: readonly AnyCollection[]
  migrations: readonly Migration[]
}

/**
 * Locks the folder, opens (or creates) the database in `dir`, checks it and brings it to `schema`.
 * @throws AppError that states a remedy, with the reason `folder_in_use`, `database_damaged`, `log_lost`,
 *   `database_newer`, `migration_missing` or others.
 */
export async function openDatabase(
  options: DatabaseOptions,
  schema: Schema = { collections: COLLECTIONS, migrations: MIGRATIONS },
): Promise<Database> {
  const names = createNames(schema.collections, options.names ?? {})
  const ownLock = options.lock === undefined ? lockDataFolder(options) : undefined
  const open: { close(): void }[] = []
  const release = () => {
    for (const each of open.toReversed()) each.close()
    ownLock?.release()
  }
  try {
    finishMoves(options.dir)
    if (options.create === false) existingDatabase(options.dir)
    const path = join(options.dir, DATABASE_FILE)
    const loss = options.onLogLoss ? acceptLogLoss(path) : undefined
    if (loss) options.onLogLoss?.(loss)
    assertLogWhole(path)
    // Entered before the connections, so that it is closed after them.
    open.push({ close: () => removeMarkOfGoneLog(path) }, { close: () => reserveIndex(path) })
    if (!existsSync(`${path}-wal`)) createPrivateFile(path)
    const writer = openConnection(path, 'write')
    open.push(writer)
    checkFile(writer, options)
    if (options.checkpoints === 'external') disableCheckpoints(writer)
    prepareSchema(writer, schema, options)
    const writeAheadLog = openWriteAheadLog(writer, options)
    open.push(writeAheadLog)
    const reader = openConnection(path, 'read')
    open.push(reader, { close: keepLogAtExit(reader) })
    const dependencies = { collections: schema.collections, planOf: createPlans() }
    const hasSums = schema.collections.includes(quantumJobs)
    const opened = { writer, reader, writeAheadLog, names, dependencies, hasSums, release }
    const database = databaseOf(options, opened)
    await warnOfBrokenInvariants(database, schema, options.log)
    return database
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Creates the data folder if it is missing, makes its files private, and locks it for this process.
 * @throws AppError `conflict` (`folder_in_use`), `internal` (`folder_unusable`).
 */
export function lockDataFolder(options: Pick<DatabaseOptions, 'dir' | 'create' | 'log'>): FolderLock {
  makeFolder(options)
  makeDataPrivate(options)
  return lockFolder(options.dir)
}

function makeFolder({ dir, create = true }: Pick<DatabaseOptions, 'dir' | 'create'>): void {
  if (!create && readReplacement(dir) === undefined) existingDatabase(dir)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('internal', `Cannot create the data folder ${dir}: ${messageOf(cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}

/** All names begin with `svc.`: the database, its log, index and mark, its earlier versions and the lock. */
function makeDataPrivate({ dir, log }: Pick<DatabaseOptions, 'dir' | 'log'>): void {
  makeFolderPrivate(dir, log, (name) => name.startsWith('svc.') || name === BACKUP_FOLDER)
  makeFolderPrivate(join(dir, BACKUP_FOLDER), log, () => true)
}

function prepareSchema(writer: FileConnection, schema: Schema, { clock, log }: DatabaseOptions): void {
  const at = toTimestamp(clock.now())
  const tables = [...INTERNAL_TABLES, ...schema.collections.flatMap(tablesOf)]
  const nextMigration = Math.max(0, ...schema.migrations.map((migration) => migration.id)) + 1
  const fresh = isNew(writer)
  const ran = fresh ? [] : migrate(writer, schema.migrations, at)
  if (ran.length > 0) log.info('database migrated', { migrations: ran.join(', ') })
  else if (!fresh && isIncomplete(writer, tables)) {
    log.info('database copied before its tables are extended', { copy: copyBeforeAdditions(writer, at) })
  }
  // One transaction: a new database has all its tables and migration records, or nothing.
  writer.transaction('write', () => {
    syncTables(writer, tables, nextMigration)
    if (fresh) recordAll(writer, schema.migrations, at)
    if (schema.collections.includes(quantumJobs)) prepareSums(writer)
    if (feature('FAILPOINTS')) failpoint('schema.inside')
  })
}

async function warnOfBrokenInvariants(database: Database, schema: Schema, log: Log): Promise<void> {
  if (schema.collections !== COLLECTIONS) return
  const findings = await database.read((tx) => checkInvariants(tx, { fast: true }))
  for (const { id, text, rows } of findings) {
    log.error('stored data violates an invariant, run svc doctor', { id, text, rows: rows.length })
  }
}

/** What waited for the disk goes on in many turns of the event loop, in each for this time. */
const RESUMED_PER_TURN_MS = 5

/** A write of more bytes waits for the ones of such a size before it. */
const SMALL_WRITE_BYTES = 64 * KIB
/** Bytes of such writes on their way to the disk at the same time, or a single larger one. */
const UNFLUSHED_BYTES = MIB

interface OpenedFile {
  writer: FileConnection
  reader: Connection
  writeAheadLog: WriteAheadLog
  names: CollectionNames
  dependencies: TxDependencies
  hasSums: boolean
  release: () => void
}

function databaseOf(
  options: DatabaseOptions,
  { writer, reader, writeAheadLog, names, dependencies, hasSums, release }: OpenedFile,
): Database {
  const { clock, log } = options
  const feed = createChangeFeed(log)
  const upcoming = createChangeFeed(log)
  const withdrawn = createChangeFeed(log)
  const storage = new WriteOutcomes(clock, log)
  const replication =
    options.replicator &&
    createReplication({ clock, log, confirm: litestream(options.replicator, resolve(writer.path)) })
  const group = createGroupCommit(writer, {
    clock,
    onCommitted() {
      replication?.committed()
      return writeAheadLog.committed()
    },
    onUnflushed: options.onUnflushed,
  })
  const readers = new ReaderPool(writer.path, clock, {
    limits: options.readLimits,
    command: options.readerCommand,
  })
  const apart = createReadThread(writer.path)
  const resumed = new Turns(clock, RESUMED_PER_TURN_MS)
  const large = new Budget({ all: UNFLUSHED_BYTES })
  let open = true
  let closing: Promise<void> | undefined

  function assertOpen(): void {
    if (!open) throw new AppError('unavailable', 'The database is closed; the service is stopping')
  }

  /** Waits until what was read is on disk: a response must not show what a power failure would remove. */
  async function flushed<T>(found: T): Promise<T> {
    if (writeAheadLog.flushing === undefined) return found
    await writeAheadLog.flushing
    await resumed.wait()
    return found
  }

  async function write<T>(intent: string, work: (tx: Tx) => T): Promise<T> {
    assertOpen()
    for (let pause = writeAheadLog.pause(); pause !== undefined; pause = writeAheadLog.pause()) {
      await pause
      await resumed.wait()
      assertOpen()
    }
    if (feature('FAILPOINTS')) failpoint(`${intent}.before`)
    const changes: Change[] = []
    const { tx, end, hasWritten } = createTx(writer, dependencies, clock.now(), changes)
    try {
      const { value, committed } = group.join(() => {
        const result = finished(intent, () => work(tx), end)
        if (feature('FAILPOINTS')) failpoint(`${intent}.inside`)
        return result
      })
      const published = committed.then(() => {
        if (feature('FAILPOINTS')) failpoint(`${intent}.after`)
        if (hasWritten()) storage.succeeded()
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
    if (hasSums) await finishSums()
    // Those that wait for it have been accepted.
    await writeAheadLog.pause()
    open = false
    replication?.close()
    readers.close()
    apart.close()
    group.flush()
    await finishLog()
    release()
  }

  /** A database that nobody uses has complete sums, for whoever reads the file. */
  async function finishSums(): Promise<void> {
    try {
      await write('finish sums', writeSums)
    } catch (error) {
      log.warn('the sums over jobs are not written; the next start adds them up', { error })
    }
  }

  async function finishLog(): Promise<void> {
    try {
      await writeAheadLog.finish()
    } catch (error) {
      log.warn('the write-ahead log stays; the next start reads it', { error })
    }
  }

  return {
    names,
    storage,
    changes: { subscribe: feed.subscribe },
    upcoming: { subscribe: upcoming.subscribe },
    withdrawn: { subscribe: withdrawn.subscribe },
    // Async functions, so that every failure is a rejected promise.
    async write(intent, work, { bytes, account } = { bytes: 0 }) {
      if (bytes <= SMALL_WRITE_BYTES) return write(intent, work)
      return large.run(() => write(intent, work), account, bytes)
    },
    async read(work) {
      assertOpen()
      const { tx, end } = createReadTx(reader, dependencies, clock.now())
      return flushed(reader.transaction('read', () => finished('read', () => work(tx), end)))
    },
    async select(selection, reading) {
      assertOpen()
      return flushed(await readers.read(selection, reading))
    },
    async exportPage(page, reading) {
      assertOpen()
      return flushed(await readers.export(page, reading))
    },
    async readApart<Row>({ sql, params }: Statement) {
      assertOpen()
      return flushed((await apart.all(sql, params)) as Row[])
    },
    async trimLog() {
      assertOpen()
      return writeAheadLog.trim()
    },
    logSpanMs: () => writeAheadLog.spanMs,
    replicated: () => replication?.reached(),
    get replicationFailure() {
      return replication?.failure
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
