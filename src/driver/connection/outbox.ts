import { feature } from 'bun:bundle'
import { mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type BackoffLimits, backoffMs, type Clock, failpoint, type Log } from '../../base/index.ts'
import { eventEnvelope } from '../../protocol/index.ts'
import { parseJson } from '../messages/command-head.ts'
import type { Orphaned } from './orphaned.ts'

interface Entry {
  /** When to send it next, in ms of `clock.monotonic()`. */
  dueAt: number
  sends: number
  /** Found on disk at start, so it may belong to a driver that used this folder before. */
  isRestored: boolean
  /** The event itself: while it is the newest and unsent, or if it could not be written to disk. */
  body?: string | undefined
  isOnDisk: boolean
}

interface OutboxDependencies {
  clock: Clock
  log: Log
}

/** Pauses between sends of an event that is not acknowledged. */
const RESEND_BACKOFF: BackoffLimits = { initialMs: 5_000, maxMs: 60_000 }
/** Throughput of a slow line in 1 ms; a large event is not resent while it may still be in transit. */
const SLOW_LINE_CHARACTERS = 500
const OWNER_FILE = 'owner'

/** File name of an event: generated ids stay readable, and no id can name a file outside the folder. */
function fileOf(id: string): string {
  return `${encodeURIComponent(id).replaceAll('*', '%2A').replace(/^\./, '%2E')}.json`
}

/** Suffix of files that are set aside until their driver returns. */
function suffixOf(driverId: string): string {
  return `.${encodeURIComponent(driverId)}`
}

/**
 * Events that the server has to acknowledge, one file each (`<event id>.json` contains the envelope). A file
 * is complete and durable before the event is first sent, and is removed on acknowledgement, so that a result
 * survives a lost connection, a crash and a power failure. A file that a crash left incomplete was never
 * sent; it is dropped.
 */
export class Outbox {
  readonly #folder: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  /**
   * The last file operation. They run one after the other, so that none removes a file that a later one
   * wrote.
   */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(folder: string, { clock, log }: OutboxDependencies) {
    this.#folder = folder
    this.#clock = clock
    this.#log = log
  }

  /** Opens the folder, creates it if necessary, and loads the unacknowledged events of earlier runs. */
  static async open(folder: string, dependencies: OutboxDependencies): Promise<Outbox> {
    const outbox = new Outbox(folder, dependencies)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of (await readdir(folder)).sort()) await outbox.#load(name)
    return outbox
  }

  /** Events not yet acknowledged. */
  get size(): number {
    return this.#entries.size
  }

  /** Ids of events not yet acknowledged, oldest first. */
  ids(): string[] {
    return [...this.#entries.keys()]
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /**
   * Sets the driver that uses this folder. Events of another driver are set aside until it returns, because
   * the server would reject them as forged.
   */
  async setOwner(driverId: string): Promise<void> {
    const path = join(this.#folder, OWNER_FILE)
    const owner = await readFile(path, 'utf8').catch(() => '')
    if (owner !== driverId) {
      if (owner !== '') await this.#setAside(owner)
      // Written under another name first: a truncated id would be another driver's.
      await this.#write(`${OWNER_FILE}.tmp`, driverId)
      await rename(`${path}.tmp`, path)
    }
    await this.#restoreSetAside(driverId)
  }

  async #setAside(owner: string): Promise<void> {
    const foreign = [...this.#entries].filter(([, entry]) => entry.isRestored)
    for (const [id] of foreign) {
      const path = join(this.#folder, fileOf(id))
      await rename(path, `${path}${suffixOf(owner)}`)
      this.#entries.delete(id)
    }
    if (foreign.length === 0) return
    this.#log.warn('set aside events of the driver that used this data dir before', {
      count: foreign.length,
      driver: owner,
    })
  }

  async #restoreSetAside(driverId: string): Promise<void> {
    const suffix = suffixOf(driverId)
    for (const aside of (await readdir(this.#folder)).sort()) {
      if (!aside.endsWith(`.json${suffix}`)) continue
      const name = aside.slice(0, -suffix.length)
      await rename(join(this.#folder, aside), join(this.#folder, name))
      await this.#load(name)
    }
  }

  /**
   * Stores an event, due at once. If it cannot be written to disk, it stays in memory and the error is
   * logged.
   */
  put(id: string, body: string): Promise<void> {
    return this.#inSequence(async () => {
      if (this.#entries.has(id)) return
      const entry: Entry = {
        dueAt: this.#clock.monotonic(),
        sends: 0,
        isRestored: false,
        isOnDisk: true,
        body,
      }
      try {
        await this.#write(fileOf(id), body)
      } catch (error) {
        this.#log.error('event could not be written to disk and is only in memory', { event: id, error })
        entry.isOnDisk = false
      }
      // A tuner may run for days without its server, so events on disk do not stay in memory.
      for (const other of this.#entries.values()) if (other.isOnDisk) other.body = undefined
      this.#entries.set(id, entry)
    })
  }

  /** Settles when all stored events are on disk. */
  async flushed(): Promise<void> {
    await this.#last
  }

  /** Makes one event, or all, due at once: after a reconnect, or when the server requests it again. */
  markDue(id?: string): void {
    for (const [each, entry] of this.#entries) {
      if (id === undefined || each === id) Object.assign(entry, { dueAt: this.#clock.monotonic(), sends: 0 })
    }
  }

  /**
   * Removes an acknowledged event, or moves it to `orphaned`; false when it is unknown or already removed.
   */
  async acknowledge(id: string, orphaned?: Orphaned): Promise<boolean> {
    const entry = this.#entries.get(id)
    if (!entry || !this.#entries.delete(id)) return false
    if (orphaned) {
      const path = join(this.#folder, fileOf(id))
      const body = entry.isOnDisk ? undefined : entry.body
      await this.#inSequence(() =>
        orphaned
          .keep(id, fileOf(id), { path, body })
          .catch((error: unknown) =>
            this.#log.error('the result of an unknown job could not be kept', { event: id, error }),
          ),
      )
    }
    await this.#inSequence(() =>
      // This also removes the part of a file that a full disk accepted.
      rm(join(this.#folder, fileOf(id)), { force: true }).catch((error: unknown) =>
        this.#log.error('acknowledged event could not be removed', { event: id, error }),
      ),
    )
    return true
  }

  /**
   * Sends every due event through `send`, one after the other. Each is due again after 5 s, 10 s, … 60 s, a
   * large one not before it can have arrived.
   */
  async sendDue(send: (body: string) => Promise<void>): Promise<void> {
    const now = this.#clock.monotonic()
    for (const [id, entry] of [...this.#entries]) {
      if (entry.dueAt > now) continue
      const body = entry.body ?? (await this.#read(id))
      if (body !== undefined) {
        await send(body)
        if (feature('FAILPOINTS')) failpoint('outbox.sent')
        if (entry.isOnDisk) entry.body = undefined
      }
      entry.sends += 1
      const pauseMs = Math.max(
        backoffMs(entry.sends, RESEND_BACKOFF),
        (body?.length ?? 0) / SLOW_LINE_CHARACTERS,
      )
      entry.dueAt = this.#clock.monotonic() + Math.min(pauseMs, RESEND_BACKOFF.maxMs)
    }
  }

  async #load(name: string): Promise<void> {
    if (!name.endsWith('.json')) return
    const path = join(this.#folder, name)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    const value = text === undefined ? undefined : parseJson(text)
    const id = idOf(value)
    if (id !== undefined && fileOf(id) === name) {
      this.#entries.set(id, { dueAt: this.#clock.monotonic(), sends: 0, isRestored: true, isOnDisk: true })
    } else if (text !== undefined && value === undefined) {
      await unlink(path)
      this.#log.warn('incomplete event file is dropped', { file: name })
    } else {
      this.#log.warn('file in the outbox is not an event and is ignored', { file: name })
    }
  }

  async #read(id: string): Promise<string | undefined> {
    try {
      return await this.#inSequence(() => readFile(join(this.#folder, fileOf(id)), 'utf8'))
    } catch (error) {
      // It was acknowledged while an earlier event was being sent.
      if (!this.#entries.has(id)) return undefined
      this.#log.error('event cannot be read from the outbox', { event: id, error })
      // The hello must not announce an event that no longer exists.
      if (isMissing(error)) this.#entries.delete(id)
      return undefined
    }
  }

  #inSequence<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#last.then(work)
    this.#last = end.catch(() => undefined)
    return end
  }

  /** Writes a file and flushes it together with the folder, which the file system does in one operation. */
  async #write(name: string, text: string): Promise<void> {
    const file = await open(join(this.#folder, name), 'w', 0o600)
    try {
      if (feature('FAILPOINTS')) failpoint('outbox.writing')
      await file.writeFile(text)
      const folder = await open(this.#folder, 'r')
      try {
        await Promise.all([file.sync(), folder.sync()])
      } finally {
        await folder.close()
      }
    } finally {
      await file.close()
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function idOf(value: unknown): string | undefined {
  const parsed = v.safeParse(eventEnvelope, value)
  return parsed.success ? parsed.output.id : undefined
}
