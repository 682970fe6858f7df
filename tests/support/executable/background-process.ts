import { until } from '../until.ts'
import { SVC } from './service.ts'

/** A process of the executable that runs until it ends or is stopped. */
export interface Running extends AsyncDisposable {
  readonly process: Bun.Subprocess
  /** The standard error so far. */
  readonly log: string
  /** Waits until its log contains `text`; a process that ends first is an error. */
  untilLogged(text: string, ms?: number): Promise<void>
  /** Its exit status (-1 after a signal), and the whole of its log. */
  ended(ms?: number): Promise<{ status: number; log: string }>
}

interface StartOptions {
  cwd: string
  env?: Record<string, string>
  /** A program that starts it. */
  prefix?: string[]
  executable?: string
}

/** Starts `svc` with `args` in a bare environment; it is killed at the end of the test if it still runs. */
export function startSvc(
  args: string[],
  { cwd, env = {}, prefix = [], executable = SVC }: StartOptions,
): Running {
  const spawned = Bun.spawn([...prefix, executable, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  async function collect(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of spawned.stderr) log += decoder.decode(chunk, { stream: true })
  }
  const collected = collect()
  const isOver = () => spawned.exitCode !== null || spawned.signalCode !== null
  return {
    process: spawned,
    get log() {
      return log
    },
    async untilLogged(text, ms = 45_000) {
      await until(`the log to say ${text}`, async () => log.includes(text) || isOver(), { timeoutMs: ms })
      if (!log.includes(text)) throw new Error(`ended without saying ${text}: ${log}`)
    },
    async ended(ms = 45_000) {
      await until('the process to end', async () => isOver(), { timeoutMs: ms })
      await collected
      return { status: spawned.exitCode ?? -1, log }
    },
    async [Symbol.asyncDispose]() {
      spawned.kill('SIGKILL')
      await spawned.exited
    },
  }
}
