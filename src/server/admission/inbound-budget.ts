import { type Clock, TimeSlice, TokenBucket } from '../../base/index.ts'
import { RATES } from './limits.ts'

/**
 * What the server processes of one driver. A result of 500 jobs per second needs a quarter of it; a driver
 * that sends more is read more slowly, and nothing is lost.
 */
const [MESSAGES, BYTES] = [RATES.driverMessages.current(), RATES.driverBytes.current()]

/** Longest time for which one driver occupies the event loop without giving way to others, in ms. */
const SLICE_MS = 2

/** Bounds the share of the event loop that the messages of one driver take, whatever they contain. */
export class InboundBudget {
  readonly #clock: Clock
  readonly #messages: TokenBucket
  readonly #bytes: TokenBucket
  readonly #slice: TimeSlice

  constructor(clock: Clock) {
    this.#clock = clock
    this.#slice = new TimeSlice(clock, SLICE_MS)
    this.#messages = new TokenBucket(MESSAGES.burst, clock.monotonic())
    this.#bytes = new TokenBucket(BYTES.burst, clock.monotonic())
  }

  /** Waits until one more message may be processed, and until other work of this process had its turn. */
  async admit(bytes: number, signal: AbortSignal): Promise<void> {
    for (let seconds = this.#take(bytes); seconds > 0 && !signal.aborted; seconds = this.#take(bytes)) {
      await this.#clock.sleep(seconds * 1_000, signal).catch(() => undefined)
    }
    if (this.#slice.isOver) await this.#slice.next()
  }

  /** Begins a slice: nothing of the driver has been processed in this turn of the event loop. */
  begin(): void {
    this.#slice.begin()
  }

  /** Takes the tokens of a message and returns 0, or the seconds until there are enough. */
  #take(bytes: number): number {
    const now = this.#clock.monotonic()
    const size = Math.min(bytes, BYTES.burst)
    const wait = this.#bytes.wait(BYTES, now, size)
    if (wait > 0) return wait
    const messages = this.#messages.take(MESSAGES, now)
    if (messages > 0) return messages
    this.#bytes.take(BYTES, now, size)
    return 0
  }
}
