import { writeFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { Log } from '../../base/index.ts'
import { type FromHost, fromHost, type ToHost } from '../messages/host-messages.ts'

/** How the child process is started. */
export interface HostCommand {
  /** Program and arguments. */
  argv: string[]
  /** Environment of the driver; secrets are removed before the child gets it. */
  env: Record<string, string | undefined>
}

interface HostProcessDependencies {
  log: Log
  onMessage(message: FromHost): void
  /** Called once; `how` is a signal name or an exit code, such as `SIGABRT` or `code 1`. */
  onExit(how: string): void
}

/**
 * This program again, with the hidden verb `driver worker`. From source the main module has to be named, in the
 * compiled binary it is inside.
 */
export function ownHostArgv(): string[] {
  const compiled = Bun.main.startsWith('/$bunfs/')
  return [process.execPath, ...(compiled ? [] : [Bun.main]), 'driver', 'worker']
}

// The child runs circuits and imported code: it has no use for the driver's credentials. The two BUN_ variables
// would change what the compiled binary runs.
const WITHHELD = /^(SVC_ACCESS_TOKEN|SVC_TOKEN|SVC_CA_.*|BUN_OPTIONS|BUN_BE_BUN)$/

/** The environment the child process gets. */
export function hostEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !WITHHELD.test(name)) passed[name] = value
  }
  return passed
}

/** One life of the child process that holds the device. */
export class HostProcess {
  readonly #process: Bun.Subprocess
  #hasExited = false

  constructor(command: HostCommand, { log, onMessage, onExit }: HostProcessDependencies) {
    const drained = Promise.withResolvers<void>()
    this.#process = Bun.spawn(command.argv, {
      env: hostEnvironment(command.env),
      stdio: ['ignore', 'inherit', 'inherit'],
      // Measured: a 40 MB result crosses in 146 ms as JSON, in 2,246 ms by structured clone.
      serialization: 'json',
      ipc(raw) {
        const message = v.safeParse(fromHost, raw)
        if (message.success) onMessage(message.output)
        else log.warn('message of the device process not understood', { issue: message.issues[0].message })
      },
      onDisconnect: () => {
        drained.resolve()
        this.kill()
      },
      onExit: (_, code, signal) => {
        this.#hasExited = true
        const how =
          typeof signal === 'string' ? signal : signal === null ? `code ${code}` : `signal ${signal}`
        // A result sent just before the end may still be in the pipe.
        void drained.promise.then(() => onExit(how))
      },
    })
    // Should memory run out, Linux is to end the device and not the driver, which can report it.
    writeFile(`/proc/${this.#process.pid}/oom_score_adj`, '500').catch(() => undefined)
  }

  get pid(): number {
    return this.#process.pid
  }

  /** False when the process has gone. */
  send(message: ToHost): boolean {
    if (this.#hasExited) return false
    try {
      this.#process.send(message)
      return true
    } catch {
      // It is ending: `onExit` follows.
      return false
    }
  }

  /** Ends the process at once; `onExit` follows. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }
}
