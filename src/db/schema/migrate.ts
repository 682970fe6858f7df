import { feature } from 'bun:bundle'
import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, createPrivateFile, failpoint } from '../../base/index.ts'
import type { Connection } from '../sqlite/connection.ts'
import { flush } from '../sqlite/flush.ts'

/**
 * A change of stored data, or of the schema where `syncTables` may not change it. Never edit a released
 * migration.
 */
export interface Migration {
  /** 1, 2, 3 …, the number in its file name. */
  id: number
  /** The words in its file name. */
  name: string
  /** Single SQL statements that run in order, in one transaction with foreign keys off. */
  statements: readonly string[]
}

/** The hash that a database stores of each migration it ran: SHA-256 in hex over the statements. */
export function hashOf(migration: Migration): string {
  return createHash('sha256').update(JSON.stringify(migration.statements)).digest('hex')
}

/** Whether the database has no tables yet. */
export function isNew(connection: Connection): boolean {
  return connection.one("SELECT 1 FROM sqlite_master WHERE name = 'migrations'") === undefined
}

/**
 * Records all migrations as applied: a new database is created with the declared tables and needs none of
 * them.
 */
export function recordAll(connection: Connection, migrations: readonly Migration[], at: string): void {
  for (const migration of migrations) recordMigration(connection, migration, at)
}

function recordMigration(connection: Connection, migration: Migration, at: string): void {
  connection.run('INSERT INTO migrations (id, name, hash, at) VALUES ($id, $name, $hash, $at)', {
    id: migration.id,
    name: migration.name,
    hash: hashOf(migration),
    at,
  })
}

/**
 * Runs the migrations that this database has not run yet, each in its own transaction, after copying the
 * database to `<path>.before-NNNN`. Returns the names of the migrations that ran.
 * @throws AppError `internal`: `database_newer` (written by a newer version), `migration_changed`,
 *   `migration_failed`.
 */
export function migrate(connection: Connection, migrations: readonly Migration[], at: string): string[] {
  const applied = connection.all<AppliedMigration>('SELECT id, name, hash FROM migrations ORDER BY id')
  for (const row of applied) refuseForeign(row, migrations, copyBefore(connection, row.id))
  const pending = migrations
    .filter((migration) => !applied.some((row) => row.id === migration.id))
    .sort((one, other) => one.id - other.id)
  const [first] = pending
  if (!first) return []
  copyDatabase(connection, copyBefore(connection, first.id))
  if (feature('FAILPOINTS')) failpoint('migration.copied')
  // SQLite ignores this pragma inside a transaction; rebuilding a table needs it off.
  connection.run('PRAGMA foreign_keys = OFF')
  try {
    for (const migration of pending) apply(connection, migration, at)
  } finally {
    connection.run('PRAGMA foreign_keys = ON')
  }
  return pending.map((migration) => migration.name)
}

function copyBefore({ path }: Connection, migration: number): string {
  return `${path}.before-${String(migration).padStart(4, '0')}`
}

interface AppliedMigration {
  id: number
  name: string
  hash: string
}

/** `copy` is where an upgrade from this version has left the database. */
function refuseForeign(row: AppliedMigration, known: readonly Migration[], copy: string): void {
  const migration = known.find((each) => each.id === row.id)
  if (!migration) {
    const hint = existsSync(copy) ? `: svc restore ${copy}` : ''
    throw new AppError(
      'internal',
      `The database was written by a newer version (migration ${row.id} ${row.name}); start that version or restore the copy made before it${hint}`,
      { reason: 'database_newer' },
    )
  }
  if (hashOf(migration) !== row.hash) {
    throw new AppError(
      'internal',
      `Migration ${row.id} ${row.name} differs from the one that ran on this database; restore its text and put the change into a new migration`,
      { reason: 'migration_changed' },
    )
  }
}

function apply(connection: Connection, migration: Migration, at: string): void {
  connection.transaction('IMMEDIATE', () => {
    for (const statement of migration.statements) connection.run(statement)
    const broken = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check')
    if (broken.length > 0) {
      const tables = [...new Set(broken.map((row) => `${row.table} → ${row.parent}`))].join(', ')
      throw new AppError(
        'internal',
        `Migration ${migration.id} ${migration.name} would leave ${broken.length} broken reference(s): ${tables}; nothing was changed`,
        { reason: 'migration_failed' },
      )
    }
    recordMigration(connection, migration, at)
    if (feature('FAILPOINTS')) failpoint('migration.inside')
  })
  if (feature('FAILPOINTS')) failpoint('migration.after')
}

/**
 * Copies the database before tables or columns are added without a migration, so that an older version can
 * be restored. `at` is the time as in records. Returns the path of the copy.
 */
export function copyBeforeAdditions(connection: Connection, at: string): string {
  const target = `${connection.path}.before-${at.replace(' ', 'T').replace(/[-:]/g, '')}`
  copyDatabase(connection, target)
  return target
}

/** Writes a complete copy of the database; a file with the final name is never partial. */
function copyDatabase(connection: Connection, target: string): void {
  const partial = `${target}.tmp`
  rmSync(partial, { force: true })
  // SQLite writes into the empty file, so that its mode is right from the first byte.
  createPrivateFile(partial)
  connection.run('VACUUM INTO $partial', { partial })
  flush(partial)
  renameSync(partial, target)
  flush(dirname(target))
}
