import { AppError } from '../../base/index.ts'
import { quoted } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { Reference } from '../schema/reference.ts'
import type { WriterDependencies } from './writer-dependencies.ts'

type Remove = (collection: AnyCollection, id: string) => boolean

/**
 * Removes every reference to the record `id` of `collection`: cascading relations remove their record (lists
 * with their last id), logs keep the id, and the others lose it.
 * @throws AppError `invalid` when a required relation without cascade refers to it.
 */
export function releaseReferences(
  dependencies: WriterDependencies,
  collection: AnyCollection,
  id: string,
  remove: Remove,
): void {
  for (const other of dependencies.collections) {
    for (const [name, { reference }] of Object.entries(other.fields)) {
      if (reference?.to === collection.name) release(dependencies, other, name, reference, id, remove)
    }
  }
}

function release(
  { sql, reader, recordChange }: WriterDependencies,
  other: AnyCollection,
  name: string,
  reference: Reference,
  id: string,
  remove: Remove,
): void {
  if (reference.onRemove === 'keep') return
  const [table, column] = [quoted(other.name), quoted(name)]
  const condition = reference.holds(sql.dialect, column, '= $id')
  const select = (test: string) =>
    sql.all<{ id: string }>(`SELECT id FROM ${table} WHERE ${condition} AND ${test}`, { id })
  if (reference.onRemove === 'cascade') {
    for (const row of select(reference.hasOne(sql.dialect, column))) remove(other, row.id)
    if (!reference.isList) return
  }
  const rows = select('TRUE')
  if (rows.length === 0) return
  if (reference.onRemove === 'restrict') {
    throw new AppError(
      'invalid',
      'Failed to delete record. Make sure that the record is not part of a required relation reference',
      { reason: 'required_reference' },
    )
  }
  sql.post(
    `UPDATE ${table} SET ${column} = ${reference.without(sql.dialect, column, '$id')}, updated = $at WHERE ${condition}`,
    { id, at: sql.at },
  )
  for (const row of rows) {
    const record = reader.find(other, row.id)
    recordChange({ collection: other.name, id: row.id, action: 'update', record })
  }
}
