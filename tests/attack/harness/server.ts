import { appendFileSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, freePortRange } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'

const DRIVER_PORTS = 40
/** A database above this size is checked by a thread after the start. */
const CHECKED_LATER_BYTES = 134_217_728
const START_MS = 120_000
const STOP_MS = 15_000

/** A server of the built executable with default settings, on the data of a folder. */
export class AttackedServer {
  readonly folder: string
  readonly port = freePort()
  readonly #executable: string
  readonly #log: string
  #process: Bun.Subprocess | undefined

  constructor(folder: string, executable: string) {
    this.folder = folder
    this.#executable = executable
    this.#log = join(folder, 'attack.log')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Starts the server and waits until it has checked its database. */
  async start(): Promise<void> {
    appendFileSync(this.#log, '')
    const from = statSync(this.#log).size
    const firstPort = freePortRange(DRIVER_PORTS)
    const flags = {
      'server-port': this.port,
      'https-port': 0,
      'port-range-start': firstPort,
      'port-range-end': firstPort + DRIVER_PORTS - 1,
      // Otherwise the stripping of a report would happen an hour after its attack.
      'events-prune-interval': '5s',
    }
    const log = openSync(this.#log, 'a')
    this.#process = Bun.spawn(
      [
        ...[this.#executable, 'serve'],
        ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ],
      {
        cwd: this.folder,
        // A variable, because an older executable does not know the flag.
        env: { PATH: process.env['PATH'] ?? '', HOME: this.folder, SVC_WEBHOOK_NETWORKS: '127.0.0.1' },
        stdio: ['ignore', 'ignore', log],
      },
    )
    await until(
      'the server to be healthy',
      async () => {
        if (!this.isRunning) throw new Error(`the server ended: ${this.#readLog(from)}`)
        return (await fetch(`${this.url}/api/health`)).ok
      },
      { timeoutMs: START_MS },
    )
    if (statSync(join(this.folder, 'svc_data/svc.db')).size <= CHECKED_LATER_BYTES) return
    const isChecked = () => this.#readLog(from).includes('database checked')
    await until('the database to be checked', isChecked, { timeoutMs: START_MS, intervalMs: 100 })
  }

  /** Ends the server, by force if it does not end in time. */
  async stop(): Promise<void> {
    const server = this.#process
    if (!server) return
    this.#process = undefined
    server.kill('SIGTERM')
    const force = setTimeout(() => server.kill('SIGKILL'), STOP_MS)
    await server.exited
    clearTimeout(force)
  }

  /** Kills the server, which no longer responds. */
  async kill(): Promise<void> {
    const server = this.#process
    this.#process = undefined
    server?.kill('SIGKILL')
    await server?.exited
  }

  /** Size of the log in bytes. */
  get logBytes(): number {
    return statSync(this.#log).size
  }

  #readLog(from: number): string {
    return readFileSync(this.#log, 'utf8').slice(from)
  }

  /** Resident memory in MiB of the server and its processes; 0 for a server that has ended. */
  get memory(): number {
    return [this.pid, ...childrenOf(this.pid)].reduce((sum, pid) => sum + statusMib(pid, 'VmRSS'), 0)
  }

  /** Peak of the server process alone since `resetPeak`, in MiB. */
  get ownPeak(): number {
    return statusMib(this.pid, 'VmHWM')
  }

  /** Resident memory of the server process alone, in MiB. */
  get ownMemory(): number {
    return statusMib(this.pid, 'VmRSS')
  }

  /** Begins a new measurement of the peak memory. */
  resetPeak(): void {
    try {
      writeFileSync(`/proc/${this.pid}/clear_refs`, '5')
    } catch {
      // Not permitted on this system, or the server has ended: the peak is that since the start.
    }
  }
}

function statusMib(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function childrenOf(pid: number): number[] {
  try {
    // Each thread lists the processes that it has started.
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}
