import { type Log, silentLog } from '../../src/base/index.ts'
import type { ServerAddress } from '../../src/db/engine/server-address.ts'
import { type Database, type DatabaseOptions, openDatabase, type Schema } from '../../src/db/index.ts'
import { openServerDatabase } from '../../src/db/postgres/open-database.ts'
import { FakeClock } from './fake-clock.ts'
import { sharedServer } from './postgres/server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A real database in a temporary folder, with a clock that stands still. */
export interface TestDatabase extends AsyncDisposable {
  db: Database
  clock: FakeClock
  dir: string
}

/**
 * Opens a database in a temporary folder: `await using test = await openTestDatabase()`. With
 * `SVC_TEST_STORE=postgres` it is on a server, and the folder is empty.
 */
export async function openTestDatabase(
  options: Partial<DatabaseOptions> & { schema?: Schema; log?: Log } = {},
): Promise<TestDatabase> {
  const folder = temporaryFolder()
  const clock = new FakeClock()
  const { schema, ...rest } = options
  if (process.env['SVC_TEST_STORE'] === 'postgres') return openOnServer(folder, clock, options)
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

/** A busy machine takes longer than one that serves users. */
const PATIENCE_MS = 30_000

/** A database with the tables of the service, of which copies are made faster. */
let declared: Promise<ServerAddress> | undefined

async function createDeclared(): Promise<ServerAddress> {
  const address = await (await sharedServer()).createDatabase()
  const clock = new FakeClock()
  await (
    await openServerDatabase({ server: address, clock, log: silentLog, patienceMs: PATIENCE_MS })
  ).close()
  return address
}

async function openOnServer(
  folder: ReturnType<typeof temporaryFolder>,
  clock: FakeClock,
  { schema, ...options }: Partial<DatabaseOptions> & { schema?: Schema },
): Promise<TestDatabase> {
  const server = await sharedServer()
  declared ??= schema ? undefined : createDeclared()
  const address = await server.createDatabase(schema ? undefined : await declared)
  const free = async () => {
    await server.dropDatabase(address)
    folder[Symbol.dispose]()
  }
  const required = { server: address, clock, log: silentLog, patienceMs: PATIENCE_MS }
  const db = await openServerDatabase({ ...required, ...options }, schema).catch(async (error) => {
    await free()
    throw error
  })
  return {
    db,
    clock,
    dir: folder.path,
    async [Symbol.asyncDispose]() {
      await db.close()
      await free()
    },
  }
}
