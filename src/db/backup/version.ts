import { COLLECTIONS } from '../collections.ts'
import type { Connection } from '../engine/connection.ts'
import { INTERNAL_TABLES } from '../schema/internal/index.ts'
import { MIGRATIONS } from '../schema/migrations/index.ts'
import { FOREIGN_TABLES, tablesOf } from '../schema/tables.ts'

/** The version of a stored database compared with this program; `other`: not a database of svc. */
export type Version = 'same' | 'older' | 'newer' | 'other'

/** Compares the tables and applied migrations of a database with those declared here. */
export function versionOf(connection: Connection): Version {
  const stored = columnsOf(connection)
  if (!stored.has('migrations.id') || !stored.has('meta.key')) return 'other'
  const ran = connection.all<{ id: number }>('SELECT id FROM migrations').map(({ id }) => id)
  const known = MIGRATIONS.map(({ id }) => id)
  if (ran.some((id) => !known.includes(id))) return 'newer'
  if (known.some((id) => !ran.includes(id))) return 'older'
  const declared = new Set(
    [...INTERNAL_TABLES, ...COLLECTIONS.flatMap(tablesOf)].flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column.name}`),
    ),
  )
  if ([...stored].some((column) => !declared.has(column))) return 'newer'
  return [...declared].some((column) => !stored.has(column)) ? 'older' : 'same'
}

/** All columns of a database as `table.column`. */
function columnsOf(connection: Connection): Set<string> {
  const rows = connection.all<{ name: string }>(
    `SELECT tables.name || '.' || columns.name AS name
     FROM sqlite_master tables, pragma_table_info(tables.name) columns
     WHERE tables.type = 'table' AND NOT ${FOREIGN_TABLES.replaceAll('name', 'tables.name')}`,
  )
  return new Set(rows.map(({ name }) => name))
}
