import { feature } from 'bun:bundle'
import { mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type BackoffLimits, backoffMs, type Clock, failpoint, type Log } from '../../base/index.ts'
import { eventEnvelope } from '../../protocol/index.ts'
import { parseJson } from '../messages/command-head.ts'

interface Entry {
  /** When to send it next, in ms of `clock.monotonic()`. */
  dueAt: number
  sends: number
  /** Found on disk at start: it may be of a driver that used this folder before. */
  isRestored: boolean
  /** The event itself: while it is the newest and not yet sent, and for good when it could not be written to disk. */
  body?: string | undefined
  isOnDisk: boolean
}

interface OutboxDependencies {
  clock: Clock
  log: Log
}

/** Pauses between sends of an event that is not acknowledged. */
const RESEND_BACKOFF: BackoffLimits = { initialMs: 5_000, maxMs: 60_000 }
/** What a slow line carries in 1 ms: a large event is not sent again while it may still be on its way. */
const SLOW_LINE_CHARACTERS = 500
const OWNER_FILE = 'owner'

/** File name of an event: ids of our own making stay readable, anything else cannot leave the folder. */
function fileOf(id: string): string {
  return `${encodeURIComponent(id).replaceAll('*', '%2A').replace(/^\./, '%2E')}.json`
}

/** What the names of files end with that wait for a driver to come back. */
function suffixOf(driverId: string): string {
  return `.${encodeURIComponent(driverId)}`
}

/**
 * Events the server has to acknowledge, one file each (`<event id>.json` holds the envelope). A file is whole and
 * durable before the event is first sent and goes when its acknowledgement arrives, so that a result outlives a
 * lost connection, a crash and a power cut. One that a crash left unfinished was never sent; it is dropped.
 */
export class Outbox {
  readonly #folder: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  /** What is done to the files: one thing after the other, so that none removes what a later one has written. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(folder: string, { clock, log }: OutboxDependencies) {
    this.#folder = folder
    this.#clock = clock
    this.#log = log
  }

  /** Opens the folder, made when absent, with what an earlier run left unacknowledged. */
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
   * Says which driver this is. Events that another driver left here are set aside until it is back: the server would
   * take them for forged ones.
   */
  async setOwner(driverId: string): Promise<void> {
    const path = join(this.#folder, OWNER_FILE)
    const owner = await readFile(path, 'utf8').catch(() => '')
    if (owner !== driverId) {
      if (owner !== '') await this.#setAside(owner)
      // Under another name first: half of an id would be another driver's.
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

  /** Keeps an event, due at once. When the disk refuses it, it is kept in memory and the loss of safety logged. */
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
        this.#log.error('event could not be written to disk and is kept in memory only', { event: id, error })
        entry.isOnDisk = false
      }
      // A tuner goes on for days while its server is away.
      for (const other of this.#entries.values()) if (other.isOnDisk) other.body = undefined
      this.#entries.set(id, entry)
    })
  }

  /** Settles when everything that was put is on disk. */
  async flushed(): Promise<void> {
    await this.#last
  }

  /** Makes one event, or all, due at once: after a reconnect, or when the server asks again. */
  markDue(id?: string): void {
    for (const [each, entry] of this.#entries) {
      if (id === undefined || each === id) Object.assign(entry, { dueAt: this.#clock.monotonic(), sends: 0 })
    }
  }

  /** Forgets an acknowledged event; false when it is not known (any more). */
  async acknowledge(id: string): Promise<boolean> {
    if (!this.#entries.delete(id)) return false
    await this.#inSequence(() =>
      // Also the part that a full disk took.
      rm(join(this.#folder, fileOf(id)), { force: true }).catch((error: unknown) =>
        this.#log.error('acknowledged event could not be removed', { event: id, error }),
      ),
    )
    return true
  }

  /**
   * Sends every due event through `send`, one after the other; each is due again after 5 s, 10 s, … 60 s, a large one
   * not before it can have arrived.
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
      this.#log.warn('event that was not written to its end is dropped', { file: name })
    } else {
      this.#log.warn('file in the outbox is not an event and is ignored', { file: name })
    }
  }

  async #read(id: string): Promise<string | undefined> {
    try {
      return await this.#inSequence(() => readFile(join(this.#folder, fileOf(id)), 'utf8'))
    } catch (error) {
      // Acknowledged while an earlier event was being sent.
      if (!this.#entries.has(id)) return undefined
      this.#log.error('event cannot be read from the outbox', { event: id, error })
      // The server must not wait for what is nowhere any more.
      if (isMissing(error)) this.#entries.delete(id)
      return undefined
    }
  }

  #inSequence<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#last.then(work)
    this.#last = end.catch(() => undefined)
    return end
  }

  /** Writes and flushes file and folder, both at once: the file system then does it in one go. */
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
