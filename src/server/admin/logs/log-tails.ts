import { type Clock, type LogLevel, MINUTE_MS } from '../../../base/index.ts'
import { COUNTS } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'
import type { LogStore } from './log-store.ts'
import { matches } from './read-lines.ts'

const HEARTBEAT_MS = 20_000
/** Then the client opens another one, with a login that is still valid. */
const MAX_AGE_MS = 10 * MINUTE_MS

interface TailFilter {
  level: LogLevel
  text: string
}

/** Streams of new log lines, in the format of event streams. */
export class LogTails {
  readonly #clock: Clock
  readonly #open = new Set<AbortController>()
  readonly #places = new Places(COUNTS.logTails)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * A stream of the lines that are logged from now on and match the filter.
   * @throws AppError `limited` (`too_many_tails`).
   */
  stream(logs: LogStore, filter: TailFilter): ReadableStream<Uint8Array> {
    const release = this.#places.enter()
    const end = new AbortController()
    this.#open.add(end)
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          let dropped = 0
          const send = (text: string): void => controller.enqueue(encoder.encode(text))
          const isFull = () => (controller.desiredSize ?? 0) <= 0
          const unsubscribe = logs.subscribe((line) => {
            const found = matches(line, filter)
            if (!found) return
            if (isFull()) {
              dropped += 1
              return
            }
            if (dropped > 0) send(`event: dropped\ndata: ${JSON.stringify({ lines: dropped })}\n\n`)
            dropped = 0
            send(`event: line\ndata: ${JSON.stringify(found)}\n\n`)
          })
          end.signal.addEventListener('abort', () => {
            unsubscribe()
            this.#open.delete(end)
            release()
            // Already closed when the client has left.
            if (end.signal.reason !== LEFT) controller.close()
          })
          send(': following the log\n\n')
          void this.#keepAlive(end, () => !isFull() && send(': still here\n\n'))
        },
        cancel: () => end.abort(LEFT),
      },
      { highWaterMark: COUNTS.unreadLogBytes.bounds.all, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** Ends all streams. */
  endAll(): void {
    for (const end of [...this.#open]) end.abort()
  }

  async #keepAlive(end: AbortController, beat: () => void): Promise<void> {
    for (let age = 0; age < MAX_AGE_MS && !end.signal.aborted; age += HEARTBEAT_MS) {
      await this.#clock.sleep(HEARTBEAT_MS, end.signal).catch(() => undefined)
      if (!end.signal.aborted) beat()
    }
    end.abort()
  }
}

const LEFT = 'the client has left'
