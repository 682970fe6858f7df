import { join } from 'node:path'
import type { Seeded } from '../attack.ts'

/** What the process of an attacker is started with. */
export interface AttackerConfig {
  attack: string
  url: string
  port: number
  seeded: Seeded
  durationMs: number
}

/** What an attacker saw. */
export interface Outcome {
  shots: number
  /** Number of responses by status or noted result. */
  results: Record<string, number>
  slowestMs: number
  /** Text of the first response that is an error. */
  firstError: string
}

/** Building the largest input takes seconds. */
const PREPARE_MS = 60_000
/** An attack ends after its duration and the 30 s of its last response. */
const END_MS = 45_000

/** An attacker in a process of its own. */
export class Attacker implements AsyncDisposable {
  readonly #process: Bun.Subprocess
  readonly #ready = Promise.withResolvers<void>()
  readonly #outcome = Promise.withResolvers<Outcome | undefined>()

  constructor(config: AttackerConfig) {
    this.#process = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'attacker.process.ts'), JSON.stringify(config)],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        ipc: (message: 'ready' | Outcome) => {
          if (message === 'ready') this.#ready.resolve()
          else this.#outcome.resolve(message)
        },
        onExit: () => {
          this.#ready.reject(new Error(`the attacker ${config.attack} ended early`))
          this.#outcome.resolve(undefined)
        },
      },
    )
    this.#ready.promise.catch(() => undefined)
  }

  /** Resolves when the input is built. */
  async prepared(): Promise<void> {
    const timer = setTimeout(() => this.#ready.reject(new Error('no input within 60 s')), PREPARE_MS)
    await this.#ready.promise
    clearTimeout(timer)
  }

  /** Sends the input; undefined if the attacker saw no end. */
  async run(): Promise<Outcome | undefined> {
    const timer = setTimeout(() => this.#outcome.resolve(undefined), END_MS)
    this.#process.send('go')
    const outcome = await this.#outcome.promise
    clearTimeout(timer)
    return outcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.exited
  }
}
