import { feature } from 'bun:bundle'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackoffLimits, backoffMs, type Clock, failpoint, type Log } from '../../base/index.ts'
import { fileOf, readEventFile, suffixOf, writeFlushed } from './event-files.ts'
import { Journal } from './journal.ts'
import type { Orphaned } from './orphaned.ts'

interface Entry {
  /** When to send it next, in ms of `clock.monotonic()`. */
  dueAt: number
  sends: number
  /** Found on disk at start, so it may belong to a driver that used this folder before. */
  isRestored: boolean
  /** The event itself: while it is the newest and unsent, or as long as it is not on disk. */
  body?: string | undefined
  isOnDisk: boolean
  /** A file of its own, as long as the journal cannot take the event. */
  file?: string | undefined
}

interface OutboxDependencies {
  clock: Clock
  log: Log
}

/** How an event is stored. */
interface PutOptions {
  /** Returns before the event is on disk: a power failure in that moment may lose it. */
  isFlushedLater?: boolean
}

/** Pauses between sends of an event that is not acknowledged. */
const RESEND_BACKOFF: BackoffLimits = { initialMs: 5_000, maxMs: 60_000 }
/** Throughput of a slow line in 1 ms; a large event is not resent while it may still be in transit. */
const SLOW_LINE_CHARACTERS = 500
/** A result that is acknowledged is sent again if the driver is killed within this time. */
const SETTLE_MS = 1_000
const JOURNAL_FILE = 'journal'
const OWNER_FILE = 'owner'

/**
 * Events that the server has to acknowledge, in one journal. An event is written before it is first sent,
 * and removed on acknowledgement, so that a result survives a lost connection and a crash; it is on disk
 * before it is sent, or, of a short task, while it is sent, so that a power failure costs at most a short
 * task. A stop leaves the events that remain in files `<event id>.json`; the next start takes them into the
 * journal, as it does with those of an earlier release or of an operator.
 */
export class Outbox {
  readonly #folder: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #journal: Journal
  readonly #entries = new Map<string, Entry>()
  /**
   * The last operation on files. They run one after the other, so that none removes what a later one wrote.
   */
  #last: Promise<unknown> = Promise.resolve()
  #flushes: Promise<unknown> = Promise.resolve()
  #hasRemoved = false
  /** Whether events may be in memory only, because the disk did not take them. */
  #hasUnwritten = false
  /** Monotonic ms. */
  #settledAt = 0

  private constructor(folder: string, journal: Journal, { clock, log }: OutboxDependencies) {
    this.#folder = folder
    this.#journal = journal
    this.#clock = clock
    this.#log = log
  }

  /** Opens the folder, creates it if necessary, and loads the unacknowledged events of earlier runs. */
  static async open(folder: string, dependencies: OutboxDependencies): Promise<Outbox> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { journal, incomplete } = await Journal.open(join(folder, JOURNAL_FILE))
    const outbox = new Outbox(folder, journal, dependencies)
    if (incomplete > 0) dependencies.log.warn('incomplete events are dropped', { count: incomplete })
    for (const id of journal.ids()) outbox.#entries.set(id, outbox.#entryOnDisk())
    await outbox.#importFiles('')
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
   * Moves the events that remain to files, which operators and earlier releases can read, and closes the
   * journal. What cannot be moved stays in the journal; what is only in memory comes first and is lost, with
   * an error in the log, if the disk is still full.
   */
  async close(): Promise<void> {
    await this.flushed()
    await this.#inSequence(async () => {
      const unwritten = [...this.#entries.keys()].filter((id) => !this.#journal.has(id))
      for (const id of [...unwritten, ...this.#journal.ids()]) {
        await this.#moveToFile(id, fileOf(id)).catch((error: unknown) => {
          const isKept = this.#journal.has(id) || this.#entries.get(id)?.file !== undefined
          const text = isKept
            ? 'event remains in the journal of the outbox'
            : 'event is lost: the disk is full'
          this.#log.error(text, { event: id, error })
        })
      }
    })
    await this.#journal.close()
  }

  /**
   * Sets the driver that uses this folder. Events of another driver are set aside until it returns, because
   * the server would reject them as forged.
   */
  async setOwner(driverId: string): Promise<void> {
    const path = join(this.#folder, OWNER_FILE)
    const owner = await readFile(path, 'utf8').catch(() => '')
    if (owner !== driverId) {
      if (owner !== '') await this.#inSequence(() => this.#setAside(owner))
      // Written under another name first: a truncated id would be another driver's.
      await writeFlushed(this.#folder, `${OWNER_FILE}.tmp`, driverId)
      await rename(`${path}.tmp`, path)
    }
    await this.#importFiles(suffixOf(driverId))
  }

  async #setAside(owner: string): Promise<void> {
    const foreign = [...this.#entries].filter(([, entry]) => entry.isRestored)
    for (const [id] of foreign) {
      await this.#moveToFile(id, `${fileOf(id)}${suffixOf(owner)}`)
      this.#entries.delete(id)
    }
    if (foreign.length === 0) return
    // The driver that uses the folder now must not send them, even if it is killed next.
    await this.#journal.settle()
    this.#log.warn('set aside events of the driver that used this data dir before', {
      count: foreign.length,
      driver: owner,
    })
  }

  /**
   * Stores an event, due immediately. If it cannot be written to disk, it stays in memory, the error is
   * logged, and it is written as soon as another event is, or a second later while a server is connected.
   */
  put(id: string, body: string, { isFlushedLater = false }: PutOptions = {}): Promise<void> {
    return this.#inSequence(async () => {
      if (this.#entries.has(id)) return
      const entry: Entry = {
        dueAt: this.#clock.monotonic(),
        sends: 0,
        isRestored: false,
        isOnDisk: false,
        body,
      }
      await this.#writeRemaining()
      if (await this.#write(id, body)) {
        const end = this.#flush(id, entry)
        if (!isFlushedLater) await end
      }
      // A tuner may run for days without its server, so events on disk do not stay in memory.
      for (const other of this.#entries.values()) if (other.isOnDisk) other.body = undefined
      this.#entries.set(id, entry)
    })
  }

  /** Whether an event could be written to the journal; the error is logged. */
  async #write(id: string, body: string): Promise<boolean> {
    try {
      if (feature('FAILPOINTS')) failpoint('outbox.writing')
      await this.#journal.append(id, body)
      return true
    } catch (error) {
      this.#reportMemoryOnly(id, error)
      return false
    }
  }

  /** Settles when what was written is on disk, or when the error is logged. */
  #flush(id: string, entry: Entry): Promise<void> {
    const end = this.#journal.flush().then(
      () => {
        entry.isOnDisk = true
        if (entry.sends > 0) entry.body = undefined
      },
      (error: unknown) => this.#reportMemoryOnly(id, error),
    )
    this.#flushes = Promise.all([this.#flushes, end])
    return end
  }

  /** Writes what is only in memory, until the disk takes no more. */
  async #writeRemaining(): Promise<void> {
    if (!this.#hasUnwritten) return
    for (const [id, entry] of this.#entries) {
      if (entry.body === undefined || entry.file !== undefined || this.#journal.has(id)) continue
      try {
        await this.#journal.append(id, entry.body)
      } catch {
        return
      }
      await this.#flush(id, entry)
    }
    this.#hasUnwritten = false
  }

  #reportMemoryOnly(id: string, error: unknown): void {
    this.#hasUnwritten = true
    this.#log.error('event could not be written to disk and is only in memory', { event: id, error })
  }

  /** Settles when all stored events are on disk. */
  async flushed(): Promise<void> {
    await this.#last
    await this.#flushes
  }

  /** Makes one event, or all, due immediately: after a reconnect, or when the server requests it again. */
  markDue(id?: string): void {
    for (const [each, entry] of this.#entries) {
      if (id === undefined || each === id) Object.assign(entry, { dueAt: this.#clock.monotonic(), sends: 0 })
    }
  }

  /**
   * Removes an acknowledged event, or moves it to `orphaned`; false when it is unknown or already removed.
   */
  async acknowledge(id: string, orphaned?: Pick<Orphaned, 'keep'>): Promise<boolean> {
    const entry = this.#entries.get(id)
    if (!entry || !this.#entries.delete(id)) return false
    const attempt = (work: () => Promise<unknown>, failure: string) =>
      this.#inSequence(() =>
        work().then(
          () => true,
          (error: unknown) => {
            this.#log.error(failure, { event: id, error })
            return false
          },
        ),
      )
    const isKept = await attempt(async () => {
      const body = orphaned && (entry.body ?? (await this.#journal.read(id)))
      if (body !== undefined) await orphaned?.keep(id, fileOf(id), body)
    }, 'the result of an unknown job could not be kept')
    if (!isKept) {
      // It is sent again later, and the server says again that it does not know the job.
      this.#entries.set(id, entry)
      return false
    }
    await attempt(async () => {
      if (entry.file !== undefined) await rm(entry.file, { force: true })
      this.#journal.remove(id)
      this.#hasRemoved = true
    }, 'acknowledged event could not be removed')
    return true
  }

  /** Marks what was acknowledged in the file, and writes what it lacks, at most once in `SETTLE_MS`. */
  async #settle(now: number): Promise<void> {
    if ((!this.#hasRemoved && !this.#hasUnwritten) || now - this.#settledAt < SETTLE_MS) return
    this.#settledAt = now
    await this.#inSequence(() => this.#writeRemaining())
    if (!this.#hasRemoved) return
    this.#hasRemoved = false
    await this.#inSequence(() => this.#journal.settle()).catch((error: unknown) =>
      this.#log.error('acknowledged events could not be removed', { error }),
    )
  }

  /**
   * Sends every due event through `send`, one after the other. Each is due again after 5 s, 10 s, … 60 s, a
   * large one not before it can have arrived.
   */
  async sendDue(send: (body: string) => Promise<void>): Promise<void> {
    const now = this.#clock.monotonic()
    await this.#settle(now)
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

  /** Takes the events of files whose names end with `.json` and `suffix` into the journal. */
  async #importFiles(suffix: string): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(`.json${suffix}`)).sort()
    if (names.length === 0) return
    await this.#inSequence(async () => {
      const imported: { path: string; entry: Entry }[] = []
      for (const name of names) {
        const path = join(this.#folder, name)
        const event = await readEventFile(path, name.slice(0, name.length - suffix.length), this.#log)
        if (event === undefined) continue
        const known = this.#entries.get(event.id)
        const entry = known ?? { ...this.#entryOnDisk(), body: event.body, isOnDisk: false, file: path }
        if (!known) {
          this.#entries.set(event.id, entry)
          if (!(await this.#write(event.id, event.body))) continue
        }
        imported.push({ path, entry })
      }
      await this.#journal.flush()
      for (const { path, entry } of imported) {
        Object.assign(entry, { isOnDisk: true, body: undefined, file: undefined })
        await rm(path)
      }
    }).catch((error: unknown) => this.#log.error('events of files could not be taken over', { error }))
  }

  #entryOnDisk(): Entry {
    return { dueAt: this.#clock.monotonic(), sends: 0, isRestored: true, isOnDisk: true }
  }

  async #read(id: string): Promise<string | undefined> {
    try {
      const body = await this.#inSequence(() => this.#journal.read(id))
      // It may have been acknowledged while an earlier event was being sent.
      if (body === undefined && this.#entries.has(id)) {
        this.#log.error('event is damaged in the outbox and is dropped', { event: id })
        // The hello must not announce an event that no longer exists.
        this.#entries.delete(id)
      }
      return body
    } catch (error) {
      this.#log.error('event cannot be read from the outbox', { event: id, error })
      return undefined
    }
  }

  #inSequence<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#last.then(work)
    this.#last = end.catch(() => undefined)
    return end
  }

  /** Moves an event from the journal, memory or another file to a file. */
  async #moveToFile(id: string, name: string): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry?.file !== undefined) return rename(entry.file, join(this.#folder, name))
    const body = entry?.body ?? (await this.#journal.read(id))
    if (body !== undefined) await writeFlushed(this.#folder, name, body)
    this.#journal.remove(id)
  }
}
