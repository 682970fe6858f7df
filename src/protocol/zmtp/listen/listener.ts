import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { AppError, messageOf } from '../../../base/index.ts'
import { type Counters, newCounters } from '../connection/counters.ts'
import { guarded } from '../connection/guard.ts'
import { DEFAULT_LIMITS, type SocketLimits } from '../connection/limits.ts'
import { type Body, toMessage } from '../connection/message.ts'
import { ALPN, NO_TICKETS, type TlsIdentity } from '../connection/tls.ts'
import { refusalLog } from './refusal-log.ts'
import { type Peer, type Served, type ServeOptions, serve } from './serve.ts'
import { UnreadyPeers } from './unready-peers.ts'

export interface ListenOptions extends ServeOptions {
  host: string
  /** 0 chooses any free port. */
  port: number
  tls: TlsIdentity
  /** Whether another connection of this address may begin its handshake. */
  admits?(address: string): boolean
  /** A driver completed the handshake; from now on messages flow. */
  onReady?(peer: Peer): void
  /** The ready peer leaves two PINGs unanswered: ms since its last byte; 0 when it answers again. */
  onSilence?(silentMs: number): void
  /** For each peer that was ready, exactly once. */
  onClose?(peer: Peer, reason: string): void
  limits?: Partial<SocketLimits>
}

/** A listening socket with at most one ready peer. */
export interface Listener {
  readonly port: number
  /** The ready peer, if any. */
  readonly peer: Peer | undefined
  readonly counters: Readonly<Counters>
  /** Whether the ready peer has sent a part of a message whose rest is still to come. */
  readonly isReceiving: boolean
  /**
   * Push role: accepts the message for the ready peer. False when there is none or the high-water mark is
   * reached; the message is then not accepted. Accepted does not mean delivered.
   * @throws AppError `invalid` when the message is larger than a driver accepts.
   */
  trySend(body: Body): boolean
  /** Writes accepted messages now, together, instead of at the end of the turn. */
  flush(): void
  /**
   * Like `trySend`, but waits for space. Rejects with `unavailable` without a peer or when it disconnects.
   */
  send(body: Body, signal?: AbortSignal): Promise<void>
  /** New connections use this certificate; existing ones continue. */
  setSecureContext(tls: TlsIdentity): void
  /** Closes the ready peer, if any, after writing the accepted messages. */
  dropPeer(reason: string): void
  /**
   * Stops accepting connections, writes the accepted messages and destroys what is left after the grace
   * period; `atOnce` destroys everything immediately.
   */
  close(options?: { atOnce?: boolean }): Promise<void>
}

/**
 * Opens a listening socket as the PLAIN server; any number of clients may try to connect.
 * Rejects with the system's error, such as `EADDRINUSE`, as it is.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { clock, log } = options
  const counters = newCounters()
  const logRefusal = refusalLog(log, clock, limits.refusalLogMs)
  const open = new Set<Served>()
  let live: Served | undefined

  const ready = () => (live?.connection.isReady ? live : undefined)

  function onReady(served: Served): void {
    const older = live
    // First, so that the end of the older connection is not taken for the end of the peer.
    live = served
    older?.connection.destroy({ reason: 'replaced by a newer connection of the same lease', kind: 'closed' })
    counters.ready += 1
    guarded(log, 'onReady', () => options.onReady?.(served.peer))
  }

  const server = createServer({
    ...options.tls,
    minVersion: 'TLSv1.3',
    secureOptions: NO_TICKETS,
    ALPNProtocols: [ALPN],
    handshakeTimeout: limits.tlsHandshakeMs,
  })
  // Includes those that have not completed TLS, which have no connection object that could close them.
  const sockets = new Set<Socket>()
  const unready = new UnreadyPeers(limits.unreadyConnections)
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? 'unknown'
    // Counted when it has ended, like every other connection without a complete handshake.
    const refuse = (which: Socket, reason: string) => {
      logRefusal(which.remoteAddress ?? address, reason)
      which.destroy()
    }
    if (options.admits?.(address) === false) return refuse(socket, 'too many connections of this address')
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      unready.remove(socket)
    })
    const displaced = unready.add(socket, address)
    if (displaced) refuse(displaced, 'replaced by a newer connection before the handshake was complete')
  })
  server.on('secureConnection', (socket) => {
    const served = serve(socket, options, {
      limits,
      counters,
      admit: (each) =>
        ready() && live?.peer.lease !== each.peer.lease
          ? { code: '400', reason: 'the port is in use under another lease' }
          : undefined,
      onReady(each) {
        unready.remove(socket)
        onReady(each)
      },
      onSilence(each, silentMs) {
        if (live === each) guarded(log, 'onSilence', () => options.onSilence?.(silentMs))
      },
      onEnd(each, { reason, kind }) {
        open.delete(each)
        const { wasReady } = each.connection
        const leftEarly = kind === 'lost' && !wasReady
        if (kind === 'protocol' || kind === 'refused' || leftEarly) {
          counters.refused += 1
          logRefusal(each.peer.address, leftEarly ? `${reason} before the handshake was complete` : reason)
        }
        if (live === each) live = undefined
        if (wasReady) guarded(log, 'onClose', () => options.onClose?.(each.peer, reason))
      },
    })
    open.add(served)
  })
  server.on('tlsClientError', (error, socket) => {
    counters.refused += 1
    logRefusal(socket.remoteAddress ?? 'unknown', messageOf(error))
    // Without this a silent client occupies its connection for ever.
    socket.destroy()
  })

  server.listen(options.port, options.host)
  await once(server, 'listening')
  server.on('error', (error) => log.error('message socket listener failed', { error }))

  return {
    port: portOf(server),
    counters,
    get peer() {
      return ready()?.peer
    },
    get isReceiving() {
      return ready()?.connection.isReceiving ?? false
    },
    trySend: (body) => ready()?.connection.trySend(toMessage(body, limits.toDriverBytes)) ?? false,
    flush: () => ready()?.connection.flush(),
    async send(body, signal) {
      const receiving = ready()
      if (!receiving) throw new AppError('unavailable', 'No driver is connected to this message socket')
      await receiving.connection.send(toMessage(body, limits.toDriverBytes), signal)
    },
    setSecureContext: (tls) => server.setSecureContext(tls),
    dropPeer: (reason) => ready()?.peer.close(reason),
    async close({ atOnce = false } = {}) {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      const reason = 'the server closed the message socket'
      for (const { peer, connection } of [...open]) {
        if (atOnce) connection.destroy({ reason, kind: 'closed' })
        else peer.close(reason)
      }
      await Promise.all(Array.from(open, (each) => each.connection.ended))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
