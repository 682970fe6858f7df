import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createPrivateFile, flush } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { INSERTION_ORDER } from '../engine/dialect.ts'
import { quoted } from '../engine/sql.ts'
import { columnName, type StoredSchema, type StoredTable } from '../engine/stored-schema.ts'
import type { Declared } from '../engine/table.ts'
import type { FileConnection } from './connection.ts'
import { createTable } from './sql/create-table.ts'
import { SQLITE } from './sql/dialect.ts'

/** SQLite and the replicator Litestream keep these for themselves. */
const IS_FOREIGN = "(name GLOB 'sqlite_*' OR name GLOB '_litestream_*')"

/** The tables of a database, for any connection. */
export function storedTables(connection: Connection): StoredTable[] {
  return objects(connection, 'table').map(({ name, sql }) => ({ name, definitions: definitionsOf(sql) }))
}

function objects(connection: Connection, type: 'table' | 'index' | 'trigger'): Declared[] {
  return connection.all<Declared>(
    `SELECT name, sql FROM sqlite_master WHERE type = $type AND sql IS NOT NULL AND NOT ${IS_FOREIGN}`,
    { type },
  )
}

/** The column and constraint definitions in the text of a CREATE TABLE statement. */
function definitionsOf(sql: string): string[] {
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

/** The schema in the file of `connection`, which writes. */
export function storedSchemaOf(connection: FileConnection): StoredSchema {
  const pathBefore = (ending: string) => `${connection.path}.before-${ending}`
  return {
    tables: () => storedTables(connection),
    // It looks at the largest number by itself.
    continueNumbers: () => undefined,
    create: (table) => void connection.run(createTable(table)),
    addColumn(table, definition) {
      connection.run(`ALTER TABLE ${quoted(table)} ADD COLUMN ${definition}`)
    },
    // A CHECK cannot be changed: a new column takes the place of the old one.
    changeColumn(table, definition) {
      const name = columnName(definition) ?? ''
      const stored = storedDefinitions(connection, table)
      if (stored.some((each) => columnName(each) === undefined && keyHas(each, name)))
        return moveRows(
          connection,
          table,
          stored.map((each) => (columnName(each) === name ? definition : each)),
        )
      const [column, interim] = [quoted(name), quoted(`${name}_changed`)]
      for (const step of [
        `ADD COLUMN ${definition.replaceAll(column, interim)}`,
        `DROP COLUMN ${column}`,
        `RENAME COLUMN ${interim} TO ${column}`,
      ]) {
        if (step.startsWith('DROP')) connection.run(`UPDATE ${quoted(table)} SET ${interim} = ${column}`)
        connection.run(`ALTER TABLE ${quoted(table)} ${step}`)
      }
    },
    dropColumn(table, column) {
      const stored = storedDefinitions(connection, table)
      const definition = stored.find((each) => columnName(each) === column) ?? ''
      if (definition.includes(' PRIMARY KEY'))
        moveRows(
          connection,
          table,
          stored.filter((each) => each !== definition),
        )
      else connection.run(`ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)}`)
    },
    replaceIndexes: (declared) => replace(connection, 'index', declared),
    replaceTriggers(declared) {
      const triggers = declared.flatMap((each) => each(SQLITE))
      replace(
        connection,
        'trigger',
        triggers.map((each) => ({ name: each.name, sql: SQLITE.trigger(each).join('\n') })),
      )
    },
    rebuild(work) {
      // SQLite ignores this pragma inside a transaction; rebuilding a table needs it off.
      connection.run('PRAGMA foreign_keys = OFF')
      replace(connection, 'trigger', [])
      try {
        work()
      } finally {
        connection.run('PRAGMA foreign_keys = ON')
      }
    },
    brokenReferences: () => connection.all('PRAGMA foreign_key_check'),
    keepBefore(ending) {
      copyDatabase(connection, pathBefore(ending))
      return pathBefore(ending)
    },
    findKept: (ending) => (existsSync(pathBefore(ending)) ? pathBefore(ending) : undefined),
  }
}

function storedDefinitions(connection: Connection, table: string): readonly string[] {
  return storedTables(connection).find(({ name }) => name === table)?.definitions ?? []
}

/** Whether a constraint of a table, such as `UNIQUE (kind, source_id)`, has a column. */
function keyHas(constraint: string, column: string): boolean {
  return new RegExp(`\\b${column}\\b`).test(constraint)
}

/** SQLite changes and drops no key: the rows move, with their numbers, to a table of other `definitions`. */
function moveRows(connection: Connection, table: string, definitions: readonly string[]): void {
  const [name, before] = [quoted(table), quoted(`${table}_before`)]
  const columns = [
    INSERTION_ORDER,
    ...definitions.flatMap((each) => columnName(each) ?? []).map(quoted),
  ].join(', ')
  for (const step of [
    `ALTER TABLE ${name} RENAME TO ${before}`,
    `CREATE TABLE ${name} (\n  ${definitions.join(',\n  ')}\n) STRICT`,
    `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${before} ORDER BY ${INSERTION_ORDER}`,
    `DROP TABLE ${before}`,
  ])
    connection.run(step)
}

function replace(connection: Connection, kind: 'index' | 'trigger', declared: readonly Declared[]): void {
  const missing = new Map(declared.map(({ name, sql }) => [name, sql]))
  for (const { name, sql } of objects(connection, kind)) {
    if (missing.get(name) === sql) missing.delete(name)
    else connection.run(`DROP ${kind} ${quoted(name)}`)
  }
  for (const sql of missing.values()) connection.run(sql)
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
