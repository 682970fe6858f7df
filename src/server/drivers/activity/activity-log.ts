import { AppError, type Clock, MINUTE_MS } from '../../../base/index.ts'

/** Minutes that are remembered. */
const MINUTES = 60

/** Why the server refused a driver that asked to connect. Drivers ask again every few seconds. */
interface Refusal {
  /** Unix ms. */
  at: number
  code: string
  message: string
}

/** What one driver sent during the last hour. */
interface DriverActivity {
  /** Events received in each minute, the oldest first, the present minute last. */
  events: number[]
  dropped: number[]
  /** Unix ms. */
  lastEvent: number | undefined
  connectedAt: number | undefined
  refusal: Refusal | undefined
}

/** Counts of one minute. */
interface Minute {
  /** Minutes since the epoch. */
  minute: number
  events: number
  dropped: number
}

interface Entry {
  /** A ring: the minute `m` is at `m % MINUTES`. */
  minutes: Minute[]
  lastEvent: number | undefined
  connectedAt: number | undefined
}

/**
 * What each driver sent during the last hour, and why the others are not connected. In memory: after a
 * restart the counts begin again.
 */
export class DriverActivityLog {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  /** By hash of the access token. Only tokens of existing drivers get here, which bounds the number. */
  readonly #refusals = new Map<string, Refusal>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a received event of a driver. */
  countEvent(driver: string): void {
    const now = this.#clock.now()
    const entry = this.#entryOf(driver)
    minuteAt(entry, now).events += 1
    entry.lastEvent = now
  }

  /** Counts a dropped event of a driver. */
  countDrop(driver: string): void {
    minuteAt(this.#entryOf(driver), this.#clock.now()).dropped += 1
  }

  /** Records that a driver was granted its lease. */
  connected(driver: string, tokenHash: string): void {
    this.#entryOf(driver).connectedAt = this.#clock.now()
    this.#refusals.delete(tokenHash)
  }

  /** Records that a driver's sockets are closed. */
  disconnected(driver: string): void {
    this.#entryOf(driver).connectedAt = undefined
  }

  /** Records why a driver was refused, except for unknown tokens, which belong to no driver. */
  refused(tokenHash: string, error: unknown): void {
    if (!(error instanceof AppError) || error.code === 'unauthorized') return
    this.#refusals.set(tokenHash, {
      at: this.#clock.now(),
      code: error.reason ?? error.code,
      message: error.message,
    })
  }

  /** The activity of a driver; of one that was never connected, nothing. */
  of(driver: string, tokenHash: string): DriverActivity {
    const entry = this.#entries.get(driver)
    const present = minuteOf(this.#clock.now())
    const minutes = Array.from({ length: MINUTES }, (_, index) => {
      const minute = present - MINUTES + 1 + index
      const counts = entry?.minutes[minute % MINUTES]
      return counts?.minute === minute ? counts : { events: 0, dropped: 0 }
    })
    return {
      events: minutes.map(({ events }) => events),
      dropped: minutes.map(({ dropped }) => dropped),
      lastEvent: entry?.lastEvent,
      connectedAt: entry?.connectedAt,
      refusal: this.#refusals.get(tokenHash),
    }
  }

  /** Forgets drivers that no longer exist. */
  keep(drivers: ReadonlySet<string>, tokenHashes: ReadonlySet<string>): void {
    for (const id of this.#entries.keys()) if (!drivers.has(id)) this.#entries.delete(id)
    for (const hash of this.#refusals.keys()) if (!tokenHashes.has(hash)) this.#refusals.delete(hash)
  }

  #entryOf(driver: string): Entry {
    const known = this.#entries.get(driver)
    if (known) return known
    const entry: Entry = { minutes: [], lastEvent: undefined, connectedAt: undefined }
    this.#entries.set(driver, entry)
    return entry
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS)
}

/** The counts of the present minute, which replace those of an hour ago. */
function minuteAt({ minutes }: Entry, now: number): Minute {
  const minute = minuteOf(now)
  const known = minutes[minute % MINUTES]
  if (known?.minute === minute) return known
  const fresh = { minute, events: 0, dropped: 0 }
  minutes[minute % MINUTES] = fresh
  return fresh
}
