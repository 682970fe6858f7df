import { type Log, silentLog } from '../../src/base/index.ts'
import { type Database, type DatabaseOptions, openDatabase, type Schema } from '../../src/db/index.ts'
import { FakeClock } from './fake-clock.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A real database in a temporary folder, with a clock that stands still. */
export interface TestDatabase extends AsyncDisposable {
  db: Database
  clock: FakeClock
  dir: string
}

/** Opens a database in a temporary folder: `await using test = await openTestDatabase()`. */
export async function openTestDatabase(
  options: Partial<DatabaseOptions> & { schema?: Schema; log?: Log } = {},
): Promise<TestDatabase> {
  const folder = temporaryFolder()
  const clock = new FakeClock()
  const { schema, ...rest } = options
  const db = await openDatabase({ dir: folder.path, clock, log: silentLog, ...rest }, schema).catch(
    (error) => {
      folder[Symbol.dispose]()
      throw error
    },
  )
  return {
    db,
    clock,
    dir: folder.path,
    async [Symbol.asyncDispose]() {
      await db.close()
      folder[Symbol.dispose]()
    },
  }
}
