import { type Log, silentLog } from '../../src/base/index.ts'
import type { ServerAddress } from '../../src/db/engine/server-address.ts'
import {
  type Database,
  type DatabaseOptions,
  type DatabasePlace,
  openDatabase,
  type Schema,
} from '../../src/db/index.ts'
import { openServerDatabase } from '../../src/db/postgres/open-database.ts'
import { FakeClock } from './fake-clock.ts'
import { sharedServer, type TestServer } from './postgres/server.ts'
import { databaseFolder, type TemporaryFolder, temporaryFolder } from './temporary-folder.ts'

type TestOptions = Partial<DatabaseOptions> & { schema?: Schema; log?: Log }

/** A real database in a temporary folder, with a clock that stands still. */
export interface TestDatabase extends AsyncDisposable {
  db: Database
  clock: FakeClock
  dir: string
  /** Where the database is. */
  place: DatabasePlace
}

/**
 * Opens a database in a temporary folder: `await using test = await openTestDatabase()`. With
 * `SVC_TEST_STORE=postgres` it is on a server, and the folder is empty.
 */
export async function openTestDatabase(options: TestOptions = {}): Promise<TestDatabase> {
  const server = sharedServer()
  return server ? openOnServer(server, options) : openOnFile(options)
}

/** The same in a temporary folder, also with `SVC_TEST_STORE=postgres`. */
export function openOnFile(options: TestOptions = {}): Promise<TestDatabase> {
  return openIn(databaseFolder(), options)
}

/** The same on the disk, for tests of its flushes, which take no time in memory. */
export function openOnDisk(options: TestOptions = {}): Promise<TestDatabase> {
  return openIn(temporaryFolder(), options)
}

async function openIn(folder: TemporaryFolder, { schema, ...options }: TestOptions): Promise<TestDatabase> {
  const clock = new FakeClock()
  const db = await openDatabase({ dir: folder.path, clock, log: silentLog, ...options }, schema).catch(
    (error) => {
      folder[Symbol.dispose]()
      throw error
    },
  )
  return {
    db,
    clock,
    dir: folder.path,
    place: { dir: folder.path },
    async [Symbol.asyncDispose]() {
      await db.close()
      folder[Symbol.dispose]()
    },
  }
}

/** A busy machine takes longer than one that serves users. */
export const PATIENCE_MS = 30_000

/** Databases with the tables of the service, of which copies are made faster, by their server. */
const declared = new WeakMap<TestServer, Promise<ServerAddress>>()

/** A new database on a server, with the tables of the service. */
export async function createDeclared(server: TestServer): Promise<ServerAddress> {
  const template = declared.get(server) ?? createTemplate(server)
  declared.set(server, template)
  return server.createDatabase(await template)
}

async function createTemplate(server: TestServer): Promise<ServerAddress> {
  const address = await server.createDatabase()
  const clock = new FakeClock()
  await (
    await openServerDatabase({ server: address, clock, log: silentLog, patienceMs: PATIENCE_MS })
  ).close()
  return address
}

/** The same on a server, with an empty folder. */
export async function openOnServer(
  server: TestServer,
  { schema, ...options }: TestOptions = {},
): Promise<TestDatabase> {
  const folder = temporaryFolder()
  const clock = new FakeClock()
  const address = await (schema ? server.createDatabase() : createDeclared(server))
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
    place: { server: address },
    async [Symbol.asyncDispose]() {
      await db.close()
      await free()
    },
  }
}
