/**
 * The replicator Litestream, built from the Go module proxy outside of the repository.
 * `bun tests/support/litestream/litestream.ts` builds it ahead of the tests, as `npm run check:full` does.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const VERSION = 'v0.5.18'
const MODULE = `github.com/benbjohnson/litestream/cmd/litestream@${VERSION}`

/**
 * The path of the program; the first caller builds it, which takes minutes. Undefined where that is not
 * possible, which skips the tests on a developer's machine; on CI that is an error.
 */
export async function openLitestream(): Promise<string | undefined> {
  try {
    return await install()
  } catch (error) {
    if (process.env['CI']) throw error
    console.warn(`Tests with Litestream are skipped: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

async function install(): Promise<string> {
  const program = join(tmpdir(), `svc-litestream-${VERSION}`)
  if (existsSync(program)) return program
  if (!Bun.which('go')) throw new Error('install go')
  const draft = mkdtempSync(`${program}-`)
  try {
    const env = { ...process.env, GOBIN: draft, CGO_ENABLED: '0' }
    const built = Bun.spawn(['go', 'install', MODULE], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const [err, status] = await Promise.all([new Response(built.stderr).text(), built.exited])
    if (status !== 0) throw new Error(`go install ended with ${status}: ${err.slice(-2_000)}`)
    renameSync(join(draft, 'litestream'), program)
    return program
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

interface ReplicatorOptions {
  /** Holds the replica and the configuration. */
  folder: string
  database: string
  metricsPort: number
  /** How long a replicated change is kept beside the database, in s; 5 min by default. */
  keepS?: number
  /** Path of the control socket; one in the folder by default. */
  socket?: string
}

/** The replicator of one database to a local folder, configured as docs/how-to/replicate.md describes. */
export class Replicator implements AsyncDisposable {
  readonly #program: string
  readonly #config: string
  readonly #database: string
  /** Folder of the replica. */
  readonly replica: string
  readonly metricsPort: number
  /** Path of the control socket. */
  readonly socket: string
  #process: Bun.Subprocess | undefined

  private constructor(program: string, { folder, database, metricsPort, keepS, socket }: ReplicatorOptions) {
    this.#program = program
    this.#database = database
    this.metricsPort = metricsPort
    mkdirSync(folder, { recursive: true })
    this.#config = join(folder, 'litestream.yml')
    this.socket = socket ?? join(folder, 'litestream.sock')
    this.replica = join(folder, 'replica')
    writeFileSync(this.#config, configOf(database, this, keepS))
  }

  /** Starts to replicate a database into `folder`, and waits for the first replica. */
  static async open(
    program: string | undefined,
    database: string,
    {
      folder = join(dirname(database), '../elsewhere'),
      ...options
    }: Partial<Pick<ReplicatorOptions, 'folder' | 'keepS' | 'socket'>> = {},
  ): Promise<Replicator> {
    const place = { folder, database, metricsPort: freePort(), ...options }
    const replicator = new Replicator(program ?? '', place)
    replicator.start()
    await until('the first replica', async () => ((await replicator.metric('litestream_txid')) ?? 0) > 0)
    return replicator
  }

  start(): void {
    this.#process = Bun.spawn([this.#program, 'replicate', '-config', this.#config], {
      stdio: ['ignore', Bun.file(`${this.#config}.log`), 'ignore'],
    })
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#process?.kill(signal)
    await this.#process?.exited
    this.#process = undefined
  }

  /** Writes the newest replicated state to the path of the database, which must not exist. */
  async restore(): Promise<void> {
    const restored = Bun.spawn([this.#program, 'restore', '-config', this.#config, this.#database], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const text = await new Response(restored.stderr).text()
    if ((await restored.exited) !== 0) throw new Error(`litestream restore: ${text}`)
  }

  /** The sum of the samples of a metric over all labels; undefined while the program does not respond. */
  async metric(name: string): Promise<number | undefined> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`).catch(() => undefined)
    if (!response) return undefined
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith(name))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL')
  }
}

function configOf(
  database: string,
  { replica, metricsPort, socket }: Pick<Replicator, 'replica' | 'metricsPort' | 'socket'>,
  keepS?: number,
): string {
  const kept = [
    `l0-retention: ${keepS}s`,
    'l0-retention-check-interval: 1s',
    'levels:',
    `  - interval: ${keepS}s`,
  ]
  return [
    `addr: "127.0.0.1:${metricsPort}"`,
    'socket:',
    '  enabled: true',
    `  path: ${socket}`,
    ...(keepS === undefined ? [] : kept),
    'dbs:',
    `  - path: ${database}`,
    '    monitor-interval: 250ms',
    '    truncate-page-n: 1000000000',
    '    busy-timeout: 10s',
    '    replica:',
    '      type: file',
    `      path: ${replica}`,
    '      sync-interval: 250ms',
    '',
  ].join('\n')
}

if (import.meta.main) console.log(await openLitestream())
