import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Clock, Log } from '../base/index.ts'
import { eventEnvelope } from '../protocol/index.ts'

interface Entry {
  /** When to send it next, in ms of `clock.monotonic()`. */
  dueAt: number
  sends: number
  /** Found on disk at start: it may be of a driver that used this folder before. */
  found: boolean
  /** The event itself, only when it could not be written to disk. */
  body?: string
}

interface OutboxParts {
  clock: Clock
  log: Log
}

const FIRST_RESEND_MS = 5_000
const LONGEST_RESEND_MS = 60_000
const OWNER_FILE = 'owner'

/** File name of an event: ids of our own making stay readable, anything else cannot leave the folder. */
function fileOf(id: string): string {
  return `${encodeURIComponent(id).replaceAll('*', '%2A').replace(/^\./, '%2E')}.json`
}

/**
 * Events the server has to acknowledge, one file each (`<event id>.json` holds the envelope). A file appears whole
 * and durable before the event is first sent and goes when its acknowledgement arrives, so that a result outlives
 * a lost connection, a crash and a power cut.
 */
export class Outbox {
  readonly #folder: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()

  private constructor(folder: string, { clock, log }: OutboxParts) {
    this.#folder = folder
    this.#clock = clock
    this.#log = log
  }

  /** Opens the folder, made when absent, with what an earlier run left unacknowledged. */
  static async open(folder: string, parts: OutboxParts): Promise<Outbox> {
    const outbox = new Outbox(folder, parts)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of (await readdir(folder)).sort()) await outbox.#load(name)
    return outbox
  }

  /** Events not yet acknowledged. */
  get size(): number {
    return this.#entries.size
  }

  /** Ids of events not yet acknowledged. */
  ids(): string[] {
    return [...this.#entries.keys()]
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /**
   * Says which driver this is. Events that another driver left here are set aside: the server would take
   * them for forged ones.
   */
  async claim(driverId: string): Promise<void> {
    const owner = await readFile(join(this.#folder, OWNER_FILE), 'utf8').catch(() => '')
    if (owner === driverId) return
    const foreign = owner === '' ? [] : [...this.#entries].filter(([, entry]) => entry.found)
    for (const [id] of foreign) {
      const path = join(this.#folder, fileOf(id))
      await rename(path, `${path}.${encodeURIComponent(owner)}`)
      this.#entries.delete(id)
    }
    if (foreign.length > 0) {
      this.#log.warn('set aside events of the driver that used this data dir before', {
        count: foreign.length,
        driver: owner,
      })
    }
    await this.#write(OWNER_FILE, driverId)
  }

  /** Keeps an event, due at once. When the disk refuses it, it is kept in memory and the loss of safety logged. */
  async put(id: string, body: string): Promise<void> {
    if (this.#entries.has(id)) return
    const entry: Entry = { dueAt: this.#clock.monotonic(), sends: 0, found: false }
    try {
      await this.#write(fileOf(id), body)
    } catch (error) {
      this.#log.error('event could not be written to disk and is kept in memory only', { event: id, error })
      entry.body = body
    }
    this.#entries.set(id, entry)
  }

  /** Makes one event, or all, due at once: after a reconnect, or when the server asks again. */
  hasten(id?: string): void {
    for (const [each, entry] of this.#entries) {
      if (id === undefined || each === id) Object.assign(entry, { dueAt: this.#clock.monotonic(), sends: 0 })
    }
  }

  /** Forgets an acknowledged event; false when it is not known (any more). */
  async settle(id: string): Promise<boolean> {
    const entry = this.#entries.get(id)
    if (!entry) return false
    this.#entries.delete(id)
    if (entry.body === undefined) {
      await rm(join(this.#folder, fileOf(id)), { force: true }).catch((error: unknown) =>
        this.#log.error('acknowledged event could not be removed', { event: id, error }),
      )
    }
    return true
  }

  /** Sends every due event through `send`, one after the other; each is due again after 5 s, 10 s, … 60 s. */
  async sendDue(send: (body: string) => Promise<void>): Promise<void> {
    const now = this.#clock.monotonic()
    for (const [id, entry] of [...this.#entries]) {
      if (entry.dueAt > now) continue
      const body = entry.body ?? (await this.#read(id))
      if (body === undefined) continue
      await send(body)
      entry.sends += 1
      const pauseMs = Math.min(FIRST_RESEND_MS * 2 ** (entry.sends - 1), LONGEST_RESEND_MS)
      entry.dueAt = this.#clock.monotonic() + pauseMs
    }
  }

  async #load(name: string): Promise<void> {
    if (name.endsWith('.tmp')) {
      await rm(join(this.#folder, name), { force: true })
      return
    }
    if (!name.endsWith('.json')) return
    const id = await readFile(join(this.#folder, name), 'utf8').then(idOf, () => undefined)
    if (id !== undefined && fileOf(id) === name) {
      this.#entries.set(id, { dueAt: this.#clock.monotonic(), sends: 0, found: true })
      return
    }
    this.#log.warn('file in the outbox is not an event and is ignored', { file: name })
  }

  async #read(id: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, fileOf(id)), 'utf8')
    } catch (error) {
      // Acknowledged while an earlier event was being sent.
      if (!this.#entries.has(id)) return undefined
      this.#log.error('event cannot be read from the outbox', { event: id, error })
      return undefined
    }
  }

  /** Write, flush, rename, flush the folder: the final name never shows half a file, even after a power cut. */
  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name)
    const file = await open(`${path}.tmp`, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.tmp`, path)
    const folder = await open(this.#folder, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

function idOf(text: string): string | undefined {
  try {
    const parsed = v.safeParse(eventEnvelope, JSON.parse(text))
    return parsed.success ? parsed.output.id : undefined
  } catch {
    return undefined
  }
}
