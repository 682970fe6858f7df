import * as v from 'valibot'
import type { Log } from '../../base/index.ts'
import { deviceEnvironment } from '../../devices/index.ts'
import { type FromHost, fromHost, type ToHost } from '../messages/host-messages.ts'

/** How the child process is started. */
export interface HostCommand {
  /** Program and arguments. */
  argv: string[]
  /** Environment of the driver; the child process receives what `deviceEnvironment` leaves. */
  env: Record<string, string | undefined>
}

interface HostProcessDependencies {
  log: Log
  onMessage(message: FromHost): void
  /** Called once; `how` is a signal name or an exit code, such as `SIGABRT` or `code 1`. */
  onExit(how: string): void
}

/**
 * Command line of this program with the hidden command `driver worker`. Run from source, it names the main
 * module; the executable contains it.
 */
export function ownHostArgv(): string[] {
  const compiled = Bun.main.startsWith('/$bunfs/')
  return [process.execPath, ...(compiled ? [] : [Bun.main]), 'driver', 'worker']
}

/** One run of the child process that contains the device. */
export class HostProcess {
  readonly #process: Bun.Subprocess
  #hasExited = false

  constructor(command: HostCommand, { log, onMessage, onExit }: HostProcessDependencies) {
    const drained = Promise.withResolvers<void>()
    this.#process = Bun.spawn(command.argv, {
      env: deviceEnvironment(command.env),
      stdio: ['ignore', 'inherit', 'inherit'],
      // A group of its own, so that what the device started ends with it.
      detached: true,
      // Measured: a 40 MB result takes 146 ms as JSON and 2,246 ms as structured clone.
      serialization: 'json',
      ipc(raw) {
        const message = v.safeParse(fromHost, raw)
        if (message.success) onMessage(message.output)
        else log.warn('invalid message from the device process', { issue: message.issues[0].message })
      },
      onDisconnect: () => {
        drained.resolve()
        this.kill()
      },
      onExit: (_, code, signal) => {
        this.#hasExited = true
        this.#killGroup()
        const how =
          typeof signal === 'string' ? signal : signal === null ? `code ${code}` : `signal ${signal}`
        // A result sent just before the end may still be in the pipe.
        void drained.promise.then(() => onExit(how))
      },
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** False when the process has exited. */
  send(message: ToHost): boolean {
    if (this.#hasExited) return false
    try {
      this.#process.send(message)
      return true
    } catch {
      // The process is exiting; `onExit` follows.
      return false
    }
  }

  /** Ends the process immediately with what it started; `onExit` follows. */
  kill(): void {
    if (this.#hasExited) return
    this.#killGroup()
    this.#process.kill('SIGKILL')
  }

  #killGroup(): void {
    try {
      process.kill(-this.#process.pid, 'SIGKILL')
    } catch {
      // Nothing is left of it.
    }
  }
}
