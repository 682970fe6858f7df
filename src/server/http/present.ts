import {
  type AnyCollection,
  type CollectionNames,
  type Expanded,
  type RecordOf,
  users,
} from '../../db/index.ts'
import type { Caller } from './caller.ts'

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

/** How a caller looks at a record: superusers see everything, everybody their own address. */
export function viewerOf(caller: Caller, collection: AnyCollection, id: string): Viewer {
  return {
    isSuperuser: caller.kind === 'superuser',
    isSelf: caller.kind === 'user' && collection.name === users.name && caller.user.id === id,
  }
}

/** A record with its related records under `expand`, each as the caller may see it. */
export function presentExpanded(
  { collection, record, expand }: Expanded,
  names: CollectionNames,
  caller: Caller,
): Record<string, unknown> {
  const shown = presentRecord(collection, record, names, viewerOf(caller, collection, record.id))
  if (!expand) return shown
  const related = Object.entries(expand).map(([name, each]) => [
    name,
    isMany(each)
      ? each.map((one) => presentExpanded(one, names, caller))
      : presentExpanded(each, names, caller),
  ])
  return { ...shown, expand: Object.fromEntries(related) }
}

function isMany(related: Expanded | readonly Expanded[]): related is readonly Expanded[] {
  return Array.isArray(related)
}
