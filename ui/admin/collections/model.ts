/** What the server states about its collections: fields and rules, from which tables and forms follow. */
import * as v from 'valibot'

const flag = v.optional(v.boolean(), false)
const rule = v.nullable(v.string())

export const field = v.object({
  name: v.string(),
  type: v.string(),
  required: flag,
  hidden: flag,
  /** Set by the server only. */
  readOnly: flag,
  /** Refused in a new record, or in a change of one. */
  fixedOnCreate: flag,
  fixedOnUpdate: flag,
  help: v.optional(v.string(), ''),
  /** The collection that a relation refers to. */
  collectionId: v.optional(v.string(), ''),
  /** Limit of relations and choices; above 1, the value is a list. */
  maxSelect: v.optional(v.nullable(v.number()), 1),
  cascadeDelete: flag,
  /** What a choice may be. */
  values: v.optional(v.array(v.string()), []),
  /** Limits of texts, in characters, and of numbers. */
  min: v.optional(v.nullable(v.number())),
  max: v.optional(v.nullable(v.number())),
  onlyInt: flag,
  /** Limit of JSON, in bytes. */
  maxSize: v.optional(v.nullable(v.number()), 0),
})
export type Field = v.InferOutput<typeof field>

export const collection = v.object({
  id: v.string(),
  name: v.string(),
  type: v.string(),
  system: flag,
  listRule: rule,
  viewRule: rule,
  createRule: rule,
  updateRule: rule,
  deleteRule: rule,
  fields: v.array(field),
})
export type Collection = v.InferOutput<typeof collection>

export const collectionPage = v.object({ items: v.array(collection) })

/** A record; which fields it has is stated by its collection. */
export const record = v.looseObject({ id: v.string() })
export type Row = v.InferOutput<typeof record>

export const recordPage = v.object({
  totalItems: v.number(),
  items: v.array(record),
})

/** JSON values above this size are loaded on demand, B. */
const LARGE_BYTES = 65_536

/** Whether values may be so large that lists and forms do not load them. */
export function isLarge({ type, maxSize }: Field): boolean {
  return type === 'json' && (maxSize ?? 0) > LARGE_BYTES
}

/** Whether a value is a list of ids or of choices. */
export function isList({ type, maxSelect }: Field): boolean {
  return (type === 'relation' || type === 'select') && (maxSelect ?? 1) > 1
}

/** The collection that a relation refers to. */
export function targetOf(field: Field, all: readonly Collection[]): Collection | undefined {
  if (field.type !== 'relation') return undefined
  return all.find(({ id }) => id === field.collectionId)
}

/** A field of some collection that holds ids of another one. */
export interface Reference {
  collection: Collection
  field: Field
}

/** The fields of all collections that refer to records of `target`. */
export function referencesTo(target: Collection, all: readonly Collection[]): Reference[] {
  return all.flatMap((collection) =>
    collection.fields
      .filter((field) => field.type === 'relation' && field.collectionId === target.id)
      .map((field) => ({ collection, field })),
  )
}

/** Names by which people know records, in the order of preference. */
const LABELS = ['name', 'username', 'title', 'email', 'provider', 'type']

/** The fields from which a label of a record of the collection is made. */
export function labelFields({ fields }: Collection): string[] {
  return LABELS.filter((label) => fields.some(({ name, hidden }) => name === label && !hidden)).slice(0, 2)
}

/** What people call a record: its name or address, otherwise its id. */
export function labelOf(row: Row, labels: readonly string[] = LABELS): string {
  for (const label of labels) {
    const value = row[label]
    if (typeof value === 'string' && value !== '') return value
  }
  return row.id
}

/** Who may read and who may write records, in one sentence. Superusers may do both. */
export function describeAccess({ listRule, updateRule }: Collection): string {
  const [readers, writers] = [whoMay(listRule), whoMay(updateRule)]
  if (readers === writers) return `${readers} read and write.`
  return `${readers} read, ${writers.charAt(0).toLowerCase()}${writers.slice(1)} write.`
}

function whoMay(rule: string | null): string {
  if (rule === null) return 'Only superusers'
  if (rule === '') return 'All'
  if (/^\w+ = @request\.auth\.id\b/.test(rule)) return 'Owners and superusers'
  return rule === '@request.auth.id != ""' ? 'All who are signed in' : 'Those whom a rule admits'
}
