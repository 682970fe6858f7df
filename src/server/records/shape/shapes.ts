import * as v from 'valibot'
import { type AnyCollection, COLLECTIONS, type CollectionNames, type Field } from '../../../db/index.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'
import { fieldSchema, recordResponse } from '../../http/response/record-response.ts'
import { described } from '../../http/schema.ts'
import { behaviorOf } from '../behaviors/index.ts'

/** Schemas of the record routes, derived from the declarations of all collections. */
interface RecordShapes {
  /** The name or id of a collection. */
  readonly collection: v.GenericSchema
  /** A record of any collection in a response; `collectionName` identifies its collection. */
  readonly record: v.GenericSchema
  /** The values of a record in a request. */
  readonly body: v.GenericSchema
}

/** Creates the schemas for the public names of an installation. */
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
    ...behaviorOf(collection).computedShape,
    expand: v.optional(v.record(v.string(), v.unknown())),
  })
}

const text = v.optional(v.string())
const PASSWORD = { password: text, passwordConfirm: text, oldPassword: text }

/** Admits other keys: modifiers such as `seconds+`, and unknown keys, which are ignored. */
function bodyShape(collection: AnyCollection) {
  const { owner, fixed } = behaviorOf(collection)
  const isFixed = (name: string) => Boolean(fixed?.create?.includes(name) && fixed.update?.includes(name))
  const fields = Object.entries(collection.fields).filter(
    ([name, field]) => !field.internal && !field.readOnly && !isFixed(name),
  )
  const required = fields.flatMap(([name, field]) => (isRequired(field) && name !== owner ? [name] : []))
  const entries: Record<string, v.GenericSchema> = collection.type === 'auth' ? { ...PASSWORD } : {}
  for (const [name, field] of fields) entries[name] = v.optional(fieldSchema(field))
  return described(
    v.pipe(v.looseObject(entries), v.title(`${titleOf(collection)}Body`)),
    required.length > 0 ? `Required for a new record: ${required.join(', ')}` : 'All fields are optional',
  )
}

function isRequired(field: Field): boolean {
  return field.required === true && field.default === undefined
}

/** `TimeSlots` for `time_slots`. */
function titleOf({ name }: AnyCollection): string {
  return name.replace(/(?:^|_)(\w)/g, (_, initial: string) => initial.toUpperCase())
}
