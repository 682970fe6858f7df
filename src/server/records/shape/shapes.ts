import * as v from 'valibot'
import { type AnyCollection, COLLECTIONS, type CollectionNames, type Field } from '../../../db/index.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'
import { fieldSchema, recordResponse } from '../../http/response/record-response.ts'
import { behaviourOf } from '../behaviours/index.ts'

/** What the record routes read and write, made from the declarations of all collections. */
export interface RecordShapes {
  /** A name or an id of a collection. */
  readonly collection: v.GenericSchema
  /** A record of any collection as an answer, told apart by `collectionName`. */
  readonly record: v.GenericSchema
  /** The values of a record to write. */
  readonly body: v.GenericSchema
}

/** The shapes under the public names of an installation. */
export function recordShapes(names: CollectionNames): RecordShapes {
  const all: readonly AnyCollection[] = COLLECTIONS
  const publicNames = all.map((each) => names.publicName(each))
  return {
    collection: v.picklist([...publicNames, ...all.map(collectionIdOf)]),
    record: v.pipe(
      v.union(all.map((each) => responseShape(each, names.publicName(each)))),
      v.title('Record'),
    ),
    body: v.pipe(v.union(all.map(bodyShape)), v.title('RecordBody')),
  }
}

function responseShape(collection: AnyCollection, publicName: string) {
  return recordResponse(`${titleOf(collection)}Record`, collection, {
    collectionName: v.literal(publicName),
    ...behaviourOf(collection).computedShape,
    expand: v.optional(v.record(v.string(), v.unknown())),
  })
}

const text = v.optional(v.string())
const PASSWORD = { password: text, passwordConfirm: text, oldPassword: text }

/** Loose, for modifiers such as `seconds+`; keys that are no field mean nothing. */
function bodyShape(collection: AnyCollection) {
  const { owner, fixed } = behaviourOf(collection)
  const isFixed = (name: string) => Boolean(fixed?.create?.includes(name) && fixed.update?.includes(name))
  const fields = Object.entries(collection.fields).filter(
    ([name, field]) => !field.internal && !field.readOnly && !isFixed(name),
  )
  const required = fields.flatMap(([name, field]) => (isRequired(field) && name !== owner ? [name] : []))
  const entries: Record<string, v.GenericSchema> = collection.type === 'auth' ? { ...PASSWORD } : {}
  for (const [name, field] of fields) entries[name] = v.optional(fieldSchema(field))
  return v.pipe(
    v.looseObject(entries),
    v.title(`${titleOf(collection)}Body`),
    v.description(
      required.length > 0 ? `A new record needs ${required.join(', ')}` : 'Every field may be left out',
    ),
  )
}

function isRequired(field: Field): boolean {
  return field.required === true && field.default === undefined
}

/** `TimeSlots` of `time_slots`. */
function titleOf({ name }: AnyCollection): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
