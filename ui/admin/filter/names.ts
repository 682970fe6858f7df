import { type Collection, type Field, targetOf } from '../collections/model.ts'

/** Times and parts of times that a filter may name, with what they mean. All are in UTC. */
export const MACROS: Readonly<Record<string, string>> = {
  '@now': 'current time',
  '@todayStart': 'today 00:00 UTC',
  '@todayEnd': 'today 23:59 UTC',
  '@yesterday': '24 h ago',
  '@tomorrow': 'in 24 h',
  '@monthStart': 'start of this month',
  '@monthEnd': 'end of this month',
  '@yearStart': 'start of this year',
  '@yearEnd': 'end of this year',
  '@second': 'current second',
  '@minute': 'current minute',
  '@hour': 'current hour',
  '@day': 'day of the month',
  '@weekday': 'day of the week, 0 is Sunday',
  '@month': 'current month',
  '@year': 'current year',
}

export const MODIFIERS: Readonly<Record<string, string>> = {
  lower: 'in lower case',
  length: 'number of items',
  each: 'every item',
}

export const FUNCTIONS = ['strftime', 'geoDistance'] as const
export const CONSTANTS = ['true', 'false', 'null'] as const

/** The collections, and the one that is filtered. */
export interface Names {
  collection: Collection
  all: readonly Collection[]
}

/** Where a path through relations has arrived. */
interface Place {
  collection: Collection
  /** The field before this place; undefined at the begin and behind a back relation. */
  field?: Field
}

/** The fields of a collection that a filter may name. */
export function fieldsOf({ fields }: Collection): Field[] {
  return fields.filter(({ type }) => type !== 'password')
}

/** The field at the end of a path; `json` behind one of JSON, where any name is valid. */
export function fieldAt({ collection, all }: Names, path: string): Field | 'json' | undefined {
  const place = follow({ collection, all }, path.split('.').slice(0, -1))
  if (place === 'json') return 'json'
  const last = path.slice(path.lastIndexOf('.') + 1).replace(/:.*$/, '')
  return place && fieldsOf(place.collection).find(({ name }) => name === last)
}

/** The place behind some relations; undefined if one of them does not exist. */
export function follow({ collection, all }: Names, path: readonly string[]): Place | 'json' | undefined {
  let place: Place = { collection }
  for (const name of path) {
    const field = fieldsOf(place.collection).find((each) => each.name === name)
    if (field?.type === 'json') return 'json'
    const next = field ? targetOf(field, all) : backTarget(place.collection, all, name)
    if (!next) return undefined
    place = field ? { collection: next, field } : { collection: next }
  }
  return place
}

/** `quantum_jobs_via_user_id`: the records of another collection that refer to this one. */
function backTarget(from: Collection, all: readonly Collection[], name: string): Collection | undefined {
  return all.find((each) =>
    each.fields.some((field) => field.collectionId === from.id && name === backName(each, field)),
  )
}

/** The name of a back relation. */
export function backName({ name }: Collection, field: Field): string {
  return `${name}_via_${field.name}`
}
