import { defineWorker, type RunningWorker, startWorker } from '../../base/index.ts'
import { Semaphore } from '../semaphore.ts'
import { type ParseOutcome, parseEvent } from './parse-event.ts'

/** Bytes that are parsed and validated within about 3 ms. */
const INLINE_BYTES = 64 * 1024

/** Parses one event. */
export const parseWorker = defineWorker<Uint8Array, ParseOutcome>('src/server/drivers/parse-worker.ts')

/**
 * Parses events: small ones at once, large ones one after the other in a thread, because 8 MiB of results
 * take up to 500 ms. The thread starts with the first large event and does not keep the process alive.
 */
export class EventParser {
  readonly #semaphore = new Semaphore(1)
  #thread: RunningWorker<Uint8Array> | undefined
  #pending: PromiseWithResolvers<ParseOutcome> | undefined
  #isStopped = false

  /** Parses an event. Rejects when the thread fails or has been stopped: the event was not read then. */
  async parse(body: Uint8Array): Promise<ParseOutcome> {
    if (body.byteLength <= INLINE_BYTES) return parseEvent(body)
    return this.#semaphore.run(() => this.#parseInThread(body))
  }

  /** Ends the thread. Safe to call twice. */
  stop(): void {
    this.#isStopped = true
    this.#thread?.terminate()
    this.#end(new Error('The server is stopping'))
  }

  async #parseInThread(body: Uint8Array): Promise<ParseOutcome> {
    if (this.#isStopped) throw new Error('The server is stopping')
    const pending = Promise.withResolvers<ParseOutcome>()
    this.#pending = pending
    this.#thread ??= startWorker(parseWorker, {
      onResponse: (outcome) => this.#pending?.resolve(outcome),
      onEnd: (error) => this.#end(error ?? new Error('The thread that parses events ended')),
    })
    this.#thread.send(body)
    return pending.promise
  }

  /** Rejects the pending event; the next one starts another thread. */
  #end(reason: Error): void {
    this.#thread = undefined
    this.#pending?.reject(reason)
  }
}
