import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type AppError, type Clock, createPrivateFile, type FolderLock, type Log } from '../../base/index.ts'
import type { CommitLog, DatabaseFiles, Engine, NewEngine } from '../engine/engine.ts'
import type { ReadLimits } from '../engine/reading.ts'
import { ReaderPool } from '../readers/reader-pool.ts'
import { readBackupTime } from './backup/last-backup.ts'
import { type FileConnection, openConnection } from './connection.ts'
import { lockDataFolder } from './data-folder.ts'
import { DATABASE_FILE, existingDatabase } from './database-file.ts'
import { keepLogAtExit } from './durability/exit-guard.ts'
import { reserveIndex } from './durability/index-reserve.ts'
import { acceptLogLoss, assertLogWhole, type LogLoss } from './durability/log-check.ts'
import { removeMarkOfGoneLog } from './durability/log-mark.ts'
import { finishMoves } from './durability/replacement.ts'
import {
  createReplication,
  litestream,
  type Replication,
  type ReplicatorOptions,
} from './durability/replication.ts'
import {
  type Checkpoints,
  disableCheckpoints,
  openWriteAheadLog,
  type WriteAheadLog,
} from './durability/write-ahead-log.ts'
import { checkFile } from './file-check.ts'
import { readFileSizes } from './file-sizes.ts'
import { createReadThread } from './readers/read-thread.ts'
import { ReplicatorBacklog } from './replicator-backlog.ts'
import { storedSchemaOf } from './stored-schema.ts'

/** How a database in a folder is opened. */
export interface FileOptions {
  /** Folder of the database; created if it is missing. */
  dir: string
  clock: Clock
  log: Log
  /** False rejects a folder without a database instead of creating one. */
  create?: boolean
  /**
   * Called when a commit or checkpoint could not be flushed to disk, before promises reject. The content of
   * the file is then unknown: end the process without sending further responses; the next process reads the
   * file again.
   */
  onUnflushed?: (error: AppError) => void
  /** Called when the check of a large file, which continues after the database is open, finds damage. */
  onDamaged?: (error: AppError) => void
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

/**
 * Locks the folder, opens (or creates) the database in it, checks it, and has `prepare` bring it to its
 * declared form.
 * @throws AppError that states a remedy, with the reason `folder_in_use`, `database_damaged`, `log_lost` or
 *   others, and what `prepare` throws.
 */
export function openEngine(options: FileOptions, prepare: (engine: NewEngine) => void): Engine {
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
    const schema = storedSchemaOf(writer)
    prepare({ writer, schema })
    const writeAheadLog = openWriteAheadLog(writer, options)
    open.push(writeAheadLog)
    const reader = openConnection(path, 'read')
    open.push(reader, { close: keepLogAtExit(reader) })
    const replication = createFileReplication(path, options)
    return {
      writer,
      reader,
      readers: openReaders(path, options),
      schema,
      enter: () => undefined,
      log: commitLogOf(writeAheadLog, replication),
      files: filesOf(reader, writeAheadLog, replication),
      shared: undefined,
      release,
    }
  } catch (error) {
    release()
    throw error
  }
}

function openReaders(path: string, { clock, readLimits, readerCommand }: FileOptions): Engine['readers'] {
  const pool = new ReaderPool({ file: path }, clock, { limits: readLimits, command: readerCommand })
  const thread = createReadThread(path)
  return {
    select: (selection, reading) => pool.read(selection, reading),
    exportPage: (page, reading) => pool.export(page, reading),
    rows: ({ sql, params }) => thread.all(sql, params),
    close() {
      pool.close()
      thread.close()
    },
  }
}

function createFileReplication(
  path: string,
  { clock, log, replicator }: FileOptions,
): Replication | undefined {
  return replicator && createReplication({ clock, log, confirm: litestream(replicator, resolve(path)) })
}

function commitLogOf(log: WriteAheadLog, replication: Replication | undefined): CommitLog {
  return {
    committed() {
      replication?.committed()
      return log.committed()
    },
    get flushing() {
      return log.flushing
    },
    pause: log.pause,
    async finish() {
      replication?.close()
      await log.finish()
    },
  }
}

function filesOf(
  reader: FileConnection,
  log: WriteAheadLog,
  replication: Replication | undefined,
): DatabaseFiles {
  const backlog = new ReplicatorBacklog(dirname(reader.path))
  return {
    trimLog: log.trim,
    get logSpanMs() {
      return log.spanMs
    },
    sizes: () => readFileSizes(reader),
    lastBackupAt: () => readBackupTime(dirname(reader.path)),
    createdAt: () => statSync(reader.path).birthtimeMs,
    replicated: () => replication?.reached(),
    get replicationFailure() {
      return replication?.failure
    },
    replicatorBacklogMs: () => backlog.spanMs(),
  }
}
