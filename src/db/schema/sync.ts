import { AppError } from '../../base/index.ts'
import { columnName, type StoredSchema, type Table, type Triggers } from '../engine/stored-schema.ts'

/**
 * Adds the declared tables, columns, indexes and triggers that are missing; call it inside a transaction.
 * Indexes and triggers hold no data of their own, so changed ones are rebuilt and undeclared ones dropped.
 * `others`: more triggers.
 * @throws AppError `internal`, reason `migration_missing`, when a declaration would lose or change stored
 *   data.
 */
export function syncTables(
  schema: StoredSchema,
  tables: readonly Table[],
  nextMigration: number,
  others: readonly Triggers[] = [],
): void {
  const existing = new Map(schema.tables().map((table) => [table.name, table]))
  const refuse = refusal(nextMigration)
  for (const name of existing.keys()) {
    if (!tables.some((table) => table.name === name)) {
      refuse(`drop-${name}`, `the table ${name} is stored but no longer declared`)
    }
  }
  for (const table of tables) {
    const stored = existing.get(table.name)
    if (stored === undefined) schema.create(table)
    else addColumns(schema, table, { stored: stored.definitions, refuse })
  }
  schema.replaceIndexes(tables.flatMap(({ indexes }) => indexes))
  schema.replaceTriggers([...tables.flatMap(({ triggers }) => triggers ?? []), ...others])
}

/** Whether `syncTables` would add tables or columns, which an older version would refuse. */
export function isIncomplete(schema: StoredSchema, tables: readonly Table[]): boolean {
  const existing = new Map(schema.tables().map(({ name, definitions }) => [name, definitions]))
  return tables.some(({ name, columns }) => {
    const stored = existing.get(name)
    return !stored || columns.some((column) => !stored.some((each) => columnName(each) === column.name))
  })
}

type Refuse = (change: string, what: string) => never

function refusal(nextMigration: number): Refuse {
  return (change, what) => {
    const file = `${String(nextMigration).padStart(4, '0')}-${change.replaceAll('_', '-')}.ts`
    throw new AppError(
      'internal',
      `The database does not fit this version: ${what}. If a newer version wrote it, start that version or restore the copy that it made first (.before-…); otherwise the migration src/db/schema/migrations/${file} is missing`,
      { reason: 'migration_missing' },
    )
  }
}

function addColumns(
  schema: StoredSchema,
  table: Table,
  { stored, refuse }: { stored: readonly string[]; refuse: Refuse },
): void {
  const declared = [...table.columns.map((column) => column.sql), ...table.constraints]
  for (const definition of stored) {
    if (declared.includes(definition)) continue
    const name = columnName(definition)
    const column = table.columns.find((each) => each.name === name)
    if (column) {
      refuse(`change-${table.name}-${column.name}`, `${table.name}.${column.name} is stored as ${definition}`)
    }
    refuse(
      `drop-${table.name}-${name ?? 'constraint'}`,
      `${table.name} has ${definition}, no longer declared`,
    )
  }
  for (const constraint of table.constraints) {
    if (!stored.includes(constraint)) refuse(`constrain-${table.name}`, `${table.name} lacks ${constraint}`)
  }
  for (const column of table.columns.filter((each) => !stored.includes(each.sql))) {
    if (!column.addable) {
      refuse(`add-${table.name}-${column.name}`, `${table.name}.${column.name} needs a value for stored rows`)
    }
    schema.addColumn(table.name, column.sql)
  }
}
