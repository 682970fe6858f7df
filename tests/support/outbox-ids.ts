import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Journal } from '../../src/driver/connection/journal.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Ids of the events in the outbox of a driver, which may be running or of an earlier release. */
export async function outboxIds(folder: string): Promise<string[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const ids = files.map((name) => name.slice(0, -'.json'.length))
  if (!existsSync(join(folder, 'journal'))) return ids
  // Opening a journal prepares it for writing, which belongs to the driver.
  using copy = temporaryFolder()
  const path = join(copy.path, 'journal')
  copyFileSync(join(folder, 'journal'), path)
  const { journal } = await Journal.open(path)
  await journal.close()
  return [...ids, ...journal.ids()]
}
