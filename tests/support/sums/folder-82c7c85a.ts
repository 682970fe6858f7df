import { Database as Sqlite } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DUMP = `${import.meta.dir}/../../golden/folder-82c7c85a.sql`

/** What the code of commit 82c7c85a read from the folder. */
interface Read {
  usage: object[]
  recent: object[]
  score: object
  bytes: Record<string, number>
  /** Kind, source, ms and time of each entry of a user, the newest first. */
  ledger: Record<string, unknown[][]>
}

/**
 * Writes the database that commit 82c7c85a left in a folder when it was killed: the sums of six jobs that had
 * run were not written yet, three of them could be read again from their rows.
 */
export function writeEarlierFolder(dir: string): Read {
  const [head = '', ...statements] = readFileSync(DUMP, 'utf8').trim().split('\n')
  const db = new Sqlite(join(dir, 'svc.db'))
  for (const sql of statements) db.run(sql)
  db.close()
  return JSON.parse(head.slice('-- '.length)) as Read
}
