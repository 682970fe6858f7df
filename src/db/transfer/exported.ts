import type { AnyCollection } from '../schema/collection.ts'
import type { AnyRecord } from '../schema/plan.ts'

/** The key under which exported accounts carry their password hash. */
export const PASSWORD_HASH = 'password_hash'

/** The keys of an exported record, in order, without `collection`. */
export function exportedKeys(collection: AnyCollection): string[] {
  return ['id', ...Object.keys(collection.fields).flatMap(publicKey(collection)), 'created', 'updated']
}

/**
 * A record as `svc export` writes it and `svc import` reads it: all fields, including hashes of passwords and
 * tokens, except the keys that sign sessions, which are of use only in this database.
 */
export function exportedRecord(collection: AnyCollection, record: AnyRecord): Record<string, unknown> {
  const exported: Record<string, unknown> = { collection: collection.name, id: record.id }
  for (const name of Object.keys(collection.fields)) {
    for (const key of publicKey(collection)(name)) exported[key] = record[name]
  }
  return { ...exported, created: record.created, updated: record.updated }
}

const publicKey = (collection: AnyCollection) => (name: string) => {
  if (collection.type !== 'auth') return [name]
  if (name === 'tokenKey') return []
  return [name === 'password' ? PASSWORD_HASH : name]
}
