import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../base/index.ts'
import { KIB } from '../../../base/index.ts'
import { COUNTS } from '../../admission/limits.ts'

/** Lines wait this long at most before they are written together. */
const FLUSH_MS = 200
/** A longer line is stored without its fields. */
const MAX_LINE = 64 * KIB
const SEGMENTS = 16
const MIN_SEGMENT_BYTES = 64 * KIB
const NAME = /^svc-(\d{8})\.log$/

/** Receives each line as it is logged. */
type Listener = (line: string) => void

interface LogStoreOptions {
  /** Folder of the files; created with the first line. */
  dir: string
  /** Size of all files together, approximately. */
  maxBytes: number
  clock: Clock
}

/** A file of the stored log. */
export interface LogSegment {
  /** Files are numbered in the order in which they were begun. */
  number: number
  path: string
  bytes: number
}

/**
 * Keeps the log in files of limited size, over restarts. Writing a line costs the caller no system call; a
 * disk that is full or slow loses lines, whose number is stored as soon as it works again. Only the process
 * that has locked the data folder starts a store.
 */
export class LogStore {
  readonly #options: LogStoreOptions
  readonly #listeners = new Set<Listener>()
  #waiting: string[] = []
  #waitingSize = 0
  #dropped = 0
  #isStarted = false
  #isFlushDue = false
  /** Writes happen one after another. */
  #writing: Promise<void> = Promise.resolve()
  #segment = 0
  #segmentBytes = 0

  constructor(options: LogStoreOptions) {
    this.#options = options
  }

  /** Takes a line of JSON without its end. */
  readonly write = (line: string): void => {
    const stored = line.length > MAX_LINE ? shortened(line) : line
    for (const listener of this.#listeners) listener(stored)
    if (
      this.#waitingSize + stored.length >
      Math.min(COUNTS.unstoredLogBytes.bounds.all, this.#segmentLimit)
    ) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(stored)
    this.#waitingSize += stored.length
    if (this.#isStarted) this.#flushSoon()
  }

  /** Begins to write files; lines from before are written first. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    mkdirSync(this.#options.dir, { recursive: true, mode: 0o700 })
    const last = this.segments().at(-1)
    this.#segment = last?.number ?? 1
    this.#segmentBytes = last?.bytes ?? 0
    this.#flushSoon()
  }

  /** Resolves when everything logged so far is in the files. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting())
    return this.#writing
  }

  /** Writes what waits before the process ends. */
  flushNow(): void {
    if (!this.#isStarted || this.#waiting.length === 0) return
    try {
      appendFileSync(this.#path(this.#segment), this.#take(), { mode: 0o600 })
    } catch {
      // The process ends, and the lines are in its standard error too.
    }
  }

  /** Calls `listener` for each line until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The files, oldest first. */
  segments(): LogSegment[] {
    const { dir } = this.#options
    return readNames(dir)
      .flatMap((name) => {
        const number = Number(NAME.exec(name)?.[1] ?? Number.NaN)
        const path = join(dir, name)
        const bytes = statSync(path, { throwIfNoEntry: false })?.size
        return Number.isNaN(number) || bytes === undefined ? [] : [{ number, path, bytes }]
      })
      .toSorted((one, other) => one.number - other.number)
  }

  /** One timer serves all lines that are logged until it fires. */
  #flushSoon(): void {
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    void this.#options.clock.sleep(FLUSH_MS).then(() => {
      this.#isFlushDue = false
      return this.flush()
    })
  }

  async #writeWaiting(): Promise<void> {
    if (!this.#isStarted || this.#waiting.length === 0) return
    const [lines, dropped] = [this.#waiting, this.#dropped]
    const text = this.#take()
    try {
      await appendFile(this.#path(this.#segment), text, { mode: 0o600 })
      this.#segmentBytes += text.length
      if (this.#segmentBytes >= this.#segmentLimit) this.#rotate()
    } catch {
      this.#dropped += dropped + lines.length
    }
  }

  /** The waiting lines as text, after a line about those that were dropped. */
  #take(): string {
    const lines = this.#waiting
    if (this.#dropped > 0) lines.unshift(lossLine(this.#options.clock.now(), this.#dropped))
    this.#waiting = []
    this.#waitingSize = 0
    this.#dropped = 0
    return `${lines.join('\n')}\n`
  }

  get #segmentLimit(): number {
    return Math.max(MIN_SEGMENT_BYTES, this.#options.maxBytes / SEGMENTS)
  }

  /** Begins the next file, and removes the oldest ones. */
  #rotate(): void {
    this.#segment += 1
    this.#segmentBytes = 0
    const old = this.segments()
    let bytes = this.#segmentLimit + old.reduce((sum, segment) => sum + segment.bytes, 0)
    for (const segment of old) {
      if (bytes <= this.#options.maxBytes) return
      rmSync(segment.path, { force: true })
      bytes -= segment.bytes
    }
  }

  #path(number: number): string {
    return join(this.#options.dir, `svc-${String(number).padStart(8, '0')}.log`)
  }
}

function readNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** The same line without fields, its message cut. */
function shortened(line: string): string {
  const { time, level, subject, message } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({ time, level, subject, message: String(message).slice(0, 1_000), shortened: true })
}

function lossLine(now: number, lines: number): string {
  const time = new Date(now).toISOString()
  return JSON.stringify({ time, level: 'warn', subject: 'log', message: 'log lines were not stored', lines })
}
