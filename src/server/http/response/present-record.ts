import type { AnyCollection, CollectionNames, RecordOf } from '../../../db/index.ts'

/** Ids that clients of the record-store pattern know by heart. */
const FIXED_IDS: Record<string, string> = { users: '_pb_users_auth_', superusers: 'pbc_3142635823' }

/** `pbc_` and the CRC-32 of type and name, as the record-store pattern derives it. */
export function collectionIdOf(collection: AnyCollection): string {
  return FIXED_IDS[collection.name] ?? `pbc_${Bun.hash.crc32(`${collection.type}${collection.publicName}`)}`
}

interface Viewer {
  isSuperuser: boolean
  /** The record is the caller's own account. */
  isSelf?: boolean
}

/** A record as clients see it: with collection id and name, without what the viewer must not see. */
export function presentRecord<C extends AnyCollection>(
  collection: C,
  record: RecordOf<C>,
  names: CollectionNames,
  viewer: Viewer,
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...record }
  const shown: Record<string, unknown> = {
    collectionId: collectionIdOf(collection),
    collectionName: names.publicName(collection),
    id: record.id,
  }
  for (const [name, field] of Object.entries(collection.fields)) {
    if (field.internal || (field.hidden && !viewer.isSuperuser)) continue
    if (name === 'email' && !viewer.isSuperuser && !viewer.isSelf && values['emailVisibility'] !== true)
      continue
    shown[name] = values[name]
  }
  return { ...shown, created: record.created, updated: record.updated }
}
