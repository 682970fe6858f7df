import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, freePortRange } from '../free-port.ts'
import { type ApiDescription, assertDescribed } from '../server/declared-responses.ts'
import { until } from '../until.ts'

/** The executable under test: what `npm run build` leaves. */
export const SVC = join(import.meta.dir, '../../../svc')

/** When the runtime optimizes code, as `scripts/testing/run-file.ts` sets it. */
const COMPILER = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('BUN_JSC_')),
)

/** What `GET /api/openapi.json` of the executable under test returns. */
const DESCRIPTION = join(import.meta.dir, '../../../clients/contract/openapi.json')

/** A finished run of the executable. */
export interface Finished {
  status: number
  out: string
  err: string
}

interface RunOptions {
  cwd: string
  env?: Record<string, string>
  stdin?: string
  /** Another build than the one under test. */
  executable?: string
}

/**
 * Runs `svc` with `args` to its end. The environment is bare, so that nothing of this machine has an effect.
 */
export async function runSvc(
  args: string[],
  { cwd, env = {}, stdin = '', executable = SVC }: RunOptions,
): Promise<Finished> {
  const run = Bun.spawn([executable, ...args], {
    cwd,
    env: { ...COMPILER, PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ])
  return { status, out, err }
}

/** Limits off by variables rather than flags, because the previous release does not know the newest. */
const UNLIMITED = { SVC_GUEST_STREAMS: '2000' }
/** Ports for the drivers of one server. */
const PORTS = 40

const ADMIN = { email: 'admin@example.org', password: 'a long password' }
const USER = { email: 'user@example.org', password: 'another long password' }

interface ServiceOptions {
  /** Further flags of `svc serve`. */
  flags?: string[]
  ip?: string
  /** Another build than the one under test. */
  executable?: string
  /** A program with arguments that runs the server, such as `strace`. */
  prefix?: string[]
}

/** A server of the built executable in a folder of its own. */
export class Service {
  readonly folder: string
  readonly port: number
  readonly ip: string
  readonly executable: string
  readonly #prefix: string[]
  readonly #flags: string[]
  readonly #drivers: Bun.Subprocess[] = []
  #process: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined
  #log = ''
  #out = ''
  #adminToken = ''
  #description: ApiDescription | undefined

  private constructor(folder: string, port: number, options: ServiceOptions) {
    this.folder = folder
    this.port = port
    this.ip = options.ip ?? '127.0.0.1'
    this.executable = options.executable ?? SVC
    this.#prefix = options.prefix ?? []
    const firstPort = freePortRange(PORTS)
    this.#flags = [
      ...['--server-port', String(port), '--https-port', '0', '--ip-addr', this.ip],
      ...['--port-range-start', String(firstPort), '--port-range-end', String(firstPort + PORTS - 1)],
      // The harness calls faster than people do.
      ...['--user-rate', '0', '--anonymous-rate', '0', '--submit-rate', '0', '--max-pending-jobs', '1000000'],
      ...(options.flags ?? []),
    ]
  }

  /** One that keeps its data in a database which the flags name; not yet running. */
  static elsewhere(folder: string, options: ServiceOptions): Service {
    return new Service(folder, freePort(), options)
  }

  /** A new installation with one superuser; not yet running. */
  static async install(folder: string, options: ServiceOptions = {}): Promise<Service> {
    const { executable = SVC } = options
    const args = ['superuser', 'upsert', ADMIN.email, ADMIN.password]
    const made = await runSvc(args, { cwd: folder, executable })
    if (made.status !== 0) throw new Error(made.err)
    return new Service(folder, freePort(), options)
  }

  get url(): string {
    return `http://${this.ip.includes(':') ? `[${this.ip}]` : this.ip}:${this.port}`
  }

  /** The standard error of the server so far. */
  get log(): string {
    return this.#log
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Starts the server, which may not get far. */
  launch(env: Record<string, string> = {}, flags: string[] = []): void {
    const server = Bun.spawn([...this.#prefix, this.executable, 'serve', ...this.#flags, ...flags], {
      cwd: this.folder,
      env: { ...COMPILER, PATH: process.env['PATH'] ?? '', HOME: this.folder, ...UNLIMITED, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = server
    void this.#collect(server.stderr, (text) => {
      this.#log += text
    })
    void this.#collect(server.stdout, (text) => {
      this.#out += text
    })
  }

  /** Starts the server and waits until it is healthy, `timeoutMs` at most. Returns the ms that took. */
  async start(env: Record<string, string> = {}, flags: string[] = [], timeoutMs = 30_000): Promise<number> {
    const started = performance.now()
    this.launch(env, flags)
    await until(
      'the server to be healthy',
      async () => {
        if (this.#process?.exitCode !== null) throw new Error(`the server ended: ${this.#log}`)
        return (await fetch(`${this.url}/api/health`)).ok
      },
      { timeoutMs },
    )
    const took = performance.now() - started
    this.#description ??= await this.#descriptionOf()
    return took
  }

  /** Of the executable under test, the file that its build left: to describe itself takes a server long. */
  async #descriptionOf(): Promise<ApiDescription> {
    if (this.executable === SVC) return Bun.file(DESCRIPTION).json()
    const answer = await fetch(`${this.url}/api/openapi.json`)
    if (!answer.ok) throw new Error('the executable is older than its tests; run npm run build')
    return (await answer.json()) as ApiDescription
  }

  async #collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
  }

  /** Creates the superuser with the token that the server has printed. */
  async setUp(): Promise<void> {
    const token = await until('the token', () => /"token": "([^"]+)"/.exec(this.#out)?.[1])
    const { status } = await this.call('POST', '/api/op/setup', { body: { token, ...ADMIN } })
    if (status !== 201) throw new Error(`set-up responded ${status}`)
  }

  /** Sends a signal to the server, such as SIGSTOP. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  /** Ends the server with a signal and waits for its end. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number> {
    const server = this.#process
    if (!server) return 0
    this.#process = undefined
    server.kill(signal)
    return server.exited
  }

  /** Ends the drivers that still run, then the server. */
  async close(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    for (const driver of this.#drivers) driver.kill(signal)
    await Promise.all(this.#drivers.map((driver) => driver.exited))
    await this.stop(signal)
  }

  /** Waits until its log contains `text`, beyond the first `from` characters. */
  async untilLogged(text: string, from = 0, ms = 45_000): Promise<void> {
    await until(`the log to say ${text}`, async () => this.#log.includes(text, from), { timeoutMs: ms })
  }

  /** Waits until the server has ended on its own. Returns its exit status, -1 after a signal. */
  async ended(ms = 45_000): Promise<number> {
    const server = this.#process
    if (!server) throw new Error('no server was started')
    const isOver = () => server.exitCode !== null || server.signalCode !== null
    await until('the server to end', async () => isOver(), { timeoutMs: ms })
    return server.exitCode ?? -1
  }

  /** A test that fails leaves no process behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close('SIGKILL')
  }

  /** One call; returns the body whatever the status, which the server's own description must declare. */
  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; body: T }> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token ? { authorization: token } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (this.#description) assertDescribed(this.#description, { method, path, status: response.status })
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as T }
  }

  /** Login token of the superuser. */
  async admin(): Promise<string> {
    this.#adminToken ||= await this.#login('_superusers', ADMIN)
    return this.#adminToken
  }

  async #login(collection: string, account: { email: string; password: string }): Promise<string> {
    const path = `/api/collections/${collection}/auth-with-password`
    const body = { identity: account.email, password: account.password }
    const answer = await this.call<{ token: string }>('POST', path, { body })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body.token
  }

  /** Creates a user with QPU time; returns id and login token. */
  async createUser(qpuSeconds: number, email = USER.email): Promise<{ id: string; token: string }> {
    const body = { email, password: USER.password, passwordConfirm: USER.password, qpu_seconds: qpuSeconds }
    const path = '/api/collections/users/records'
    const made = await this.call<{ id: string }>('POST', path, { token: await this.admin(), body })
    if (made.status !== 200) throw new Error(JSON.stringify(made.body))
    return { id: made.body.id, token: await this.#login('users', { ...USER, email }) }
  }

  /** Registers a QPU; returns the credentials of its driver. */
  async createQpu(name: string): Promise<{ id: string; token: string; fingerprint: string }> {
    const answer = await this.call<{ id: string; access_token: string; ca_fingerprint: string }>(
      'POST',
      '/api/op/qpus/create',
      { token: await this.admin(), body: { name, num_qubits: 24 } },
    )
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    const { id, access_token: token, ca_fingerprint: fingerprint } = answer.body
    return { id, token, fingerprint }
  }

  /** The command line of a driver of this server, with a data folder of its own. */
  driverArgs(
    name: string,
    fingerprint: string,
    device: string,
    options: string[] = [],
    operation = 'process',
  ): string[] {
    const folder = join(this.folder, 'drivers', name)
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
    return [
      ...['driver', 'start', '--operation', operation, '--device', device, '--svc-addr', this.url],
      ...['--ca-fingerprint', fingerprint, '--ca-file', join(folder, 'ca.pem')],
      ...['--data-dir', join(folder, 'data')],
      ...options.flatMap((option) => ['-o', option]),
    ]
  }

  /** Starts a driver process; its standard error goes to `drivers/<name>/log`. */
  startDriver(
    name: string,
    qpu: { token: string; fingerprint: string },
    device = 'mock',
    options: string[] = [],
  ): Bun.Subprocess {
    const args = this.driverArgs(name, qpu.fingerprint, device, options)
    const driver = Bun.spawn([this.executable, ...args], {
      cwd: this.folder,
      env: { ...COMPILER, PATH: process.env['PATH'] ?? '', HOME: this.folder, SVC_ACCESS_TOKEN: qpu.token },
      stdio: ['ignore', 'ignore', Bun.file(join(this.folder, 'drivers', name, 'log'))],
    })
    this.#drivers.push(driver)
    return driver
  }

  async untilOnline(name: string, ms = 45_000): Promise<void> {
    await until(
      `QPU ${name} to be online`,
      async () => (await this.call<{ status: string }>('GET', `/api/qpus/${name}`)).body.status === 'online',
      { timeoutMs: ms },
    )
  }

  /** Runs `svc doctor` on the stopped server's folder. */
  doctor(): Promise<Finished> {
    return runSvc(['doctor'], { cwd: this.folder })
  }
}

/** A Bell pair, the smallest program with a result worth checking. */
export const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
