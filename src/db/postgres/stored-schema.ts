import { AppError } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { literal, quoted } from '../engine/sql.ts'
import { columnName, type StoredSchema, type StoredTable } from '../engine/stored-schema.ts'
import type { Declared } from '../engine/table.ts'
import { type AddedReference, columnDefinition, createTable } from './sql/create-table.ts'
import { POSTGRES, TRIGGER_FUNCTION } from './sql/dialect.ts'

/**
 * The declarations in the database, as they were written: the server stores tables and indexes in a form of
 * its own. A table has one row for each column and constraint.
 */
export const OBJECTS = `CREATE TABLE IF NOT EXISTS schema_objects (kind text NOT NULL, name text NOT NULL,
  part bigint NOT NULL, sql text NOT NULL, PRIMARY KEY (kind, name, part))`

const FORGET = 'DELETE FROM schema_objects WHERE kind = $kind AND name = $name'

interface StoredPart extends Declared {
  part: number
}

/** The tables of the database. */
export const TABLES =
  'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename'

/** One of the `tables` of a database if another program has created them. */
export function foreignTable(tables: readonly string[]): string | undefined {
  return tables.includes('schema_objects') ? undefined : tables[0]
}

/** The error of a database with such a table. */
export function foreignError(table: string): AppError {
  return new AppError(
    'conflict',
    `The database has tables of another program, such as ${table}; create one for svc alone: docs/how-to/postgresql.md`,
    { reason: 'database_foreign' },
  )
}

/**
 * Prepares a database for `storedSchemaOf`; call it inside a transaction.
 * @throws AppError `conflict` (`database_foreign`) for one with tables of another program.
 */
export function prepareObjects(connection: Connection): void {
  const tables = connection.all<{ name: string }>(TABLES)
  const foreign = foreignTable(tables.map(({ name }) => name))
  if (foreign !== undefined) throw foreignError(foreign)
  connection.run(OBJECTS)
}

/** @throws AppError `not_found` (`no_database`) for a database that svc has not used yet. */
export function assertInUse(connection: Connection): void {
  const found = connection.one<{ name: string | null }>(
    `SELECT CAST(to_regclass('schema_objects') AS text) AS name`,
  )
  if (typeof found?.name === 'string') return
  throw new AppError('not_found', 'The database at --database is empty; svc serve creates its tables', {
    reason: 'no_database',
  })
}

/** The tables of the service, in a database that it has used. */
export function storedTables(connection: Connection): StoredTable[] {
  const stored = Map.groupBy(storedParts(connection, 'table'), ({ name }) => name)
  return [...stored].map(([name, rows]) => ({ name, definitions: rows.map(({ sql }) => sql) }))
}

function storedParts(connection: Connection, kind: 'table' | 'index'): StoredPart[] {
  // A migration drops a table, and its indexes with it, in plain SQL.
  return connection.all<StoredPart>(
    `SELECT name, part, sql FROM schema_objects WHERE kind = $kind AND name IN
       (SELECT ${kind}name FROM pg_${kind === 'table' ? 'tables' : 'indexes'} WHERE schemaname = current_schema())
     ORDER BY name, part`,
    { kind },
  )
}

interface StoredTrigger {
  name: string
  /** Its table, quoted where necessary. */
  owner: string
  /** Its comment: the statements that created it. */
  text: string | null
}

/** The triggers whose functions have names that begin with `prefix`. */
function storedTriggers(connection: Connection, prefix: string): StoredTrigger[] {
  return connection.all<StoredTrigger>(
    `SELECT tgname AS name, tgrelid::regclass::text AS owner,
       obj_description(pg_trigger.oid, 'pg_trigger') AS text FROM pg_trigger
     JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal AND starts_with(proname, $prefix)`,
    { prefix },
  )
}

function dropTrigger(connection: Connection, { name, owner }: StoredTrigger): void {
  connection.post(`DROP TRIGGER ${quoted(name)} ON ${owner}`)
}

/** The schema of the database of `connection`, which writes; `isBackedUp` when its operator has a backup. */
export function storedSchemaOf(
  connection: Connection,
  { isBackedUp }: { isBackedUp: boolean },
): StoredSchema {
  /** References to tables that follow. */
  let references: readonly AddedReference[] = []

  function note(kind: 'table' | 'index', { name, sql, part }: StoredPart): void {
    connection.post('INSERT INTO schema_objects (kind, name, part, sql) VALUES ($kind, $name, $part, $sql)', {
      kind,
      name,
      part,
      sql,
    })
  }

  const tables = () => storedTables(connection)

  /** The number of the declaration of a column; -1 without one. */
  function partOf(table: string, column: string): number {
    const parts = storedParts(connection, 'table').filter(({ name }) => name === table)
    return parts.find(({ sql }) => columnName(sql) === column)?.part ?? -1
  }

  return {
    tables,
    create(table) {
      const created = createTable(table)
      connection.post(created.sql)
      connection.post(FORGET, { kind: 'table', name: table.name })
      references = [...references, ...created.references]
      const definitions = [...table.columns.map(({ sql }) => sql), ...table.constraints]
      for (const [part, sql] of definitions.entries()) note('table', { name: table.name, part, sql })
    },
    addColumn(table, definition) {
      const definitions = tables().find(({ name }) => name === table)?.definitions ?? []
      const names = [...definitions, definition].flatMap((each) => columnName(each) ?? [])
      const { sql, reference } = columnDefinition(table, definition, { names, hasOwnKey: false })
      connection.post(`ALTER TABLE ${quoted(table)} ADD COLUMN ${sql}`)
      if (reference !== undefined) references = [...references, reference]
      connection.post(
        `INSERT INTO schema_objects (kind, name, part, sql)
         SELECT 'table', $table, max(part) + 1, $sql FROM schema_objects WHERE kind = 'table' AND name = $table`,
        { table, sql: definition },
      )
    },
    changeColumn(table, definition) {
      const name = columnName(definition) ?? ''
      const { sql } = columnDefinition(table, definition, { names: [name], hasOwnKey: false })
      const [, check = ''] = /( CHECK \(.*)$/.exec(sql) ?? []
      connection.post(
        `ALTER TABLE ${quoted(table)} DROP CONSTRAINT IF EXISTS ${quoted(`${table}_${name}_check`)}`,
      )
      if (check !== '') connection.post(`ALTER TABLE ${quoted(table)} ADD${check}`)
      connection.post(
        `UPDATE schema_objects SET sql = $sql WHERE kind = 'table' AND name = $table AND part = $part`,
        { sql: definition, table, part: partOf(table, name) },
      )
    },
    dropColumn(table, column) {
      connection.post(`DELETE FROM schema_objects WHERE kind = 'table' AND name = $table AND part = $part`, {
        table,
        part: partOf(table, column),
      })
      connection.post(`ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)}`)
    },
    replaceIndexes(declared) {
      // A declaration for tests may lack the other table.
      const names = new Set(tables().map(({ name }) => name))
      for (const { to, sql } of references) if (names.has(to)) connection.post(sql)
      references = []
      const missing = new Map(declared.map(({ name, sql }) => [name, sql]))
      for (const { name, sql } of storedParts(connection, 'index')) {
        if (missing.get(name) === sql) {
          missing.delete(name)
          continue
        }
        connection.post(`DROP INDEX ${quoted(name)}`)
        connection.post(FORGET, { kind: 'index', name })
      }
      for (const [name, sql] of missing) {
        connection.post(sql)
        connection.post(FORGET, { kind: 'index', name })
        note('index', { name, part: 0, sql })
      }
      connection.settle()
    },
    // One that is as declared stays: to change it waits for all who read its table, such as pg_dump, and a
    // server that takes over must not wait. Its comment has its text; a new one of the same name has none.
    replaceTriggers(declared) {
      const definitions = declared
        .flatMap((each) => each(POSTGRES))
        .map((trigger) => ({ ...trigger, statements: POSTGRES.trigger(trigger) }))
      const missing = new Map(definitions.map((each) => [each.name, each]))
      for (const stored of storedTriggers(connection, TRIGGER_FUNCTION)) {
        const found = missing.get(stored.name)
        if (found?.statements.join('\n') === stored.text) missing.delete(stored.name)
        else dropTrigger(connection, stored)
      }
      for (const { name, table, statements } of missing.values()) {
        for (const sql of statements) connection.post(sql)
        const text = literal(statements.join('\n'))
        connection.post(`COMMENT ON TRIGGER ${quoted(name)} ON ${quoted(table)} IS ${text}`)
      }
      connection.settle()
    },
    continueNumbers(table, column) {
      connection.run(
        `SELECT setval(pg_get_serial_sequence($table, $column), (SELECT coalesce(max(${quoted(column)}), 0) + 1 FROM ${quoted(table)}), false)`,
        { table: quoted(table), column },
      )
    },
    rebuild(work) {
      connection.transaction('write', () => {
        for (const stored of storedTriggers(connection, TRIGGER_FUNCTION)) dropTrigger(connection, stored)
      })
      work()
    },
    // The server checks references itself.
    brokenReferences: () => [],
    keepBefore() {
      if (isBackedUp) return 'the backup that --backup-taken confirms'
      throw new AppError(
        'conflict',
        'This version changes the tables of the database: make a backup with pg_dump, then start once with --backup-taken',
        { reason: 'backup_needed' },
      )
    },
    findKept: () => undefined,
  }
}
