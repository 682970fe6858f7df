import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Log, newSecret, silentLog, systemClock } from '../../../src/base/index.ts'
import type { ServerAddress } from '../../../src/db/engine/server-address.ts'
import type { Database } from '../../../src/db/index.ts'
import { saveSuperuser } from '../../../src/db/store/accounts/index.ts'
import { type DriverHandle, readDriverSettings, startDriver } from '../../../src/driver/index.ts'
import type { Operation } from '../../../src/protocol/index.ts'
import type { Route } from '../../../src/server/http/route.ts'
import {
  createServer,
  type LogStore,
  Passwords,
  readConfig,
  type Server,
  type ServerContext,
} from '../../../src/server/index.ts'
import { createDeclared, PATIENCE_MS } from '../database.ts'
import { freePortRange } from '../free-port.ts'
import { sharedServer } from '../postgres/server.ts'
import { databaseFolder, type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { assertDeclared } from './declared-responses.ts'

/** A response of the server; its body is parsed when it is JSON. */
export class TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown

  constructor(status: number, headers: Headers, body: unknown) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  /** A value of the body by its key. */
  get(key: string): unknown {
    if (typeof this.body !== 'object' || this.body === null) throw new Error(`no ${key} in ${this.body}`)
    return Reflect.get(this.body, key)
  }

  /** A text of the body by its key. */
  text(key: string): string {
    const value = this.get(key)
    if (typeof value !== 'string') throw new Error(`${key} is no text in ${JSON.stringify(this.body)}`)
    return value
  }
}

/** Calls the server with one set of headers; responses that their routes do not declare fail the test. */
export class TestClient {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly routes: readonly Route[]

  constructor(url: string, headers: Record<string, string> = {}, routes: readonly Route[] = []) {
    this.url = url
    this.headers = headers
    this.routes = routes
  }

  /** Sends `body` as JSON, unless it is text already. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    const answer = new TestResponse(response.status, response.headers, isJson ? JSON.parse(text) : text)
    assertDeclared(this.routes, { method, path, status: answer.status, body: answer.body })
    return answer
  }

  get(path: string): Promise<TestResponse> {
    return this.call('GET', path)
  }

  post(path: string, body?: unknown): Promise<TestResponse> {
    return this.call('POST', path, body)
  }

  patch(path: string, body: unknown): Promise<TestResponse> {
    return this.call('PATCH', path, body)
  }
}

/** A signed-in account. */
export interface TestAccount {
  id: string
  email: string
  password: string
  /** Login token. */
  token: string
}

/** A registered QPU and the access token of its process driver. */
export interface TestQpu {
  id: string
  name: string
  driver: string
  token: string
}

/** A registered driver. */
export interface TestDriver {
  id: string
  token: string
}

/** Options of a test server; settings are text, as in a config file. */
export interface TestServerOptions {
  settings?: Record<string, string>
  clock?: Clock
  log?: Log
  logs?: LogStore
  /** A folder that outlives the server, for restarts. */
  folder?: string
}

/** A real server on 127.0.0.1 with its own folder, certificates and ports. */
export interface TestServer extends AsyncDisposable {
  url: string
  server: Server
  db: Database
  context: ServerContext
  folder: string
  superuser: TestAccount
  guest: TestClient
  admin: TestClient
  as(account: { token: string }): TestClient
  createUser(options?: { qpuSeconds?: number; email?: string; username?: string }): Promise<TestAccount>
  createQpu(name?: string): Promise<TestQpu>
  /** Registers a calibrate driver of a QPU. */
  createTuner(qpu: { name: string }, name?: string): Promise<TestDriver>
  /** Stops the server; its folder stays until the end of the test. */
  close(): Promise<void>
}

/** The settings of a server that lives in `folder` and shares nothing with others on this machine. */
export async function testSettings(folder: string): Promise<Record<string, string>> {
  const first = freePortRange(20)
  return {
    dir: join(folder, 'svc_data'),
    tlsCaCertFile: join(folder, '.svc.ca.pem'),
    tlsCaKeyFile: join(folder, '.svc.ca.key'),
    tlsCertFile: join(folder, '.svc.cert.pem'),
    tlsKeyFile: join(folder, '.svc.key'),
    serverPort: '0',
    httpsPort: '0',
    portRangeStart: String(first),
    portRangeEnd: String(first + 19),
    anonymousRate: '0',
    userRate: '0',
    signupRate: '0',
    submitRate: '0',
  }
}

/** The databases of servers by their folder, with `SVC_TEST_STORE=postgres`. */
const databases = new Map<string, ServerAddress>()

/** The setting that puts the database of the server in `folder` on PostgreSQL, if the tests run on it. */
async function databaseSettings(folder: string): Promise<Record<string, string>> {
  const server = sharedServer()
  if (!server) return {}
  const address = databases.get(folder) ?? (await createDeclared(server))
  databases.set(folder, address)
  const { host, port, database, user } = address
  return { database: `postgres://${user}@${host}:${port}/${database}` }
}

async function dropDatabase(folder: string): Promise<void> {
  const address = databases.get(folder)
  databases.delete(folder)
  if (address) await sharedServer()?.dropDatabase(address)
}

/** The least costs of argon2id: a login in a test takes no part of the processor time of its file. */
const CHEAP_PASSWORDS = new Passwords({ memoryCost: 8, timeCost: 1 })

let empty: Promise<TemporaryFolder> | undefined

/**
 * A data folder with certificates and an empty database, made once per process by a server that starts and
 * stops: most of what the start of a server costs is to make them.
 */
async function makeEmptyFolder(): Promise<TemporaryFolder> {
  // On the disk: the runtime ends some processes of tests without the event, and it stays.
  const folder = temporaryFolder()
  process.once('exit', () => folder[Symbol.dispose]())
  const flags = await testSettings(folder.path)
  const version = '2026.1.0-test'
  const server = await createServer(readConfig({ flags, env: {} }), {
    clock: systemClock,
    log: silentLog,
    version,
    assets: undefined,
    passwords: CHEAP_PASSWORDS,
  })
  await server.start()
  await server.stop()
  return folder
}

/** Opens a server: `await using test = await openTestServer()`. Request limits are off unless set. */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const own = options.folder === undefined ? databaseFolder() : undefined
  const folder = options.folder ?? own?.path ?? ''
  const flags = { ...(await testSettings(folder)), ...(await databaseSettings(folder)), ...options.settings }
  const effective = readConfig({ flags, env: {} })
  const { clock = systemClock, log = silentLog } = options
  // Another clock may be years behind the certificates.
  if (own && clock === systemClock) {
    empty ??= makeEmptyFolder()
    cpSync((await empty).path, own.path, { recursive: true })
  }
  const server = await createServer(effective, {
    ...{ clock, log, version: '2026.1.0-test', assets: undefined, logs: options.logs },
    passwords: CHEAP_PASSWORDS,
    databasePatienceMs: PATIENCE_MS,
  })
  const started = await server.start().catch((error: unknown) => {
    own?.[Symbol.dispose]()
    throw error
  })
  // With --domain the printed address cannot be reached from here.
  const url = `http://127.0.0.1:${new URL(started.url).port}`
  const { context } = server
  const { routes } = server
  const guest = new TestClient(url, {}, routes)
  const as = ({ token }: { token: string }) => new TestClient(url, { authorization: token }, routes)
  const superuser = await firstSuperuser(context.db, guest)
  const admin = as(superuser)
  let isOpen = true
  const close = async () => {
    if (isOpen) await server.stop()
    isOpen = false
  }
  return {
    url,
    server,
    db: context.db,
    context,
    folder,
    superuser,
    guest,
    admin,
    as,
    createUser: (user) => createUser(guest, admin, user),
    createQpu: (name) => createQpu(admin, name),
    createTuner: (qpu, name) => createTuner(admin, qpu, name),
    close,
    async [Symbol.asyncDispose]() {
      await close()
      if (own) await dropDatabase(folder)
      own?.[Symbol.dispose]()
    },
  }
}

const ADMIN = { email: 'root@example.org', password: 'root of all tests' }

async function firstSuperuser(db: Database, guest: TestClient): Promise<TestAccount> {
  const passwordHash = await CHEAP_PASSWORDS.hash(ADMIN.password)
  const { id } = await saveSuperuser(db, { email: ADMIN.email, passwordHash, mode: 'upsert', actor: 'test' })
  return { id, ...ADMIN, token: await login(guest, '_superusers', ADMIN) }
}

/** The token of a password login. */
export async function login(
  guest: TestClient,
  collection: 'users' | '_superusers',
  { email, password }: { email: string; password: string },
): Promise<string> {
  const answer = await guest.post(`/api/collections/${collection}/auth-with-password`, {
    identity: email,
    password,
  })
  if (answer.status !== 200) throw new Error(`login failed: ${JSON.stringify(answer.body)}`)
  return answer.text('token')
}

async function createUser(
  guest: TestClient,
  admin: TestClient,
  { qpuSeconds = 0, email = `${newSecret(6)}@example.org`, username = '' } = {},
): Promise<TestAccount> {
  const password = `password ${newSecret(6)}`
  const answer = await admin.post('/api/collections/users/records', {
    email,
    username,
    password,
    qpu_seconds: qpuSeconds,
  })
  if (answer.status !== 200) throw new Error(`user not created: ${JSON.stringify(answer.body)}`)
  return { id: answer.text('id'), email, password, token: await login(guest, 'users', { email, password }) }
}

async function createQpu(admin: TestClient, name = `qpu_${newSecret(4)}`): Promise<TestQpu> {
  const answer = await admin.post('/api/op/qpus/create', { name, executor_type: 'mock', num_qubits: 5 })
  if (answer.status !== 201) throw new Error(`QPU not created: ${JSON.stringify(answer.body)}`)
  return {
    id: answer.text('id'),
    name: answer.text('name'),
    driver: answer.text('driver_id'),
    token: answer.text('access_token'),
  }
}

async function createTuner(
  admin: TestClient,
  qpu: { name: string },
  name = `tuner_${newSecret(4)}`,
): Promise<TestDriver> {
  const body = { name, qpu: qpu.name, operation: 'calibrate', device: 'scripted' }
  const answer = await admin.post('/api/op/drivers/create', body)
  if (answer.status !== 201) throw new Error(`tuner not created: ${JSON.stringify(answer.body)}`)
  return { id: answer.text('id'), token: answer.text('token') }
}

/** The real driver, in this process, with its device in a child process from source. */
export async function startDriverProcess(
  test: Pick<TestServer, 'url' | 'folder' | 'context'>,
  driver: {
    token: string
    operation?: Operation
    device?: string
    options?: string[]
    name?: string
  },
): Promise<DriverHandle & AsyncDisposable> {
  const folder = join(test.folder, `driver-${driver.name ?? newSecret(4)}`)
  mkdirSync(folder, { recursive: true })
  const handle = await startDriver(
    readDriverSettings({
      env: {},
      flags: {
        svcAddr: test.url,
        token: driver.token,
        operation: driver.operation ?? 'process',
        device: driver.device ?? 'mock',
        caFile: join(folder, 'svc.ca.pem'),
        caFingerprint: test.context.tls.material.caFingerprint,
        dataDir: join(folder, 'data'),
        option: driver.options ?? [],
      },
    }),
    {
      clock: systemClock,
      log: silentLog,
      version: '2026.1.0-test',
      cwd: folder,
      home: test.folder,
      env: process.env,
      hostArgv: [process.execPath, join(import.meta.dir, '../../../src/cli/main.ts'), 'driver', 'worker'],
    },
  )
  await handle.connected
  return { ...handle, [Symbol.asyncDispose]: () => handle.stop() }
}
