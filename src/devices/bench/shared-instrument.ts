import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import {
  type Clock,
  createSharedFile,
  FolderInUseError,
  type FolderLock,
  messageOf,
  takeFolderLock,
} from '../../base/index.ts'
import { InstrumentError } from './instrument.ts'

/** The right to be the only one that uses an instrument. */
export interface InstrumentHold {
  /** Whether nobody else has used the instrument since this holder had it last. */
  readonly isUninterrupted: boolean
  /** Lets others use the instrument; safe to call twice. */
  release(): void
}

interface SharedInstrumentOptions {
  /** Address of the instrument: its users name it alike. */
  instrument: string
  /** What uses it, for the errors of others: the name of a device. */
  user: string
  clock: Clock
  /** That of the machine's temporary files, which all users of the instrument share. */
  folder?: string
}

/** How long a user waits for an instrument. */
export interface WaitLimit {
  /** ms */
  ms: number
  signal?: AbortSignal | undefined
}

const POLL_MS = 20

const note = v.object({
  generation: v.pipe(v.number(), v.safeInteger()),
  user: v.string(),
  since: v.string(),
})

/**
 * Lets one process at a time use an instrument: a job or a calibration run holds it from its first command to
 * its last. The operating system releases the lock with the process, so that a holder that is killed leaves
 * nothing behind. Users take turns: whoever waits is the next one, because only the next may try.
 */
export class SharedInstrument {
  readonly #options: SharedInstrumentOptions
  readonly #path: string
  #generation: number | undefined

  constructor(options: SharedInstrumentOptions) {
    this.#options = options
    const name = options.instrument.replaceAll(/[^A-Za-z0-9.-]/g, '_')
    this.#path = join(options.folder ?? tmpdir(), `svc-instrument-${name}`)
  }

  /**
   * Waits for the instrument.
   * @throws InstrumentError `instrument_busy` when others use it for longer; the reason of `signal`.
   */
  async take({ ms, signal }: WaitLimit): Promise<InstrumentHold> {
    const due = this.#options.clock.monotonic() + ms
    const turn = await this.#wait('next', due, signal)
    try {
      const lock = await this.#wait('lock', due, signal)
      const before = this.#read()?.generation
      const isUninterrupted = before !== undefined && before === this.#generation
      this.#generation = (before ?? 0) + 1
      try {
        this.#write(this.#generation)
      } catch (error) {
        lock.release()
        throw error
      }
      return { isUninterrupted, release: () => lock.release() }
    } finally {
      turn.release()
    }
  }

  async #wait(name: 'next' | 'lock', due: number, signal: AbortSignal | undefined): Promise<FolderLock> {
    const { clock, instrument } = this.#options
    for (;;) {
      signal?.throwIfAborted()
      try {
        return takeFolderLock(`${this.#path}.${name}`, { storesPid: false, isShared: true, waitMs: 0 })
      } catch (error) {
        if (!(error instanceof FolderInUseError)) throw this.#unusable(`${this.#path}.${name}`, error)
      }
      if (clock.monotonic() >= due) {
        const holder = this.#read()
        const by = holder ? `by ${holder.user} since ${holder.since}` : 'by another process'
        throw new InstrumentError(`the instrument at ${instrument} is in use ${by}`, 'instrument_busy')
      }
      await clock.sleep(POLL_MS, signal)
    }
  }

  /** What the last holder has noted; undefined when it cannot be read. */
  #read(): v.InferOutput<typeof note> | undefined {
    try {
      return v.parse(note, JSON.parse(readFileSync(`${this.#path}.json`, 'utf8')))
    } catch {
      return undefined
    }
  }

  /**
   * A note that is cut off makes the next holder set everything again, which is safe; one that stays as it
   * was would let the holder before take the instrument for untouched.
   * @throws InstrumentError when it cannot be opened.
   */
  #write(generation: number): void {
    const { user, clock } = this.#options
    const path = `${this.#path}.json`
    const since = new Date(clock.now()).toISOString()
    createSharedFile(path)
    let file: number
    try {
      file = openSync(path, 'r+')
      ftruncateSync(file)
    } catch (error) {
      throw this.#unusable(path, error)
    }
    try {
      writeFileSync(file, JSON.stringify({ generation, user: `${user} (process ${process.pid})`, since }))
    } catch {
      this.#generation = undefined
    } finally {
      closeSync(file)
    }
  }

  #unusable(path: string, error: unknown): InstrumentError {
    const { instrument } = this.#options
    return new InstrumentError(
      `the instrument at ${instrument} cannot be locked by ${path} (${messageOf(error)}); if another user made the file, remove it while no driver runs`,
    )
  }
}
