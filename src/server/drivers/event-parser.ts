import { defineWorker, KIB, RequestThread } from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'
import { type ParseOutcome, parseEvent } from './parse-event.ts'

/** Bytes that are parsed and validated within about 3 ms. */
const INLINE_BYTES = 64 * KIB

/** Parses one event. */
export const parseWorker = defineWorker<Uint8Array, ParseOutcome>('src/server/drivers/parse-worker.ts')

/**
 * Parses events: small ones immediately, large ones one after the other in a thread, because 8 MiB of results
 * take up to 500 ms. The thread starts with the first large event and does not keep the process alive.
 */
export class EventParser {
  readonly #thread = new RequestThread(parseWorker, { task: 'parses events' })
  /** Bytes are copied when they are sent to the thread: those that wait are there once. */
  readonly #semaphore = new Places(COUNTS.parsedEvents)

  /** Parses an event. Rejects when the thread fails or has been stopped: the event was not read then. */
  async parse(body: Uint8Array): Promise<ParseOutcome> {
    if (body.byteLength <= INLINE_BYTES) return parseEvent(body)
    return this.#semaphore.run(() => this.#thread.request(body))
  }

  /** Ends the thread. Safe to call twice. */
  stop(): void {
    this.#thread.stop(new Error('The server is stopping'))
  }
}
