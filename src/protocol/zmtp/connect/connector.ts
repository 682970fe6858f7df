import { AppError, type BackoffLimits, backoffMs, randomFraction } from '../../../base/index.ts'
import { fingerprintOf } from '../../certificates/fingerprint.ts'
import type { ZmtpConnection } from '../connection/connection.ts'
import { type Counters, newCounters } from '../connection/counters.ts'
import { guarded } from '../connection/guard.ts'
import { DEFAULT_LIMITS, type SocketLimits } from '../connection/limits.ts'
import { type Body, toMessage } from '../connection/message.ts'
import { encodeHello } from '../framing/command.ts'
import { type Attempt, type AttemptOptions, attempt } from './attempt.ts'

/** Status code with which a server refuses a user, password or lease. */
const REFUSED = '400'

/** Pauses between two attempts of a driver to connect. */
const DEFAULT_BACKOFF: BackoffLimits = { initialMs: 250, maxMs: 10_000 }

export interface ConnectOptions extends AttemptOptions {
  limits?: Partial<SocketLimits>
  onReady?(): void
  /**
   * Called at the end of each attempt, whether it was ready or not. `refused` is true when the server sent
   * `400`: then no further attempt is made.
   */
  onClose?(reason: string, refused: boolean): void
  /** False makes one attempt only. */
  reconnect?: false | BackoffLimits
  /** Ends everything immediately, like `close` without a grace period. */
  signal?: AbortSignal
}

/** A connecting socket: at most one connection at a time, re-established whenever it is lost. */
export interface Connection {
  /** Whether messages may flow now. */
  readonly ready: boolean
  readonly counters: Readonly<Counters>
  /**
   * Push role: accepts the message. False when not ready or the high-water mark is reached; the message is
   * then not accepted. Accepted does not mean delivered.
   * @throws AppError `invalid` when the message is larger than the server accepts.
   */
  trySend(body: Body): boolean
  /**
   * Like `trySend`, but waits for space. Rejects with `unavailable` when not ready or the connection is lost.
   */
  send(body: Body, signal?: AbortSignal): Promise<void>
  /** Stops reading until `resume`, also on later connections. */
  pause(): void
  resume(): void
  /** Writes the accepted messages, closes and makes no further attempt. */
  close(): Promise<void>
}

/**
 * Connects to a listening socket as the PLAIN client and reconnects whenever the connection is lost.
 * @throws RangeError when user or password is longer than 255 bytes.
 * @throws AppError `invalid` unless `ca` is exactly one CA certificate.
 */
export function connect(options: ConnectOptions): Connection {
  const { clock, log, reconnect = DEFAULT_BACKOFF } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const counters = newCounters()
  const stop = new AbortController()
  const stopped = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  // Input that can never succeed throws here instead of being retried for ever.
  fingerprintOf(options.ca)
  encodeHello(options.user, options.password)
  let current: ZmtpConnection | undefined
  let closing = false
  let paused = false

  const ready = () => (current?.isReady ? current : undefined)

  function onReady(connection: ZmtpConnection): void {
    current = connection
    counters.ready += 1
    if (paused) connection.pause()
    guarded(log, 'onReady', () => options.onReady?.())
  }

  function onEnd({ reason, kind }: Attempt): boolean {
    const refused = kind === 'refused' && reason === REFUSED
    if (kind === 'refused' || kind === 'protocol') counters.refused += 1
    guarded(log, 'onClose', () => options.onClose?.(reason, refused))
    return refused
  }

  async function keepConnected(): Promise<void> {
    let failures = 0
    while (!closing && !stopped.aborted) {
      const ended = await attempt(options, { limits, counters, signal: stopped, onReady })
      failures = ended.wasReady ? 1 : failures + 1
      const refused = onEnd(ended)
      if (refused || reconnect === false || closing || stopped.aborted) return
      const ms = backoffMs(failures, reconnect, randomFraction)
      log.info('message socket reconnects', { reason: ended.reason, pauseMs: Math.round(ms) })
      await clock.sleep(ms, stopped).catch(() => undefined)
    }
  }

  const finished = keepConnected()
  return {
    counters,
    get ready() {
      return ready() !== undefined
    },
    trySend: (body) => ready()?.trySend(toMessage(body, limits.toServerBytes)) ?? false,
    async send(body, signal) {
      const connection = ready()
      if (!connection) throw new AppError('unavailable', 'The message socket is not connected to the server')
      await connection.send(toMessage(body, limits.toServerBytes), signal)
    },
    pause() {
      paused = true
      ready()?.pause()
    },
    resume() {
      paused = false
      ready()?.resume()
    },
    async close() {
      closing = true
      const connection = ready()
      connection?.close('closed by this side')
      await connection?.ended
      stop.abort()
      await finished
    },
  }
}
