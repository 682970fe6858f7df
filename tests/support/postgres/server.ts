import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { ServerAddress } from '../../../src/db/engine/server-address.ts'
import { freePort } from '../free-port.ts'
import { databaseFolder, temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'

const USER = 'svc'

/** Folder of the programs of PostgreSQL; undefined where it is not installed. */
function findPrograms(): string | undefined {
  const installed = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
    : []
  const [, onPath] = [Bun.which('postgres'), Bun.which('initdb')]
  return [...installed.toReversed(), ...(onPath ? [join(onPath, '..')] : [])].find((folder) =>
    existsSync(join(folder, 'initdb')),
  )
}

/** Why tests of PostgreSQL do not run; undefined when they do. */
export const postgresMissing = findPrograms() === undefined ? 'PostgreSQL is not installed' : undefined

interface TestReplica extends AsyncDisposable {
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

/** A server of PostgreSQL of these tests alone. */
export interface TestServer extends AsyncDisposable {
  /** Id of its first process, which a restart changes. */
  readonly pid: number
  /** The address of one of its databases. */
  address(database: string): ServerAddress
  /** Runs a statement as its superuser, in the database at `address` if there is one. */
  run(sql: string, address?: ServerAddress): Promise<Record<string, unknown>[]>
  /**
   * Creates a database as the service needs it, empty or a copy of that at `template`, which nobody uses.
   * Returns its address.
   */
  createDatabase(template?: ServerAddress): Promise<ServerAddress>
  dropDatabase(address: ServerAddress): Promise<void>
  /** Restores the dump of a database into a new one, whose address it returns. */
  dumpAndRestore(address: ServerAddress): Promise<ServerAddress>
  /** Puts one database into the place of another one, which is lost, as when an old replica is promoted. */
  replace(address: ServerAddress, by: ServerAddress): Promise<void>
  /** Starts a replica, which receives what is committed as long as it is not frozen. */
  startReplica(): Promise<TestReplica>
  /** Ends it, in an orderly way or as a crash does, and starts it again with its data. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
}

/**
 * Starts a server, without flushes to disk unless it is measured; it does not run as root: then its own
 * account runs it.
 */
export async function startServer({ flushes = false } = {}): Promise<TestServer> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is not installed; install the package postgresql')
  const folder = flushes ? temporaryFolder() : databaseFolder()
  const data = join(folder.path, 'data')
  const isRoot = process.getuid?.() === 0
  const makeDataFolder = (path: string) => {
    mkdirSync(path, { mode: 0o700 })
    if (!isRoot) return
    chmodSync(folder.path, 0o711)
    const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^(postgres):[^:]*:(\d+):(\d+)/m) ?? []
    chownSync(path, Number(uid), Number(gid))
  }
  makeDataFolder(data)
  const account = isRoot ? ['--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  // The kernel ends it when the process of the tests ends by a signal: then nothing else does.
  const as = Bun.which('setpriv') ? ['setpriv', ...account, '--pdeathsig=SIGQUIT'] : []
  await Bun.$`${as} ${programs}/initdb -D ${data} -A trust -U ${USER} --no-locale -E UTF8 -N`.cwd('/').quiet()
  const port = freePort()
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  if (!flushes) options.push('-F')
  const [command = '', ...rest] = [...as, `${programs}/postgres`, '-D', data, '-p', String(port), ...options]
  let server = spawn(command, rest, { cwd: '/', stdio: 'ignore' })
  // Its processes end with the tests, even when nobody stops it and the system has no setpriv.
  const kill = () => void server.kill('SIGQUIT')
  process.once('exit', kill)
  const sql = new SQL({ url: `postgres://${USER}@127.0.0.1:${port}/postgres`, max: 1 })
  const untilResponds = () =>
    until('PostgreSQL to respond', async () => (await sql`SELECT 1`.catch(() => [])).length === 1)
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const exited = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await exited
  }
  await untilResponds()
  let created = 0
  const address = (database: string): ServerAddress => {
    return { host: '127.0.0.1', port, database, user: USER, password: undefined, rootCertificates: undefined }
  }
  const createDatabase = async (template?: ServerAddress) => {
    const name = `test_${++created}`
    await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template?.database ?? 'template0'}`)
    return address(name)
  }
  return {
    get pid() {
      return server.pid ?? 0
    },
    address,
    async run(text, at) {
      if (!at) return [...(await sql.unsafe(text))]
      const own = new SQL({ url: `postgres://${USER}@127.0.0.1:${port}/${at.database}`, max: 1 })
      return own.unsafe(text).finally(() => own.close())
    },
    createDatabase,
    async dropDatabase({ database }) {
      await sql.unsafe(`DROP DATABASE ${database} WITH (FORCE)`)
    },
    async dumpAndRestore({ database }) {
      const restored = await createDatabase()
      const at = ['-h', '127.0.0.1', '-p', String(port), '-U', USER]
      const into = ['--exit-on-error', '-d', restored.database]
      const dump = await Bun.$`${programs}/pg_dump ${at} -Fc ${database}`.quiet()
      await Bun.$`${programs}/pg_restore ${at} ${into} < ${dump.stdout}`.quiet()
      return restored
    },
    async replace({ database }, by) {
      await sql.unsafe(`DROP DATABASE ${database} WITH (FORCE)`)
      await sql.unsafe(`ALTER DATABASE ${by.database} RENAME TO ${database}`)
    },
    async startReplica() {
      const copy = join(folder.path, 'replica')
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', USER]
      makeDataFolder(copy)
      await Bun.$`${as} ${programs}/pg_basebackup ${from} -D ${copy} -R -c fast`.cwd('/').quiet()
      const own = rest.map((each) => (each === data ? copy : each))
      own[own.indexOf(String(port))] = String(freePort())
      const replica = spawn(command, own, { cwd: '/', stdio: 'ignore' })
      const exited = new Promise((resolve) => replica.once('exit', resolve))
      // Each process that it starts makes a group of its own.
      const signal = (name: NodeJS.Signals) => {
        const { pid = 0 } = replica
        const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
        for (const each of [pid, ...started.map(Number)]) process.kill(each, name)
      }
      return {
        signal,
        async [Symbol.asyncDispose]() {
          signal('SIGCONT')
          replica.kill('SIGQUIT')
          await exited
        },
      }
    },
    async restart(signal) {
      await end(signal)
      server = spawn(command, rest, { cwd: '/', stdio: 'ignore' })
      await untilResponds()
    },
    async [Symbol.asyncDispose]() {
      await sql.close()
      process.off('exit', kill)
      await end('SIGQUIT')
      folder[Symbol.dispose]()
    },
  }
}

/**
 * The server of all tests of this process, with `SVC_TEST_STORE=postgres`; it ends with the process. It
 * starts before the first test: a test that times out ends the processes that began within it.
 */
const shared = process.env['SVC_TEST_STORE'] === 'postgres' ? await startServer() : undefined

/** Undefined while tests run on SQLite. */
export const sharedServer = (): TestServer | undefined => shared
