import { quoted } from '../../engine/sql.ts'
import type { Columns } from '../../engine/table.ts'

/** The statement that creates a table; a temporary one is for this connection only. */
export function createTable(table: Columns, { isTemporary } = { isTemporary: false }): string {
  const lines = [...table.columns.map((column) => column.sql), ...table.constraints]
  return `CREATE ${isTemporary ? 'TEMP ' : ''}TABLE ${quoted(table.name)} (\n  ${lines.join(',\n  ')}\n) STRICT${table.isKeyed ? ', WITHOUT ROWID' : ''}`
}
