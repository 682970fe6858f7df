import * as v from 'valibot'
import { described, shape } from '../../http/schema.ts'

const explained = (help: string) => v.optional(described(v.string(), help))

const expand = explained('Relations to expand: `user,qpu.drivers_via_qpu`; up to 6 levels')
const fields = explained(
  'Fields to return, with dots for nested ones: `id,expand.user.name`; `*` = all fields of a level',
)

/** Query of routes that return one record; rules may refer to further parameters. */
export const recordQuery = v.objectWithRest({ expand, fields }, v.string())

/** Query of the list route; rules may refer to further parameters. */
export const listQuery = v.objectWithRest(
  {
    page: explained('Page number, starting at 1'),
    perPage: explained('Records per page, 1 to 1000; default 30'),
    after: explained(
      'Id of the last record of the page before; instead of page, at the same cost however deep in the list',
    ),
    skipTotal: explained('true returns totals of -1 and saves the count'),
    filter: explained("`status = 'pending' && created > '2026-01-31'`"),
    sort: explained('Field names, comma separated; prefix - for descending order'),
    expand,
    fields,
    format: described(
      v.optional(v.picklist(['json', 'jsonl', 'csv'])),
      'jsonl or csv: all records as a file in the order of their ids; for superusers',
    ),
  },
  v.string(),
)

const rule = described(v.nullable(v.string()), "Filter; null = superusers only, '' = everybody")

/** The description of a collection. */
export const collectionResponse = shape('Collection', {
  id: v.string(),
  name: v.string(),
  type: v.picklist(['base', 'auth']),
  system: v.boolean(),
  listRule: rule,
  viewRule: rule,
  createRule: rule,
  updateRule: rule,
  deleteRule: rule,
  fields: v.array(
    v.looseObject({ id: v.string(), name: v.string(), type: v.string(), required: v.boolean() }),
  ),
  indexes: v.array(v.string()),
  created: v.string(),
  updated: v.string(),
})

/** A page of a list. */
export function pageOf(item: v.GenericSchema) {
  return v.object({
    page: v.number(),
    perPage: v.number(),
    totalItems: v.number(),
    totalPages: v.number(),
    items: v.array(item),
  })
}
