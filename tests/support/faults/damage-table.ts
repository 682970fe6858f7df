import { Database } from 'bun:sqlite'
import { closeSync, openSync, writeSync } from 'node:fs'
import { until } from '../until.ts'

/**
 * Overwrites the first pages of a table and of its indexes in the file of a database that is open. The table
 * must be as it was when the server started.
 */
export async function damageTable(path: string, table: string): Promise<void> {
  using database = new Database(path)
  const pages = database.query('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').values(table)
  const size = Number(database.query('PRAGMA page_size').values()[0]?.[0])
  const file = openSync(path, 'r+')
  for (const [page] of pages) writeSync(file, Buffer.alloc(size, 0xff), 0, size, (Number(page) - 1) * size)
  closeSync(file)
  // A commit of another connection empties the caches of the server, unless that is writing just then.
  await until('a commit', async () => database.run('UPDATE superusers SET email = email').changes > 0)
}
