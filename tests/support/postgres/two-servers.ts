import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerAddress } from '../../../src/db/engine/server-address.ts'
import { startSvc } from '../executable/background-process.ts'
import { Service } from '../executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'
import { PostgresProxy } from './proxy.ts'
import { startServer, type TestServer } from './server.ts'

/** Both files of the root CA, which are the same for all servers of one database. */
const ROOT_FILES = ['.svc.ca.pem', '.svc.ca.key']

interface Parts {
  folder: TemporaryFolder
  postgres: TestServer
  proxy: PostgresProxy
  database: ServerAddress
  services: readonly [Service, Service]
}

/** What the health check of a server responds. */
interface Health {
  data: { role?: string }
}

/** Two servers of the executable that share a database. */
export class TwoServers implements AsyncDisposable {
  readonly postgres: TestServer
  /** Both servers reach PostgreSQL through it. */
  readonly proxy: PostgresProxy
  readonly database: ServerAddress
  readonly #folder: TemporaryFolder
  #leader: Service
  #standby: Service

  private constructor({ folder, postgres, proxy, database, services }: Parts) {
    this.#folder = folder
    this.postgres = postgres
    this.proxy = proxy
    this.database = database
    this.#leader = services[0]
    this.#standby = services[1]
  }

  /** One leads and has a superuser, the other one is on standby. */
  static async start(flags: string[] = []): Promise<TwoServers> {
    const folder = temporaryFolder()
    const postgres = await startServer()
    const database = await postgres.createDatabase()
    const { user, host, port } = database
    const proxy = await PostgresProxy.open(port)
    const address = `postgres://${user}@${host}:${proxy.port}/${database.database}`
    const [north, south] = ['north', 'south'].map((name) => {
      mkdirSync(join(folder.path, name))
      return Service.elsewhere(join(folder.path, name), { flags: ['--database', address, ...flags] })
    }) as [Service, Service]
    const both = new TwoServers({ folder, postgres, proxy, database, services: [north, south] })
    north.launch()
    await both.untilLeads(north)
    await north.setUp()
    for (const file of ROOT_FILES) copyFileSync(join(north.folder, file), join(south.folder, file))
    await both.startStandby()
    return both
  }

  get leader(): Service {
    return this.#leader
  }

  get standby(): Service {
    return this.#standby
  }

  /** The addresses of both, as drivers and clients get them. */
  get addresses(): string {
    return [this.#leader.url, this.#standby.url].toSorted().join(',')
  }

  /** Starts a driver of the device `mock`, which has the addresses of both. */
  startDriver(name: string, { token, fingerprint }: { token: string; fingerprint: string }) {
    const args = this.#leader.driverArgs(name, fingerprint, 'mock')
    args[args.indexOf('--svc-addr') + 1] = this.addresses
    return startSvc(args, { cwd: this.#leader.folder, env: { SVC_ACCESS_TOKEN: token } })
  }

  /** Starts the server that does not run, which is on standby then. */
  async startStandby(): Promise<void> {
    this.#standby.launch()
    await until('the other server to be on standby', async () => (await roleOf(this.#standby)) === 'standby')
  }

  /** Waits until the server on standby leads, and returns the ms that took; the roles are exchanged then. */
  async takeover(): Promise<number> {
    const begun = performance.now()
    await this.untilLeads(this.#standby)
    const took = performance.now() - begun
    const former = this.#leader
    this.#leader = this.#standby
    this.#standby = former
    return took
  }

  /** Waits until the drivers of all QPUs are attached to the leader. */
  async untilOnline(): Promise<void> {
    const areOnline = async () => {
      const response = await fetch(`${this.#leader.url}/api/qpus`)
      const qpus = (await response.json()) as { status: string }[]
      return qpus.length > 0 && qpus.every(({ status }) => status === 'online')
    }
    await until('all QPUs to be online', areOnline, { intervalMs: 200 })
  }

  /** Waits until a server leads, `timeoutMs` at most if given. */
  async untilLeads(service: Service, timeoutMs?: number): Promise<void> {
    const leads = async () => (await roleOf(service)) === 'leader'
    await until('a server to lead', leads, timeoutMs === undefined ? {} : { timeoutMs })
  }

  /** The values of a statement. */
  async all(sql: string): Promise<Record<string, unknown>[]> {
    return this.postgres.run(sql, this.database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leader.stop('SIGKILL')
    await this.#standby.stop('SIGKILL')
    await this.proxy[Symbol.asyncDispose]()
    await this.postgres[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}

async function roleOf(service: Service): Promise<string | undefined> {
  const response = await fetch(`${service.url}/api/health`)
  return response.ok ? ((await response.json()) as Health).data.role : undefined
}
