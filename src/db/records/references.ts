import { AppError } from '../../base/index.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { RelationField } from '../schema/field.ts'
import { quoted } from '../sqlite/sql.ts'
import type { WriterDependencies } from './writer-dependencies.ts'

type Remove = (collection: AnyCollection, id: string) => boolean

/**
 * Makes no record name `id` of `collection` any more: cascading relations remove their record, the others
 * forget the id, logs keep it.
 * @throws AppError `invalid` when a required relation without cascade names it.
 */
export function releaseReferences(
  parts: WriterDependencies,
  collection: AnyCollection,
  id: string,
  remove: Remove,
): void {
  for (const other of parts.collections) {
    for (const [name, field] of Object.entries(other.fields)) {
      if (field.kind === 'relation' && field.to === collection.name) {
        releaseSingle(parts, other, name, field, id, remove)
      }
      if (field.kind === 'relations' && field.to === collection.name) {
        releaseMany(parts, other, name, id)
      }
    }
  }
}

function releaseSingle(
  { sql, reader, recordChange }: WriterDependencies,
  other: AnyCollection,
  name: string,
  field: RelationField,
  id: string,
  remove: Remove,
): void {
  if (field.keep) return
  const condition = `${quoted(name)} = $id`
  const rows = sql.all<{ id: string }>(`SELECT id FROM ${quoted(other.name)} WHERE ${condition}`, { id })
  if (rows.length === 0) return
  if (field.cascade) {
    for (const row of rows) remove(other, row.id)
    return
  }
  if (field.required) {
    throw new AppError(
      'invalid',
      'Failed to delete record. Make sure that the record is not part of a required relation reference',
      { reason: 'required_reference' },
    )
  }
  sql.run(`UPDATE ${quoted(other.name)} SET ${quoted(name)} = '', updated = $at WHERE ${condition}`, {
    id,
    at: sql.at,
  })
  for (const row of rows) recordChange(other, row.id, 'update', reader.find(other, row.id))
}

function releaseMany(
  { sql, reader, recordChange }: WriterDependencies,
  other: AnyCollection,
  name: string,
  id: string,
): void {
  const table = quoted(other.name)
  const column = quoted(name)
  const rows = sql.all<{ id: string }>(
    `SELECT id FROM ${table} WHERE EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = $id)`,
    { id },
  )
  for (const row of rows) {
    sql.run(
      `UPDATE ${table} SET updated = $at, ${column} =
         (SELECT json_group_array(value) FROM json_each(${column}) WHERE value <> $id) WHERE id = $row`,
      { id, at: sql.at, row: row.id },
    )
    recordChange(other, row.id, 'update', reader.find(other, row.id))
  }
}
