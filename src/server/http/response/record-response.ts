import * as v from 'valibot'
import { type AnyCollection, date, type Field, type ValueSchema } from '../../../db/index.ts'
import { described, shape } from '../schema.ts'

type Shape = Record<string, v.GenericSchema>

/**
 * Schema of a record as returned by `presentRecord`, derived from the declaration of the collection; `extra`
 * adds fields or replaces their schemas. `title` is the name of the schema in the API reference.
 */
export function recordResponse(title: string, collection: AnyCollection, extra: Shape = {}) {
  const entries: Shape = { collectionId: v.string(), collectionName: v.string(), id: v.string() }
  for (const [name, field] of Object.entries(collection.fields)) {
    if (field.internal) continue
    const shown = fieldSchema(field)
    entries[name] = field.hidden || field.kind.isPersonal ? v.optional(shown) : shown
  }
  const all: Shape = { ...entries, created: TIME, updated: TIME, ...extra }
  return shape(title, all)
}

/** The values of one field, as callers read and write them. */
export function fieldSchema(field: Field): v.GenericSchema {
  const schema = shapeOf(field.kind.schema(field))
  return field.help === undefined ? schema : described(schema, field.help)
}

const TIME = fieldSchema(date())

function shapeOf({ description, ...schema }: ValueSchema): v.GenericSchema {
  const shape = plainShapeOf(schema)
  return description === undefined ? shape : described(shape, description)
}

function plainShapeOf({ type, enum: choices, items = {} }: ValueSchema): v.GenericSchema {
  switch (type) {
    case 'string':
      return choices ? v.picklist(choices) : v.string()
    case 'number':
      return v.number()
    case 'boolean':
      return v.boolean()
    case 'array':
      return v.array(shapeOf(items))
    default:
      return v.unknown()
  }
}
