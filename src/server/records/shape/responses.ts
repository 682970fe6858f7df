import * as v from 'valibot'

const described = (help: string) => v.optional(v.pipe(v.string(), v.description(help)))

const expand = described('Relations to follow: `user,qpu.drivers_via_qpu`; up to 6 deep')
const fields = described('Names to keep, with dots: `id,expand.user.name`; `*` = all of a level')

/** Query of routes that answer with one record; other names are for rules. */
export const recordQuery = v.objectWithRest({ expand, fields }, v.string())

/** Query of the list route; other names are for rules. */
export const listQuery = v.objectWithRest(
  {
    page: described('From 1'),
    perPage: described('1 to 1000; 30 when left out'),
    skipTotal: described('true leaves the totals at -1, so that nothing has to be counted'),
    filter: described("`status = 'pending' && created > '2026-01-31'`"),
    sort: described('Names, comma separated; - in front for descending order'),
    expand,
    fields,
    format: v.pipe(
      v.optional(v.picklist(['json', 'jsonl', 'csv'])),
      v.description('jsonl or csv: all records as a file, in the order of their ids; for superusers'),
    ),
  },
  v.string(),
)

const rule = v.pipe(v.nullable(v.string()), v.description("A filter; null = superusers only, '' = everybody"))

/** What a collection is made of. */
export const collectionResponse = v.pipe(
  v.object({
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
  }),
  v.title('Collection'),
)

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
