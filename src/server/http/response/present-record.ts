import {
  type AnyCollection,
  type CollectionNames,
  type JsonText,
  type RecordOf,
  type StoredJson,
  storedValue,
  unreadText,
} from '../../../db/index.ts'

/** Ids that are fixed in clients of the record-store pattern. */
const FIXED_IDS: Record<string, string> = { users: '_pb_users_auth_', superusers: 'pbc_3142635823' }

/** The id of a collection: `pbc_` and the CRC-32 of its type and name, as in the record-store pattern. */
export function collectionIdOf(collection: AnyCollection): string {
  return FIXED_IDS[collection.name] ?? `pbc_${Bun.hash.crc32(`${collection.type}${collection.publicName}`)}`
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
  names: CollectionNames,
  viewer: Viewer,
): Record<string, unknown> {
  // Not a copy, which would parse large values.
  const values: Readonly<Record<string, unknown>> = record
  const presented: Record<string, unknown> = {
    collectionId: collectionIdOf(collection),
    collectionName: names.publicName(collection),
    id: record.id,
  }
  for (const [name, field] of Object.entries(collection.fields)) {
    if (field.internal || (field.hidden && !viewer.isSuperuser)) continue
    if (
      name === 'email' &&
      !viewer.isSuperuser &&
      record.id !== viewer.self &&
      values['emailVisibility'] !== true
    )
      continue
    const value = large(record, name) ?? values[name]
    const isFiltered = field.ownOnly && !viewer.isSuperuser && Array.isArray(value)
    presented[name] = isFiltered ? value.filter((id) => id === viewer.self) : value
  }
  return { ...presented, created: record.created, updated: record.updated }
}

/** A large value that nobody has read: still in the database, or as the text that is stored. */
function large(record: object, name: string): JsonText | StoredJson | undefined {
  return storedValue(record, name) ?? unreadText(record, name)
}
