import * as v from 'valibot'
import { clampWidth } from '../../parts/table/Grip.tsx'
import { type Collection, type Field, isLarge } from '../collections/model.ts'

/** A shown column; without a width it takes what its content needs. */
export interface Column {
  field: Field
  /** px */
  width?: number | undefined
}

const stored = v.array(v.object({ name: v.string(), width: v.optional(v.number()) }))

const DEFAULT_COLUMNS = 7
const KEY = 'svc.admin.columns.'
/** These tell little at a glance. */
const LATER = new Set(['created', 'updated', 'emailVisibility', 'verified'])

/** The fields that a table can show. */
export function showable({ fields }: Collection): Field[] {
  return fields.filter((field) => field.type !== 'password' && !isLarge(field))
}

/** The columns that are shown at first: what identifies a record, and when it was created. */
export function defaultColumns(collection: Collection): Column[] {
  const all = showable(collection)
  const first = all.filter(({ name, hidden, type }) => !hidden && !LATER.has(name) && type !== 'json')
  const created = all.filter(({ name }) => name === 'created')
  return [...first.slice(0, DEFAULT_COLUMNS - 1), ...created].map((field) => ({ field }))
}

/** The columns chosen earlier, as far as the collection still has them. */
export function readColumns(collection: Collection, text: string | null): Column[] {
  const parsed = v.safeParse(stored, parse(text))
  if (!parsed.success) return defaultColumns(collection)
  const all = showable(collection)
  const columns = parsed.output.flatMap(({ name, width }): Column[] => {
    const field = all.find((each) => each.name === name)
    return field ? [{ field, ...(width !== undefined && { width: clampWidth(width) }) }] : []
  })
  return columns.length === 0 ? defaultColumns(collection) : columns
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** The text that `readColumns` reads. */
export function writeColumns(columns: readonly Column[]): string {
  return JSON.stringify(columns.map(({ field, width }) => ({ name: field.name, width })))
}

/** Columns with one added in the order of the fields, or removed; `id` stays. */
export function toggleColumn(collection: Collection, columns: readonly Column[], name: string): Column[] {
  if (columns.some(({ field }) => field.name === name)) {
    return columns.filter(({ field }) => field.name !== name || field.name === 'id')
  }
  const order = showable(collection).map((field) => field.name)
  const field = showable(collection).find((each) => each.name === name)
  if (!field) return [...columns]
  const place = columns.findIndex((each) => order.indexOf(each.field.name) > order.indexOf(name))
  return place < 0 ? [...columns, { field }] : columns.toSpliced(place, 0, { field })
}

/** Loads the columns of a collection that were chosen in this browser. */
export function loadColumns(collection: Collection): Column[] {
  try {
    return readColumns(collection, localStorage.getItem(KEY + collection.name))
  } catch {
    return defaultColumns(collection)
  }
}

/** Remembers the columns of a collection in this browser. */
export function storeColumns({ name }: Collection, columns: readonly Column[]): void {
  try {
    localStorage.setItem(KEY + name, writeColumns(columns))
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}
