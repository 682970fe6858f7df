import { closeSync, openSync, readSync } from 'node:fs'
import { AppError, type Clock, isObject, type Log, MIB, messageOf } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import type { Connection } from '../engine/connection.ts'
import { INSERTION_ORDER } from '../engine/dialect.ts'
import type { NewEngine } from '../engine/engine.ts'
import { type Bindable, quoted } from '../engine/sql.ts'
import type { Table } from '../engine/stored-schema.ts'
import { openServerEngine } from '../postgres/open-engine.ts'
import { type DatabasePlace, openForReading } from '../read-database.ts'
import { INTERNAL_TABLES } from '../schema/internal/index.ts'
import { isNew } from '../schema/migrate.ts'
import { syncTables } from '../schema/sync.ts'
import { tablesOf } from '../schema/tables.ts'
import { openEngine } from '../sqlite/open-engine.ts'
import { readLines } from './lines.ts'
import { assertHasTables } from './snapshot.ts'

/** Begins the first line of a whole database. */
const HEAD = '{"format":"svc database 1"}'

/** Every table of a database. */
export const TABLES: readonly Table[] = [...INTERNAL_TABLES, ...COLLECTIONS.flatMap(tablesOf)]

/** The columns of a table with the numbers of its rows, and those that are its key. */
interface Shape {
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** The column with the number of a row, if rows have numbers. */
  readonly number?: string
}

function shapeOf({ columns, constraints, isKeyed }: Table): Shape {
  const names = columns.map(({ name }) => name)
  const number = columns.find(({ sql }) => /^"\w+" INTEGER (NOT NULL )?PRIMARY KEY/.test(sql))?.name
  if (number !== undefined) return { columns: names, key: [number], number }
  if (!isKeyed)
    return { columns: [INSERTION_ORDER, ...names], key: [INSERTION_ORDER], number: INSERTION_ORDER }
  const [, declared] = constraints.map((each) => /^PRIMARY KEY \((.*)\)$/.exec(each)).find(Boolean) ?? []
  const own = columns.flatMap(({ name, sql }) => (sql.includes(' PRIMARY KEY') ? [name] : []))
  return { columns: names, key: declared?.replaceAll('"', '').split(', ') ?? own }
}

/** Keys that are read at a time; the rows, which may be large, one by one. */
const PAGE_KEYS = 200

function* rowsOf(connection: Connection, table: string, { columns, key }: Shape): Generator<Bindable[]> {
  const keys = key.map(quoted).join(', ')
  const params = key.map((_, at) => `$key${at}`)
  const each = key.map((name, at) => `${quoted(name)} = $key${at}`).join(' AND ')
  for (let after: Record<string, Bindable> | undefined; ; ) {
    const where = after === undefined ? '' : `WHERE (${keys}) > (${params.join(', ')})`
    const page = connection.all<Record<string, Bindable>>(
      `SELECT ${keys} FROM ${quoted(table)} ${where} ORDER BY ${keys} LIMIT ${PAGE_KEYS}`,
      after,
    )
    for (const found of page) {
      after = Object.fromEntries(key.map((name, at) => [`key${at}`, found[name] ?? null]))
      const sql = `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)} WHERE ${each}`
      const row = connection.one<Record<string, Bindable>>(sql, after)
      if (row) yield columns.map((name) => row[name] ?? null)
    }
    if (page.length < PAGE_KEYS) return
  }
}

/**
 * A whole database as objects for JSON lines: each table with its columns, then its rows, and at the end
 * their number. Read in one snapshot, also while a server uses it. It has all secrets.
 * @throws AppError as `openSnapshot` does.
 */
export function* wholeDatabase(place: DatabasePlace): Generator<object, void, undefined> {
  const { connection, tables } = openForReading(place)
  try {
    // The first read fixes the snapshot of all later ones.
    connection.begin('read')
    assertHasTables(tables(), TABLES)
    yield JSON.parse(HEAD)
    let count = 0
    for (const table of TABLES) {
      const shape = shapeOf(table)
      yield { table: table.name, columns: shape.columns }
      for (const row of rowsOf(connection, table.name, shape)) {
        yield row
        count += 1
      }
    }
    yield { rows: count }
    connection.commit()
  } finally {
    connection.close()
  }
}

/** Whether the file at `path` has a whole database, rather than records. */
export function isWholeDatabase(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(HEAD.length)
    readSync(file, start)
    return start.toString() === HEAD
  } finally {
    closeSync(file)
  }
}

interface WholeOptions {
  path: string
  place: DatabasePlace
  clock: Clock
  log: Log
}

/** Nobody else waits for the database while it is filled. */
const PATIENCE_MS = 3_600_000

/**
 * Creates a database with the content of a file that `wholeDatabase` has filled: all or nothing. Returns the
 * numbers of rows by table.
 * @throws AppError `conflict` (`database_not_empty`) unless the database is new; `invalid` for another file,
 *   also of another version; and what opening it throws.
 */
export async function importWhole({
  path,
  place,
  clock,
  log,
}: WholeOptions): Promise<Record<string, number>> {
  let counts: Record<string, number> = {}
  const fill = ({ writer, schema }: NewEngine) => {
    if (!isNew(schema)) {
      throw new AppError(
        'conflict',
        'A whole database is imported into a new one only: name an empty folder with --dir, or an empty database',
        { reason: 'database_not_empty' },
      )
    }
    writer.transaction('write', () => {
      writer.run(writer.dialect.deferReferences)
      for (const table of TABLES) schema.create(table)
      const texts = new StorableTexts('server' in place)
      counts = insertRows(writer, path, texts)
      if (texts.changed > 0)
        log.warn(
          'texts with NUL or halves of surrogate pairs, which PostgreSQL does not store, have U+FFFD in their place',
          {
            count: texts.changed,
          },
        )
      // Indexes, references and triggers come last: they neither slow the rows down nor change them.
      syncTables(schema, TABLES, 0)
      for (const table of TABLES) {
        const { number } = shapeOf(table)
        if (number !== undefined) schema.continueNumbers(table.name, number)
      }
    })
  }
  const engine =
    'dir' in place
      ? openEngine({ dir: place.dir, clock, log }, fill)
      : openServerEngine({ server: place.server, clock, log, patienceMs: PATIENCE_MS }, fill)
  try {
    await engine.log.finish()
  } finally {
    engine.release()
  }
  return counts
}

/** Text that is sent before the answer of an earlier row is known. */
const UNSETTLED_CHARACTERS = MIB

/** @throws AppError `invalid` for a line that does not belong there. */
function insertRows(writer: Connection, path: string, texts: StorableTexts): Record<string, number> {
  const inserting: Inserting = { writer, texts, counts: {}, total: 0, unsettled: 0, section: undefined }
  let isComplete = false
  for (const { number, text } of readLines(path)) {
    if (text === HEAD && number === 1) continue
    const line = parsed(text)
    const problem = isComplete ? 'follows the end' : insertLine(inserting, line, text.length)
    if (problem !== undefined) {
      throw new AppError('invalid', `${path}: line ${number} ${problem}; nothing was imported`)
    }
    isComplete = isEnd(line)
  }
  if (!isComplete) throw new AppError('invalid', `${path} has no end: it is incomplete; nothing was imported`)
  writer.settle()
  return inserting.counts
}

interface Inserting {
  readonly writer: Connection
  readonly texts: StorableTexts
  readonly counts: Record<string, number>
  total: number
  /** Characters of rows whose answer is not known. */
  unsettled: number
  section: Section | undefined
}

/** Returns what is wrong with a line. */
function insertLine(state: Inserting, line: unknown, length: number): string | undefined {
  if (Array.isArray(line)) return insertRow(state, line, length)
  if (isEnd(line)) return line.rows === state.total ? undefined : 'is damaged'
  if (!isObject(line) || typeof line['table'] !== 'string') return 'is damaged'
  state.section = sectionOf(line)
  return state.section
    ? undefined
    : `has the table ${line['table']} of another version; import it with that one`
}

function insertRow(state: Inserting, row: readonly unknown[], length: number): string | undefined {
  const { writer, counts, section, texts } = state
  if (section?.length !== row.length || !row.every(isBindable)) return 'is no row of its table'
  writer.post(
    section.sql,
    Object.fromEntries(row.map((value, at) => [`value${at}`, texts.of(value, section)])),
  )
  counts[section.name] = (counts[section.name] ?? 0) + 1
  state.total += 1
  state.unsettled += length
  if (state.unsettled > UNSETTLED_CHARACTERS) {
    writer.settle()
    state.unsettled = 0
  }
  return undefined
}

function isEnd(line: unknown): line is { rows: unknown } {
  return isObject(line) && 'rows' in line
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return messageOf(error)
  }
}

function isBindable(value: unknown): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number'
}

/** In the JSON of a text, NUL and each half of a surrogate pair, after an even number of backslashes. */
const UNSTORABLE_ESCAPE =
  /(?<!\\)((?:\\\\)*)\\u(0000|d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f][0-9a-f]{2})/gi

/** Replaces in texts what PostgreSQL does not store, and earlier versions of the server have accepted. */
class StorableTexts {
  readonly #isNeeded: boolean
  changed = 0

  constructor(isNeeded: boolean) {
    this.#isNeeded = isNeeded
  }

  of(value: Bindable, { name }: Section): Bindable {
    if (!this.#isNeeded || typeof value !== 'string') return value
    // The checksums of the audit log are those of its texts, which stay JSON and are not searched.
    const json =
      name === 'audit_log' || !/^[[{"]/.test(value) ? value : value.replace(UNSTORABLE_ESCAPE, '$1\\ufffd')
    const text = json.toWellFormed().replaceAll('\0', '\ufffd')
    if (text !== value) this.changed += 1
    return text
  }
}

/** The table of the rows that follow. */
interface Section {
  readonly name: string
  readonly sql: string
  /** Number of its columns. */
  readonly length: number
}

/** Undefined if the table differs from that of this version. */
function sectionOf(line: Readonly<Record<string, unknown>>): Section | undefined {
  const table = TABLES.find(({ name }) => name === line['table'])
  if (!table) return undefined
  const { columns } = shapeOf(table)
  if (JSON.stringify(columns) !== JSON.stringify(line['columns'])) return undefined
  const values = columns.map((_, at) => `$value${at}`).join(', ')
  const sql = `INSERT INTO ${quoted(table.name)} (${columns.map(quoted).join(', ')}) VALUES (${values})`
  return { name: table.name, sql, length: columns.length }
}
