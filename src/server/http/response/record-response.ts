import * as v from 'valibot'
import type { AnyCollection, AnyField } from '../../../db/index.ts'

type Shape = Record<string, v.GenericSchema>

/**
 * The answer that shows a record as `presentRecord` makes it, from the collection's declaration; `extra` adds
 * fields or says more of one. The title is the name of the shape in the API reference.
 */
export function recordAnswer(title: string, collection: AnyCollection, extra: Shape = {}) {
  const entries: Shape = { collectionId: v.string(), collectionName: v.string(), id: v.string() }
  for (const [name, field] of Object.entries(collection.fields)) {
    if (field.internal) continue
    const shown = fieldSchema(field)
    // Whether an address is shown depends on its owner and the caller.
    entries[name] = field.hidden || field.kind === 'email' ? v.optional(shown) : shown
  }
  const shape: Shape = { ...entries, created: TIME, updated: TIME, ...extra }
  return v.pipe(v.object(shape), v.title(title))
}

/** The values of one field, as callers read and write them. */
export function fieldSchema(field: AnyField): v.GenericSchema {
  const schema = schemaOf(field)
  return field.help === undefined ? schema : v.pipe(schema, v.description(field.help))
}

const TIME = v.pipe(v.string(), v.description("UTC, as 2026-01-31 09:05:00.000Z; '' = not set"))

function schemaOf(field: AnyField): v.GenericSchema {
  switch (field.kind) {
    case 'number':
    case 'seconds':
      return v.number()
    case 'bool':
      return v.boolean()
    case 'date':
      return TIME
    case 'choice':
      return v.picklist(field.choices)
    case 'relations':
      return v.array(v.string())
    case 'json':
      return v.unknown()
    case 'relation':
      return v.pipe(v.string(), v.description(`Id in ${field.to}; '' = none`))
    default:
      return v.string()
  }
}
