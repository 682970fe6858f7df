import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { ownCommand } from '../../base/index.ts'
import type { DatabaseSource } from '../engine/server-address.ts'
import type { FromReader, ToReader } from './messages.ts'

/** A response with the text that follows it; empty for most. */
export type Received = FromReader & { readonly text?: Uint8Array }

interface ReaderListeners {
  onResponse(response: Received): void
  /** Called once, unless `kill` was called before. */
  onEnd(how: string): void
}

/**
 * A process with its own read-only connection. A statement of SQLite cannot be interrupted from outside in
 * this runtime, and the end of a thread waits for it, so killing a process is the only way to stop one; see
 * docs/decisions/0013-reader-processes.md.
 */
export class ReaderProcess {
  readonly #process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  #isOver = false

  /** `command`: what starts `runReader`. */
  constructor(source: DatabaseSource, command: readonly string[], { onResponse, onEnd }: ReaderListeners) {
    const end = (how: string) => {
      if (this.#isOver) return
      this.kill()
      onEnd(how)
    }
    const receive = async (response: FromReader) => {
      const text = response.kind === 'exported' ? await this.#take(response.bytes) : undefined
      if (!this.#isOver) onResponse(text ? { ...response, text } : response)
    }
    this.#process = Bun.spawn([...command], {
      // Only where sorts may spill to: other variables may hold secrets or change what the executable runs.
      env: { TMPDIR: tmpdir() },
      stdio: ['ignore', 'pipe', 'inherit'],
      serialization: 'json',
      // A reader that dies meanwhile reports its end; see below.
      ipc: (message: FromReader) => void receive(message).catch(() => undefined),
      onDisconnect: () => end('disconnected'),
      onExit: (_, code, signal) => end(`exited with ${signal ?? code}`),
    })
    // Waiting requests keep the server alive, an idle reader does not.
    this.#process.unref()
    // If memory runs out, Linux kills a reader rather than the server.
    writeFile(`/proc/${this.#process.pid}/oom_score_adj`, '1000').catch(() => undefined)
    this.send({ kind: 'open', source })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The next bytes of the standard output. @throws Error when the process ends before. */
  async #take(bytes: number): Promise<Uint8Array> {
    const text = new Uint8Array(bytes)
    const reader = this.#process.stdout.getReader()
    try {
      for (let at = 0; at < bytes; ) {
        const { done, value } = await reader.read()
        if (done) throw new Error('the reader ended before its text')
        text.set(value, at)
        at += value.byteLength
      }
      return text
    } finally {
      reader.releaseLock()
    }
  }

  send(message: ToReader): void {
    try {
      this.#process.send(message)
    } catch {
      // The process is exiting; `onEnd` follows.
    }
  }

  /** Ends the process immediately, whatever it does; `onEnd` is not called. */
  kill(): void {
    this.#isOver = true
    this.#process.kill('SIGKILL')
  }
}

/** Starts a reader; the one of the source reads selections only. */
export const PLAIN_READER: readonly string[] = ownCommand('reader', `${import.meta.dir}/../reader-main.ts`)
