import { feature } from 'bun:bundle'
import { AppError, failpoint, sha256 } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import type { NewEngine } from '../engine/engine.ts'
import { quoted } from '../engine/sql.ts'
import { columnName, type StoredSchema } from '../engine/stored-schema.ts'

/**
 * A change of stored data, or of the schema where `syncTables` may not change it. Never edit a released
 * migration.
 */
export interface Migration {
  /** 1, 2, 3 …, the number in its file name. */
  id: number
  /** The words in its file name. */
  name: string
  /** Single SQL statements, and columns to add, change or drop; in one transaction with foreign keys off. */
  statements: readonly (string | StatementOf | AddedColumn | ChangedColumn | DroppedColumn)[]
  /** What stored rows must meet before this or any other pending migration may run. */
  rules?: readonly RowRule[]
}

/** A statement about the rows of a table, which runs unless the database is older than the table. */
interface StatementOf {
  table: string
  statement: string
}

/** A column that is added with its default unless an earlier version has added it; `column` as declared. */
interface AddedColumn {
  table: string
  column: string
}

/** A stored column that gets the text `changed` and keeps its values; an absent one is added later. */
interface ChangedColumn {
  table: string
  changed: string
}

/** A stored column that is no longer declared, if it is there; of indexes only its own key has it. */
interface DroppedColumn {
  table: string
  dropped: string
}

/** A rule for the rows of a table; its SQL reads the oldest schema from which this migration is reached. */
interface RowRule {
  table: string
  /** What is true of each row, as a sentence without a full stop. */
  text: string
  /** A condition that selects the rows that break the rule. */
  broken: string
  /** Columns that the message shows beside the id. */
  shown: readonly string[]
}

/** The hash that a database stores of each migration it ran: SHA-256 in hex over the statements. */
export function hashOf(migration: Migration): string {
  return sha256(JSON.stringify(migration.statements))
}

/** Whether the database has no tables yet. */
export function isNew(schema: StoredSchema): boolean {
  return schema.tables().every(({ name }) => name !== 'migrations')
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
 * Runs the migrations that this database has not run yet, each in its own transaction, after keeping the
 * database as it is as `before-NNNN`. Returns the names of the migrations that ran.
 * @throws AppError `internal`: `database_newer` (written by a newer version), `migration_changed`,
 *   `migration_failed`.
 */
export function migrate(engine: NewEngine, migrations: readonly Migration[], at: string): string[] {
  const { writer, schema } = engine
  const applied = writer.all<AppliedMigration>('SELECT id, name, hash FROM migrations ORDER BY id')
  for (const row of applied) refuseForeign(row, migrations, schema.findKept(endingOf(row.id)))
  const pending = migrations
    .filter((migration) => !applied.some((row) => row.id === migration.id))
    .sort((one, other) => one.id - other.id)
  const [first] = pending
  if (!first) return []
  for (const migration of pending) refuseBrokenRows(writer, migration)
  schema.keepBefore(endingOf(first.id))
  if (feature('FAILPOINTS')) failpoint('migration.copied')
  schema.rebuild(() => {
    for (const migration of pending) apply(engine, migration, at)
  })
  return pending.map((migration) => migration.name)
}

/** Rows that a message names of each rule. */
const MAX_EXAMPLES = 20

function refuseBrokenRows(connection: Connection, { id, name, rules = [] }: Migration): void {
  const problems = rules.flatMap(({ table, text, broken, shown }) => {
    const rows = connection.all<Record<string, unknown>>(
      `SELECT id, ${shown.join(', ')}, count(*) OVER () AS total FROM ${quoted(table)} WHERE ${broken} LIMIT ${MAX_EXAMPLES}`,
    )
    const [first] = rows
    if (!first) return []
    const examples = rows.map((row) => {
      return `${row['id']} (${shown.map((column) => `${column} ${JSON.stringify(row[column])}`).join(', ')})`
    })
    const more = Number(first['total']) - rows.length
    return [`${text}, but not in ${table}: ${examples.join('; ')}${more > 0 ? `; and ${more} more` : ''}`]
  })
  if (problems.length === 0) return
  throw new AppError(
    'internal',
    `Migration ${id} ${name} found rows that break a rule, and nothing was changed. ${problems.join('. ')}. Start the version before, correct or delete these rows, and upgrade again: docs/how-to/upgrade.md`,
    { reason: 'migration_failed' },
  )
}

function endingOf(migration: number): string {
  return String(migration).padStart(4, '0')
}

interface AppliedMigration {
  id: number
  name: string
  hash: string
}

/** `copy` is where an upgrade from this version has left the database. */
function refuseForeign(row: AppliedMigration, known: readonly Migration[], copy: string | undefined): void {
  const migration = known.find((each) => each.id === row.id)
  if (!migration) {
    const hint = copy === undefined ? '' : `: svc restore ${copy}`
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

function apply({ writer, schema }: NewEngine, migration: Migration, at: string): void {
  writer.transaction('write', () => {
    for (const step of migration.statements) applyStep(writer, schema, step)
    const broken = schema.brokenReferences()
    if (broken.length > 0) {
      const tables = [...new Set(broken.map((row) => `${row.table} → ${row.parent}`))].join(', ')
      throw new AppError(
        'internal',
        `Migration ${migration.id} ${migration.name} would leave ${broken.length} broken reference(s): ${tables}; nothing was changed`,
        { reason: 'migration_failed' },
      )
    }
    recordMigration(writer, migration, at)
    if (feature('FAILPOINTS')) failpoint('migration.inside')
  })
  if (feature('FAILPOINTS')) failpoint('migration.after')
}

function applyStep(writer: Connection, schema: StoredSchema, step: Migration['statements'][number]): void {
  if (typeof step === 'string') writer.run(step)
  else if ('column' in step) addColumn(schema, step)
  else if ('dropped' in step) dropColumn(schema, step)
  else if ('changed' in step) changeColumn(schema, step)
  else if (schema.tables().some(({ name }) => name === step.table)) writer.run(step.statement)
}

function addColumn(schema: StoredSchema, { table, column }: AddedColumn): void {
  if (definitionOf(schema, table, columnName(column)) === undefined) schema.addColumn(table, column)
}

function dropColumn(schema: StoredSchema, { table, dropped }: DroppedColumn): void {
  if (definitionOf(schema, table, dropped) !== undefined) schema.dropColumn(table, dropped)
}

function changeColumn(schema: StoredSchema, { table, changed }: ChangedColumn): void {
  const before = definitionOf(schema, table, columnName(changed))
  if (before !== undefined && before !== changed) schema.changeColumn(table, changed)
}

/** What is stored of a column; undefined without it. */
function definitionOf(schema: StoredSchema, table: string, column: string | undefined): string | undefined {
  const stored = schema.tables().find(({ name }) => name === table)
  return stored?.definitions.find((each) => columnName(each) === column)
}

/**
 * Keeps the database before tables or columns are added without a migration, so that an older version can be
 * restored. `at` is the time as in records. Returns where it is.
 */
export function keepBeforeAdditions(schema: StoredSchema, at: string): string {
  return schema.keepBefore(at.replace(' ', 'T').replace(/[-:]/g, ''))
}
