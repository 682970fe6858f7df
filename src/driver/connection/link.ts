import type { Clock, Log } from '../../base/index.ts'
import { type Connection, type ConnectResponse, connect } from '../../protocol/index.ts'

interface LinkOptions {
  lease: ConnectResponse
  /** Pinned root CA, PEM. */
  ca: string
  version: string
  clock: Clock
  log: Log
  /** Whether another server may lead when this one has frozen. */
  hasStandby: boolean
  /** The first events after the attach: the hello, and the description of a device that has one. */
  greeting(): string[]
  /** A command, unchanged; its job payload is not read here. */
  onCommand(text: string): void
  /** Both sockets are attached. */
  onReady(): void
}

/**
 * Both message sockets of one lease. They open and close together, because a new attach needs a new lease.
 */
export interface Link {
  /** Whether events may be sent now. */
  readonly ready: boolean
  /** False when the event was not accepted: the link is not ready, or its send buffer is full. */
  trySend(body: string): boolean
  /** Waits until the send buffer accepts the event; rejects when the link ends. */
  send(body: string): Promise<void>
  /** Settles when the link has ended, with the reason. */
  readonly closed: Promise<string>
  /** Sends the accepted events, then closes. */
  close(): Promise<void>
}

/** With these, a server that has frozen is left within 5 s. */
const BESIDE_STANDBY = { pingIntervalMs: 1_500, deadAfterMs: 4_500 } as const

/**
 * Attaches to the server, first with the result socket: the command socket makes the driver online, and by
 * then events can already be sent.
 */
export function openLink(options: LinkOptions): Link {
  const { lease, ca, version, clock, log } = options
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const closed = Promise.withResolvers<string>()
  const own = {
    host: lease.socket_host,
    ca,
    user: lease.id,
    password: lease.auth_token,
    clock,
    log,
    appVersion: version,
    reconnect: false as const,
    ...(options.hasStandby && { limits: BESIDE_STANDBY }),
  }
  let commands: Connection | undefined

  async function close(): Promise<void> {
    await Promise.all([results.close(), commands?.close()])
    closed.resolve('closed by this side')
  }

  /** Ends both sockets; of one that was never ready, the reason names the part that failed. */
  function onClose(part: string, socket: () => Connection | undefined, reason: string): void {
    const failed = socket()?.counters.ready ? '' : `${part} of ${lease.socket_host} cannot be attached: `
    closed.resolve(`${failed}${reason}`)
    void close()
  }

  const results = connect({
    ...own,
    role: 'push',
    port: lease.result_port,
    onClose: (reason) => onClose(`result port ${lease.result_port}`, () => results, reason),
    onReady() {
      for (const event of options.greeting()) results.trySend(event)
      commands = connect({
        ...own,
        role: 'pull',
        port: lease.command_port,
        onMessage: (body) => options.onCommand(decoder.decode(body)),
        onReady: () => options.onReady(),
        onClose: (reason) => onClose(`command port ${lease.command_port}`, () => commands, reason),
      })
    },
  })
  return {
    get ready() {
      return results.ready && (commands?.ready ?? false)
    },
    trySend: (body) => results.trySend(body),
    send: (body) => results.send(body),
    closed: closed.promise,
    close,
  }
}
