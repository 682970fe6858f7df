import { type Clock, type Log, toTimestamp } from '../../base/index.ts'
import { encodeJsonBytes } from '../../db/index.ts'
import { type Listener, listen, type Peer } from '../../protocol/index.ts'
import type { OutgoingCommand } from '../driver-hub.ts'
import type { CertificateStore } from '../tls/certificate-store.ts'
import type { EventParser } from './event-parser.ts'
import type { DropReason } from './parse-event.ts'
import { type EventHandler, type EventSource, Receiver } from './receive.ts'
import type { SocketTokens } from './socket-token.ts'

interface DriverSessionDependencies {
  source: EventSource
  /** Identifies the driver process; older and foreign drivers do not send it. */
  instance: string | undefined
  host: string
  commandPort: number
  resultPort: number
  tls: CertificateStore
  tokens: SocketTokens
  handle: EventHandler
  parser: EventParser
  /** Whether another connection of this address may begin its handshake. */
  admits(address: string): boolean
  onDropped(reason: DropReason): void
  /** Called with the type of an event without which the state of the session is wrong. */
  onUnapplied(type: string): void
  rateLimit: () => number
  version: string
  clock: Clock
  log: Log
  /** Called when the driver has connected to the command socket. */
  onAttach(): void
  /** Called when the connection of the command socket has ended. */
  onDetach(reason: string): void
  /** Called with the time of the last byte when two PINGs are unanswered; with '' when the driver answers. */
  onSilence(since: string): void
}

/** Why a driver is gone, without what only operators read. */
export function publicReason(reason: string): string {
  return reason.startsWith('no byte received') ? 'its driver was silent' : 'its driver left'
}

/** The two steps in which a session closes. */
export interface ClosingSession {
  /** Resolves when the ports are free. */
  socketsClosed: Promise<void>
  /** Resolves when every received event has been handled, too. */
  finished: Promise<void>
}

/** The two message sockets of one granted lease: commands down, events up. */
export class DriverSession {
  readonly source: EventSource
  /** The driver process that requested the lease, if it sent its instance. */
  readonly instance: string | undefined
  /** Monotonic ms. */
  readonly openedAt: number
  readonly #command: Listener
  readonly #result: Listener
  readonly #receiver: Receiver
  readonly #stopRenewal: () => void
  /** Monotonic ms at which the driver connected to the command socket; undefined before. */
  attachedAt: number | undefined

  private constructor(
    { source, instance, tls, clock }: DriverSessionDependencies,
    sockets: { command: Listener; result: Listener },
    receiver: Receiver,
  ) {
    this.source = source
    this.instance = instance
    this.openedAt = clock.monotonic()
    this.#command = sockets.command
    this.#result = sockets.result
    this.#receiver = receiver
    this.#stopRenewal = tls.onRenew(({ keyPem, certPem }) => {
      for (const each of [sockets.command, sockets.result]) {
        each.setSecureContext({ key: keyPem, cert: certPem })
      }
    })
  }

  /**
   * Opens both sockets, or none.
   * @throws the system's error (`EADDRINUSE`) when a port is taken.
   */
  static async open(dependencies: DriverSessionDependencies): Promise<DriverSession> {
    const { source, tokens, tls, clock } = dependencies
    const log = dependencies.log.child(source.name)
    const receiver = new Receiver({
      ...dependencies,
      log,
      onRejected: (event) => void session.send({ type: 'EventAck', event, applied: false }),
    })
    const common = {
      host: dependencies.host,
      tls: { key: tls.material.keyPem, cert: tls.material.certPem },
      clock,
      log,
      appVersion: dependencies.version,
      admits: dependencies.admits,
      // The port belongs to one driver and the token to one lease.
      async authenticate(user: string, password: string) {
        if (user !== source.driver) return false
        const claims = await tokens.check(password)
        return claims?.sub === user && claims.jti === String(source.epoch) ? { lease: claims.jti } : false
      },
    }
    const command = await listen({
      ...common,
      role: 'push',
      port: dependencies.commandPort,
      onReady: () => {
        session.attachedAt ??= clock.monotonic()
        dependencies.onAttach()
      },
      onSilence(silentMs) {
        dependencies.onSilence(silentMs === 0 ? '' : toTimestamp(clock.now() - silentMs))
      },
      onClose(_, reason) {
        // A newer connection of the same lease may have replaced this one.
        if (!command.peer) dependencies.onDetach(reason)
      },
    })
    const result = await listen({
      ...common,
      role: 'pull',
      port: dependencies.resultPort,
      onMessage: (body: Uint8Array, peer: Peer) => receiver.receive(body, () => peer.resume()),
      onFrames: (_, peer) => receiver.receive('frames', () => peer.resume()),
    }).catch(async (error: unknown) => {
      await command.close()
      throw error
    })
    const session = new DriverSession(dependencies, { command, result }, receiver)
    return session
  }

  /** Whether the driver has connected to the command socket. */
  get isAttached(): boolean {
    return this.attachedAt !== undefined
  }

  /**
   * Queues a command; false without a peer or if the peer's queue is full. A job leaves in this turn, with
   * what waits: the responses to its submission and to the result before it are made meanwhile.
   */
  send(command: OutgoingCommand): boolean {
    const isAccepted = this.#command.trySend(encodeJsonBytes(command))
    if (isAccepted && command.type === 'RunJob') this.#command.flush()
    return isAccepted
  }

  /** Whether an event is arriving or waits to be handled. */
  get isReceiving(): boolean {
    return this.#result.isReceiving || this.#receiver.isBusy
  }

  /** Settles when every event accepted so far has been handled. */
  get handled(): Promise<void> {
    return this.#receiver.handled
  }

  /** The command and the result port. */
  get ports(): readonly [number, number] {
    return [this.#command.port, this.#result.port]
  }

  /** Closes both sockets; queued commands are still written, unless `atOnce`. */
  close(atOnce = false): ClosingSession {
    this.#stopRenewal()
    const sockets = Promise.all([this.#command.close({ atOnce }), this.#result.close({ atOnce })])
    return {
      socketsClosed: sockets.then(() => undefined),
      finished: sockets.then(() => this.#receiver.close()),
    }
  }
}
