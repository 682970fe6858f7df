import { join } from 'node:path'

/** What the process of the other users is started with. */
export interface OthersConfig {
  port: number
  /** Process id of the server. */
  pid: number
  /** API tokens of the other users. */
  tokens: string[]
  /** Ids of jobs that they view. */
  jobs: string[]
}

export type Command = 'open' | 'record' | 'close' | 'quiet'

/** What other users experienced in one period; times in ms. */
export interface Window {
  /**
   * Longest time that the event loop did not respond, without the time that server and prober waited for a
   * processor.
   */
  stall: number
  /** The same with that time. */
  rawStall: number
  /** Longest processor time of the event loop during one probe: without waits for disks either. */
  busy: number
  probes: number
  /** Median by kind of call. */
  p50: Record<string, number>
  median: number
  /** Of all calls together. */
  p99: number
  calls: number
  /** Calls without a successful response within 30 s. */
  failed: number
}

const RECORD_MS = 100

/** The other users of a server, in a process of their own. */
export class Others implements AsyncDisposable {
  readonly #process: Bun.Subprocess
  #onWindow: ((window: Window) => void) | undefined
  #onQuiet: (() => void) | undefined

  constructor(config: OthersConfig) {
    this.#process = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'others.process.ts'), JSON.stringify(config)],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        ipc: (message: Window | { quiet: true }) => {
          if ('quiet' in message) this.#onQuiet?.()
          else this.#onWindow?.(message)
        },
      },
    )
  }

  /** Begins a new period. */
  open(): void {
    this.#process.send('open')
  }

  /** Records the probe that waits, before its server is killed. */
  async record(): Promise<void> {
    this.#process.send('record')
    await Bun.sleep(RECORD_MS)
  }

  /** Ends the period; resolves when its calls have ended. */
  close(): Promise<Window> {
    const { promise, resolve } = Promise.withResolvers<Window>()
    this.#onWindow = resolve
    this.#process.send('close')
    return promise
  }

  /** Waits until the server responds fast for 0.2 s; false if it does not within `ms`. */
  async untilQuiet(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onQuiet = () => resolve(true)
    this.#process.send('quiet')
    const timer = setTimeout(() => resolve(false), ms)
    const isQuiet = await promise
    clearTimeout(timer)
    return isQuiet
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.exited
  }
}
