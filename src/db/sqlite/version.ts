import { COLLECTIONS } from '../collections.ts'
import type { Connection } from '../engine/connection.ts'
import { columnName, type StoredTable } from '../engine/stored-schema.ts'
import { INTERNAL_TABLES } from '../schema/internal/index.ts'
import { MIGRATIONS } from '../schema/migrations/index.ts'
import { tablesOf } from '../schema/tables.ts'
import { storedTables } from './stored-schema.ts'

/** The version of a stored database compared with this program; `other`: not a database of svc. */
export type Version = 'same' | 'older' | 'newer' | 'other'

/** Compares the tables and applied migrations of a database with those declared here. */
export function versionOf(connection: Connection): Version {
  const stored = namesOf(storedTables(connection))
  if (!stored.has('migrations.id') || !stored.has('meta.key')) return 'other'
  const ran = connection.all<{ id: number }>('SELECT id FROM migrations').map(({ id }) => id)
  const known = MIGRATIONS.map(({ id }) => id)
  if (ran.some((id) => !known.includes(id))) return 'newer'
  if (known.some((id) => !ran.includes(id))) return 'older'
  const declared = namesOf(
    [...INTERNAL_TABLES, ...COLLECTIONS.flatMap(tablesOf)].map(({ name, columns }) => ({
      name,
      definitions: columns.map((column) => column.sql),
    })),
  )
  if ([...stored].some((name) => !declared.has(name))) return 'newer'
  return [...declared].some((name) => !stored.has(name)) ? 'older' : 'same'
}

/** The names of tables, and of their columns as `table.column`. */
function namesOf(tables: readonly StoredTable[]): Set<string> {
  return new Set(
    tables.flatMap(({ name, definitions }) => [
      name,
      ...definitions.flatMap((each) => columnName(each) ?? []).map((column) => `${name}.${column}`),
    ]),
  )
}
