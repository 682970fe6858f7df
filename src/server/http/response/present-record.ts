import {
  type AnyCollection,
  type CollectionNames,
  type Field,
  type RecordOf,
  unreadValues,
} from '../../../db/index.ts'

/** Ids that are fixed in clients of the record-store pattern. */
const FIXED_IDS: Record<string, string> = { users: '_pb_users_auth_', superusers: 'pbc_3142635823' }

/** The id of a collection: `pbc_` and the CRC-32 of its type and name, as in the record-store pattern. */
export function collectionIdOf(collection: AnyCollection): string {
  return shownOf(collection).id
}

/** What is shown of each record of a collection; computed once, since lists need it for each record. */
interface Shown {
  /** Id of the collection. */
  readonly id: string
  readonly fields: readonly (readonly [name: string, field: Field])[]
}

const known = new WeakMap<AnyCollection, Shown>()

function shownOf(collection: AnyCollection): Shown {
  const before = known.get(collection)
  if (before) return before
  const { type, name, publicName } = collection
  const shown = {
    id: FIXED_IDS[name] ?? `pbc_${Bun.hash.crc32(`${type}${publicName}`)}`,
    fields: Object.entries(collection.fields).filter(([, field]) => !field.internal),
  }
  known.set(collection, shown)
  return shown
}

interface Viewer {
  isSuperuser: boolean
  /** Id of the caller's own account. */
  self?: string | undefined
}

/**
 * A record as returned to clients: with collection id and name, without the fields hidden from the viewer.
 */
export function presentRecord<C extends AnyCollection>(
  collection: C,
  record: RecordOf<C>,
  names: Pick<CollectionNames, 'publicName'>,
  viewer: Viewer,
): Record<string, unknown> {
  // Not a copy, which would parse large values.
  const values: Readonly<Record<string, unknown>> = record
  const unread = unreadValues(record)
  const presented: Record<string, unknown> = {
    collectionId: collectionIdOf(collection),
    collectionName: names.publicName(collection),
    id: record.id,
  }
  for (const [name, field] of shownOf(collection).fields) {
    if (field.hidden && !viewer.isSuperuser) continue
    if (
      name === 'email' &&
      !viewer.isSuperuser &&
      record.id !== viewer.self &&
      values['emailVisibility'] !== true
    )
      continue
    const value = unread?.get(name) ?? values[name]
    const isFiltered = field.ownOnly && !viewer.isSuperuser && Array.isArray(value)
    presented[name] = isFiltered ? value.filter((id) => id === viewer.self) : value
  }
  presented['created'] = record.created
  presented['updated'] = record.updated
  return presented
}
