import type { Attack } from '../attack.ts'
import { Attacker, type Outcome } from './attacker.ts'
import { type Installation, openInstallation } from './installation.ts'
import { Others, type Window } from './others.ts'
import { AttackedServer } from './server.ts'

const ATTACK_MS = 1_000
const IDLE_MS = 4_000
const WARM_UP_MS = 1_000
/** A server that does not respond for this time after an attack counts as dead. */
const DEAD_MS = 30_000
const MEMORY_INTERVAL_MS = 50
/** Time that it has after an attack that took longer. */
const MIN_QUIET_MS = 3_000

/** What one attack did to the server and its other users. */
export interface Measurement {
  /** ms, see `Window`. */
  stall: number
  rawStall: number
  busy: number
  /** Of the calls of other users, in ms. */
  median: number
  p99: number
  /** Largest ratio of the median of one kind of call to that of the idle server. */
  slowdown: number
  /** Calls of other users without a successful response. */
  failed: number
  calls: number
  /** MiB above the memory before the attack. */
  peakMemory: number
  retainedMemory: number
  /** Growth of the log in KiB. */
  log: number
  /** The server ended, or did not respond within 30 s after the attack. */
  isDead: boolean
  outcome: Outcome | undefined
}

/** A running server with its other users, that one attack after the other is sent to. */
export class Arena implements AsyncDisposable {
  readonly #installation: Installation
  readonly #server: AttackedServer
  #others: Others | undefined
  #idle: Window | undefined

  private constructor(installation: Installation, executable: string) {
    this.#installation = installation
    this.#server = new AttackedServer(installation.folder, executable)
  }

  static async open(executable: string, jobs: number): Promise<Arena> {
    const arena = new Arena(await openInstallation(executable, jobs), executable)
    try {
      await arena.#start()
    } catch (error) {
      await arena[Symbol.asyncDispose]()
      throw error
    }
    return arena
  }

  /** What the other users of the idle server experience. */
  get idle(): Window | undefined {
    return this.#idle
  }

  async #start(): Promise<void> {
    await this.#server.start()
    const { others: accounts, jobs } = this.#installation.seeded
    const own = Array.from({ length: Math.min(1_000, jobs) }, (_, at) => `job${String(at).padStart(12, '0')}`)
    const others = new Others({
      ...{ port: this.#server.port, pid: this.#server.pid },
      ...{ tokens: accounts.map(({ token }) => token), jobs: own },
    })
    this.#others = others
    if (!(await others.untilQuiet(DEAD_MS))) console.error('the server is not idle 30 s after its start')
    await Bun.sleep(WARM_UP_MS)
    if (this.#idle) return
    others.open()
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, IDLE_MS)
    await promise
    this.#idle = await others.close()
  }

  /** Attacks the server once. A server that is dead afterwards is replaced by a new one on the same data. */
  async measure(attack: Attack): Promise<Measurement> {
    // It is not running if it could not be started again after an earlier attack.
    if (!this.#others) await this.#start()
    if (!this.#others || !this.#idle) throw new Error('the server is not running')
    const { url, port } = this.#server
    await using attacker = new Attacker({
      ...{ attack: attack.name, url, port },
      ...{ seeded: this.#installation.seeded, durationMs: ATTACK_MS },
    })
    await attacker.prepared()
    await this.#others.untilQuiet(DEAD_MS)
    const before = this.#server.memory
    const ownBefore = this.#server.ownMemory
    const logBefore = this.#server.logBytes
    this.#server.resetPeak()
    this.#others.open()
    const started = performance.now()
    let peak = before
    const sampling = setInterval(() => {
      peak = Math.max(peak, this.#server.memory)
    }, MEMORY_INTERVAL_MS)
    const outcome = await attacker.run()
    const left = Math.max(MIN_QUIET_MS, started + DEAD_MS - performance.now())
    const isQuiet = await this.#others.untilQuiet(left)
    const isDead = !isQuiet || !this.#server.isRunning
    clearInterval(sampling)
    const after = this.#server.memory
    const ownPeak = this.#server.ownPeak
    // Calls that wait for a dead server end with it.
    if (isDead) {
      await this.#others.record()
      await this.#server.kill()
    }
    const window = await this.#others.close()
    const measurement: Measurement = {
      ...{
        stall: window.stall,
        rawStall: window.rawStall,
        busy: window.busy,
        median: window.median,
        p99: window.p99,
      },
      ...{ slowdown: slowdownOf(window, this.#idle), failed: window.failed, calls: window.calls },
      // The peak of the server itself is exact, that with its reader processes is sampled.
      peakMemory: Math.max(peak - before, ownPeak - ownBefore),
      retainedMemory: after - before,
      log: (this.#server.logBytes - logBefore) / 1024,
      ...{ isDead, outcome },
    }
    if (isDead) await this.#replace()
    return measurement
  }

  async #replace(): Promise<void> {
    await this.#others?.[Symbol.asyncDispose]()
    this.#others = undefined
    await this.#start().catch((error: Error) => console.error(`! no start after an attack: ${error.message}`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#others?.[Symbol.asyncDispose]()
    await this.#server.stop()
    this.#installation[Symbol.dispose]()
  }
}

function slowdownOf(window: Window, idle: Window): number {
  const ratios = Object.entries(window.p50).map(
    ([name, ms]) => ms / (idle.p50[name] ?? Number.POSITIVE_INFINITY),
  )
  return Math.max(0, ...ratios)
}
