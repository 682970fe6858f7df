import type { Log } from '../../base/index.ts'
import { MIB } from '../../base/index.ts'

interface QueuedEvent {
  body: string
  /** Telemetry, which is dropped first when the queue is full. */
  droppable: boolean
}

const MAX_EVENTS = 1_000
const MAX_CHARACTERS = 8 * MIB

/**
 * Unsent events that need no acknowledgement, oldest first: at most 1,000 events and 8 Mi characters. A full
 * queue drops the oldest telemetry first, and other events only when no telemetry is left.
 */
export class EventQueue {
  readonly #log: Log
  #events: QueuedEvent[] = []
  #characters = 0
  #dropped = 0

  constructor(log: Log) {
    this.#log = log
  }

  get size(): number {
    return this.#events.length
  }

  add(event: QueuedEvent): void {
    this.#events.push(event)
    this.#characters += event.body.length
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) this.#dropOldest()
  }

  /** Sends events in order until `trySend` refuses one; logs how many were dropped before. */
  flush(trySend: (body: string) => boolean): void {
    let sent = 0
    for (const event of this.#events) {
      if (!trySend(event.body)) break
      this.#characters -= event.body.length
      sent += 1
    }
    if (sent === 0) return
    this.#events = this.#events.slice(sent)
    if (this.#dropped > 0)
      this.#log.warn('events dropped while the server was not connected', { count: this.#dropped })
    this.#dropped = 0
  }

  #dropOldest(): void {
    const found = this.#events.findIndex((event) => event.droppable)
    const [gone] = this.#events.splice(Math.max(found, 0), 1)
    this.#characters -= gone?.body.length ?? 0
    this.#dropped += 1
  }
}
