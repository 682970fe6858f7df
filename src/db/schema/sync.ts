import { AppError } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { quoted } from '../engine/sql.ts'
import { FOREIGN_TABLES, type Table } from './tables.ts'

interface SchemaRow {
  type: string
  name: string
  tbl_name: string
  sql: string
}

/**
 * Adds the declared tables, columns, indexes and triggers that are missing; call it inside a transaction.
 * Indexes and triggers hold no data of their own, so changed ones are rebuilt and undeclared ones dropped.
 * @throws AppError `internal`, reason `migration_missing`, when a declaration would lose or change stored
 *   data.
 */
export function syncTables(connection: Connection, tables: readonly Table[], nextMigration: number): void {
  const rows = connection.all<SchemaRow>(
    `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND NOT ${FOREIGN_TABLES}`,
  )
  const existing = new Map(rows.filter((row) => row.type === 'table').map((row) => [row.name, row.sql]))
  const refuse = refusal(nextMigration)
  for (const name of existing.keys()) {
    if (!tables.some((table) => table.name === name)) {
      refuse(`drop-${name}`, `the table ${name} is stored but no longer declared`)
    }
  }
  for (const table of tables) {
    const sql = existing.get(table.name)
    if (sql === undefined) connection.run(createTable(table))
    else addColumns(connection, table, sql, refuse)
  }
  syncIndexes(
    connection,
    tables,
    rows.filter((row) => row.type === 'index'),
  )
  syncTriggers(
    connection,
    tables,
    rows.filter((row) => row.type === 'trigger'),
  )
}

/** Whether `syncTables` would add tables or columns, which an older version would refuse. */
export function isIncomplete(connection: Connection, tables: readonly Table[]): boolean {
  const rows = connection.all<SchemaRow>("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
  const existing = new Map(rows.map((row) => [row.name, definitions(row.sql)]))
  return tables.some(({ name, columns }) => {
    const stored = existing.get(name)
    return !stored || columns.some((column) => !stored.some((each) => each.startsWith(`"${column.name}" `)))
  })
}

type Refuse = (change: string, what: string) => never

function refusal(nextMigration: number): Refuse {
  return (change, what) => {
    const file = `${String(nextMigration).padStart(4, '0')}-${change.replaceAll('_', '-')}.ts`
    throw new AppError(
      'internal',
      `The database does not fit this version: ${what}. If a newer version wrote it, start that version or restore the copy that it made first (.before-…); otherwise the migration src/db/schema/migrations/${file} is missing`,
      { reason: 'migration_missing' },
    )
  }
}

function createTable(table: Table): string {
  const lines = [...table.columns.map((column) => column.sql), ...table.constraints]
  return `CREATE TABLE ${quoted(table.name)} (\n  ${lines.join(',\n  ')}\n) STRICT${table.isKeyed ? ', WITHOUT ROWID' : ''}`
}

function addColumns(connection: Connection, table: Table, sql: string, refuse: Refuse): void {
  const stored = definitions(sql)
  const declared = [...table.columns.map((column) => column.sql), ...table.constraints]
  for (const definition of stored) {
    if (declared.includes(definition)) continue
    const name = /^"([^"]+)"/.exec(definition)?.[1]
    const column = table.columns.find((each) => each.name === name)
    if (column) {
      refuse(`change-${table.name}-${column.name}`, `${table.name}.${column.name} is stored as ${definition}`)
    }
    refuse(
      `drop-${table.name}-${name ?? 'constraint'}`,
      `${table.name} has ${definition}, no longer declared`,
    )
  }
  for (const constraint of table.constraints) {
    if (!stored.includes(constraint)) refuse(`constrain-${table.name}`, `${table.name} lacks ${constraint}`)
  }
  for (const column of table.columns.filter((each) => !stored.includes(each.sql))) {
    if (!column.addable) {
      refuse(`add-${table.name}-${column.name}`, `${table.name}.${column.name} needs a value for stored rows`)
    }
    connection.run(`ALTER TABLE ${quoted(table.name)} ADD COLUMN ${column.sql}`)
  }
}

/** The column and constraint definitions in the text of a CREATE TABLE statement. */
function definitions(sql: string): string[] {
  const body = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'))
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of body.matchAll(/'[^']*'|"[^"]*"|[(),]/g)) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token !== ',' || depth > 0) continue
    parts.push(body.slice(start, index))
    start = index + 1
  }
  return [...parts, body.slice(start)].map((part) => part.trim())
}

function syncIndexes(connection: Connection, tables: readonly Table[], stored: readonly SchemaRow[]): void {
  replace(
    connection,
    'INDEX',
    tables.flatMap(({ indexes }) => indexes),
    stored,
  )
}

function syncTriggers(connection: Connection, tables: readonly Table[], stored: readonly SchemaRow[]): void {
  replace(
    connection,
    'TRIGGER',
    tables.flatMap(({ triggers = [] }) => triggers),
    stored,
  )
}

/** Drops what is stored but not declared in the same words, and creates what is missing. */
function replace(
  connection: Connection,
  kind: 'INDEX' | 'TRIGGER',
  wanted: readonly { name: string; sql: string }[],
  stored: readonly SchemaRow[],
): void {
  const declared = new Map(wanted.map(({ name, sql }) => [name, sql]))
  for (const row of stored) {
    if (declared.get(row.name) === row.sql) declared.delete(row.name)
    else connection.run(`DROP ${kind} ${quoted(row.name)}`)
  }
  for (const sql of declared.values()) connection.run(sql)
}
