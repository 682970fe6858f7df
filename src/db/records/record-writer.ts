import { AppError, type FieldError, newId } from '../../base/index.ts'
import { isUniqueViolation } from '../engine/failure.ts'
import { allOf, type Known, mapped, type Query } from '../engine/query.ts'
import { type Bindable, quoted } from '../engine/sql.ts'
import type { AnyCollection, HookTx, RecordOf } from '../schema/collection.ts'
import type { Field } from '../schema/field.ts'
import { MISSING_RELATION, NOT_UNIQUE, TAKEN_ID } from '../schema/field-errors.ts'
import { text } from '../schema/fields/index.ts'
import { JsonText } from '../schema/json-text.ts'
import { splitLarge } from '../schema/large-values.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import { copyRecord, setDecoded, unreadText } from '../schema/unread-json.ts'
import { fieldError, initialValue } from '../schema/values.ts'
import type { Change } from './changes.ts'
import type { RecordReader } from './record-reader.ts'
import { releaseReferences } from './references.ts'
import type { WriterDependencies } from './writer-dependencies.ts'

/** Typed writes of records inside a transaction; each change is logged, and published after the commit. */
export interface RecordWriter {
  /**
   * Inserts a record: sets id, created, updated and defaults, runs the hooks, validates.
   * `columns`: those of the row that are no fields.
   * @throws AppError `invalid` with `fields` when values are rejected.
   */
  insert<C extends AnyCollection>(
    collection: C,
    values: Partial<RecordOf<C>>,
    columns?: Readonly<Record<string, Bindable>>,
  ): RecordOf<C>
  /** The same for a record without values that must be unique: such an error fails the transaction. */
  postInsert<C extends AnyCollection>(
    collection: C,
    values: Partial<RecordOf<C>>,
    columns?: Readonly<Record<string, Bindable>>,
  ): RecordOf<C>
  /**
   * Updates the keys of `patch` if the record exists and equals `guard`; otherwise returns undefined.
   * @throws AppError `invalid` with `fields` when values are rejected.
   */
  update<C extends AnyCollection>(
    collection: C,
    id: string,
    patch: Partial<RecordOf<C>>,
    guard?: Partial<RecordOf<C>>,
  ): RecordOf<C> | undefined
  /**
   * Removes a record; false when it does not exist. References to it are removed; records whose required
   * relation cascades are removed too.
   * @throws AppError `invalid` when a required relation without cascade refers to it.
   */
  remove<C extends AnyCollection>(collection: C, id: string): boolean
}

/** Typed writes on top of SQL. Undeclared field names throw TypeError. */
export function createRecordWriter(dependencies: WriterDependencies): RecordWriter {
  const writer: RecordWriter = {
    insert: <C extends AnyCollection>(
      collection: C,
      values: Partial<RecordOf<C>>,
      columns: Readonly<Record<string, Bindable>> = {},
      // The record has exactly the declared fields; see createRecordReader.
    ) => insert(dependencies, hookTx, collection, values, { columns }) as RecordOf<C>,
    postInsert: <C extends AnyCollection>(
      collection: C,
      values: Partial<RecordOf<C>>,
      columns: Readonly<Record<string, Bindable>> = {},
    ) => insert(dependencies, hookTx, collection, values, { columns, isPosted: true }) as RecordOf<C>,
    update: <C extends AnyCollection>(
      collection: C,
      id: string,
      patch: Partial<RecordOf<C>>,
      guard: Partial<RecordOf<C>> = {},
    ) => update(dependencies, hookTx, collection, id, patch, guard) as RecordOf<C> | undefined,
    remove: (collection: AnyCollection, id: string) => {
      const record = dependencies.reader.find(collection, id)
      if (!record) return false
      collection.hooks.beforeRemove?.({ tx: hookTx, record })
      releaseReferences(dependencies, collection, id, writer.remove)
      dependencies.sql.run(`DELETE FROM ${quoted(collection.name)} WHERE id = $id`, { id })
      dependencies.reader.forget(collection.name, id)
      dependencies.recordChange({ collection: collection.name, id, action: 'delete', record })
      return true
    },
  }
  const { find } = dependencies.reader
  const hookTx: HookTx = { ...dependencies.sql, find, insert: writer.insert, update: writer.update }
  return writer
}

/** The form of a new id, which a caller may choose. */
const ID = text({ min: 15, max: 15, pattern: /^[0-9a-z]+$/ })

function insert(
  dependencies: WriterDependencies,
  hookTx: HookTx,
  collection: AnyCollection,
  values: Record<string, unknown>,
  { columns, isPosted = false }: { columns: Readonly<Record<string, Bindable>>; isPosted?: boolean },
): AnyRecord {
  const { sql, planOf } = dependencies
  const plan = planOf(collection)
  refuseUnknown(plan, values)
  const given = values['id']
  const record: AnyRecord = {
    id: typeof given === 'string' && given !== '' ? given : newId(sql.now),
    created: sql.at,
    updated: sql.at,
  }
  for (const [name, field] of plan.fields) {
    const value = values[name]
    if (value instanceof JsonText) {
      setDecoded(record, name, value, field.kind.decode, { isLarge: field.kind.isLarge(field) })
    } else record[name] = value === undefined ? initialValue(field) : field.kind.normalize(value)
  }
  if (isTyped(plan, record)) collection.hooks.beforeInsert?.({ tx: hookTx, record })
  const failure = 'Failed to create record'
  const idError = fieldError(ID, record.id)
  const { row, saveLarge } = splitLarge(
    collection,
    validated(dependencies, collection, plan.fields, record, failure, idError ? { id: idError } : {}),
  )
  const params = { ...row, ...columns, id: record.id, created: sql.at, updated: sql.at }
  const statement = plan.insert(Object.keys(columns))
  const created = (row: { seq?: unknown } | undefined): Change => {
    return { collection: collection.name, id: record.id, action: 'create', record, seq: Number(row?.seq) }
  }
  if (isPosted) dependencies.post(statement, params, ([row]) => [created(row)])
  else {
    const row = guardUnique(collection, failure, () => sql.one<{ seq: number }>(statement, params))
    dependencies.recordChange(created(row))
  }
  saveLarge(sql, record.id, { isNew: true })
  collection.hooks.afterInsert?.({ tx: hookTx, record })
  return record
}

function update(
  dependencies: WriterDependencies,
  hookTx: HookTx,
  collection: AnyCollection,
  id: string,
  patch: Record<string, unknown>,
  guard: Record<string, unknown>,
): AnyRecord | undefined {
  const { sql, planOf, reader } = dependencies
  const plan = planOf(collection)
  refuseUnknown(plan, patch)
  const before = reader.find(collection, id)
  if (!before || !holds(before, guard)) return undefined
  const decode = (name: string, stored: unknown) => collection.fields[name]?.kind.decode(stored)
  const after: AnyRecord = copyRecord(before, decode)
  after.updated = sql.at
  for (const [name, field] of plan.fields) {
    if (patch[name] !== undefined) after[name] = field.kind.normalize(patch[name])
  }
  if (isTyped(plan, after)) collection.hooks.beforeUpdate?.({ tx: hookTx, before, after })
  const failure = 'Failed to update record'
  // A stored text is not checked again, so that one that was accepted before does not stop other changes.
  const isSame = (name: string) => typeof after[name] === 'string' && after[name] === before[name]
  const isChanged = (name: string) =>
    (patch[name] !== undefined && !isSame(name)) ||
    (unreadText(after, name) === undefined && after[name] !== before[name])
  const changed = plan.fields.filter(([name]) => isChanged(name))
  for (const [name, field] of changed) {
    if (field.kind.isBalance) throw new TypeError(`${collection.name}.${name} changes only by the ledger`)
  }
  const { row, saveLarge } = splitLarge(
    collection,
    validated(dependencies, collection, changed, after, failure, {}),
  )
  const params = { ...row, id, updated: sql.at }
  const assignments = changed.map(([name]) => `${quoted(plan.column(name))} = $${name}, `)
  guardUnique(collection, failure, () =>
    sql.run(
      `UPDATE ${quoted(collection.name)} SET ${assignments.join('')}updated = $updated WHERE id = $id`,
      params,
    ),
  )
  saveLarge(sql, id)
  dependencies.recordChange({ collection: collection.name, id, action: 'update', record: after })
  return after
}

/** Hooks run only on values of the declared types; validation then rejects the others. */
function isTyped(plan: Plan, record: AnyRecord): boolean {
  return plan.fields.every(
    ([name, { kind }]) => unreadText(record, name) !== undefined || kind.isValue(record[name]),
  )
}

function refuseUnknown(plan: Plan, values: Record<string, unknown>): void {
  for (const name of Object.keys(values)) plan.column(name)
}

function holds(record: AnyRecord, guard: Record<string, unknown>): boolean {
  return Object.entries(guard).every(
    ([name, value]) => value === undefined || Bun.deepEquals(record[name], value),
  )
}

/**
 * The stored forms of `fields`, by name. All rejected fields are reported together, including those in
 * `refusals`.
 */
function validated(
  dependencies: WriterDependencies,
  collection: AnyCollection,
  fields: readonly (readonly [string, Field])[],
  record: AnyRecord,
  failure: string,
  refusals: Record<string, FieldError>,
): Record<string, Bindable> {
  const { sql, reader } = dependencies
  const errors: Record<string, FieldError> = { ...refusals }
  const params: Record<string, Bindable> = {}
  const checked = fields.map(([name, field]) => {
    const json = unreadText(record, name)
    const text = json?.bytes ?? json?.text
    const refused = text === undefined ? fieldError(field, record[name]) : undefined
    const isRead = !refused && text === undefined && (field.reference || field.unique)
    if (!isRead) return { name, field, text, refused, reads: undefined }
    const related = findRelated(reader, field, record[name])
    const taken = field.unique ? isTaken(dependencies, collection, name, record) : undefined
    return { name, field, text, refused, reads: { related, taken } }
  })
  const found = sql.read(checked.map(({ reads }) => reads))
  for (const [at, { name, field, text, refused }] of checked.entries()) {
    const missing = refused ?? refusalOf(found[at])
    const stored = missing ? undefined : (text ?? field.kind.encode(record[name]))
    const error = missing ?? field.kind.storedError(field, stored)
    if (error) errors[name] = error
    else params[name] = stored ?? null
  }
  if (Object.keys(errors).length > 0) throw new AppError('invalid', failure, { fields: errors })
  return params
}

function refusalOf(found: { related?: boolean[] | undefined; taken?: boolean | undefined } = {}) {
  if (found.related?.includes(false)) return MISSING_RELATION
  return found.taken ? NOT_UNIQUE : undefined
}

/**
 * Whether another record has the value of a unique field, in which '' may repeat. An error of the index would
 * name one such field of several, and not the same one in both databases.
 */
function isTaken(
  { planOf }: WriterDependencies,
  collection: AnyCollection,
  name: string,
  record: AnyRecord,
): Query<boolean> | undefined {
  const value = record[name]
  if (typeof value !== 'string' || value === '') return undefined
  const column = quoted(planOf(collection).column(name))
  // `<> ''` is the condition of the index.
  const sql = `SELECT 1 FROM ${quoted(collection.name)} WHERE ${column} = $value AND ${column} <> '' AND id <> $id`
  return mapped(allOf(sql, { value, id: record.id }), (rows) => rows.length > 0)
}

/**
 * Whether what a relation refers to exists, but for records that the transaction has found; undefined for
 * other fields.
 */
function findRelated(
  reader: RecordReader,
  { reference }: Field,
  value: unknown,
): (Query<boolean> | Known<boolean>)[] | undefined {
  if (!reference) return undefined
  const ids: unknown[] = Array.isArray(value) ? value : [value]
  const sought = ids.filter((id) => id !== '' && !reader.hasFound(reference.to, id))
  return sought.map((id) => {
    if (typeof id !== 'string') return { known: false }
    const found = allOf(`SELECT 1 FROM ${quoted(reference.to)} WHERE id = $id`, { id })
    return mapped(found, (rows) => rows.length > 0)
  })
}

/** Reports a taken id, and taken combinations of fields, which only indexes check. */
function guardUnique<T>(collection: AnyCollection, failure: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new AppError('invalid', failure, { fields: uniqueFields(collection, error.columns), cause: error })
  }
}

function uniqueFields(collection: AnyCollection, columns: readonly string[]): Record<string, FieldError> {
  const names = columns.map((column) => column.slice(collection.name.length + 1))
  return Object.fromEntries(names.map((name) => [name, name === 'id' ? TAKEN_ID : NOT_UNIQUE]))
}
