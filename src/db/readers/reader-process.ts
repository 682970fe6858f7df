import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { FromReader, ToReader } from './messages.ts'

interface ReaderListeners {
  onResponse(response: FromReader): void
  /** Called once, unless `kill` was called before. */
  onEnd(how: string): void
}

/**
 * A process with its own read-only connection. A statement of SQLite cannot be interrupted from outside in
 * this runtime, and the end of a thread waits for it, so killing a process is the only way to stop one; see
 * docs/decisions/0013-reader-processes.md.
 */
export class ReaderProcess {
  readonly #process: Bun.Subprocess
  #isOver = false

  constructor(path: string, { onResponse, onEnd }: ReaderListeners) {
    const end = (how: string) => {
      if (this.#isOver) return
      this.kill()
      onEnd(how)
    }
    this.#process = Bun.spawn(commandLine(), {
      // Only where sorts may spill to: other variables may hold secrets or change what the executable runs.
      env: { TMPDIR: tmpdir() },
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'json',
      ipc: (message: FromReader) => {
        if (!this.#isOver) onResponse(message)
      },
      onDisconnect: () => end('disconnected'),
      onExit: (_, code, signal) => end(`exited with ${signal ?? code}`),
    })
    // Waiting requests keep the server alive, an idle reader does not.
    this.#process.unref()
    // If memory runs out, Linux kills a reader rather than the server.
    writeFile(`/proc/${this.#process.pid}/oom_score_adj`, '1000').catch(() => undefined)
    this.send({ kind: 'open', path })
  }

  get pid(): number {
    return this.#process.pid
  }

  send(message: ToReader): void {
    try {
      this.#process.send(message)
    } catch {
      // The process is exiting; `onEnd` follows.
    }
  }

  /** Ends the process at once, whatever it does; `onEnd` is not called. */
  kill(): void {
    this.#isOver = true
    this.#process.kill('SIGKILL')
  }
}

function commandLine(): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  return [process.execPath, ...(isCompiled ? ['reader'] : [`${import.meta.dir}/reader-main.ts`])]
}
