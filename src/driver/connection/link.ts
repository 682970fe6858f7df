import type { Clock, Log } from '../../base/index.ts'
import { type Connection, type ConnectResponse, connect } from '../../protocol/index.ts'

interface LinkOptions {
  lease: ConnectResponse
  /** Pinned root CA, PEM. */
  ca: string
  version: string
  clock: Clock
  log: Log
  /** The first event after the attach. */
  hello(): string
  /** A command, as it came; the job payload in it is not read here. */
  onCommand(text: string): void
  /** Both sockets are attached. */
  onReady(): void
}

/** Both message sockets of one lease. They live and end together: a new attach needs a new lease anyway. */
export interface Link {
  /** Whether events may be sent now. */
  readonly ready: boolean
  /** False when nothing was taken: not ready, or too much under way. */
  trySend(body: string): boolean
  /** Waits for room; rejects when the link ends. */
  send(body: string): Promise<void>
  /** Settles when the link has ended, with the reason. */
  readonly closed: Promise<string>
  /** Writes what was taken, then closes. */
  close(): Promise<void>
}

/**
 * Attaches to the server. The result socket goes first: when the server sees the command socket, which makes the
 * driver online, everything the driver has to say can already flow.
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
  }
  let commands: Connection | undefined

  async function close(): Promise<void> {
    await Promise.all([results.close(), commands?.close()])
    closed.resolve('closed by this side')
  }

  function onClose(reason: string): void {
    closed.resolve(reason)
    void close()
  }

  const results = connect({
    ...own,
    role: 'push',
    port: lease.result_port,
    onClose,
    onReady() {
      results.trySend(options.hello())
      commands = connect({
        ...own,
        role: 'pull',
        port: lease.command_port,
        onMessage: (body) => options.onCommand(decoder.decode(body)),
        onReady: () => options.onReady(),
        onClose,
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
