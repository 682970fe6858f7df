import { connect, type Socket } from 'node:net'
import { Budget, type Clock, MINUTE_MS, messageOf, withTimeout } from '../../../../base/index.ts'
import { ClusterError, ReplyBytes } from './reply.ts'

/** Where a cluster or one of its modules listens. */
interface ClusterAddress {
  host: string
  port: number
}

/** Time limits, ms. */
interface ConnectionLimits {
  connectMs: number
  /** For a whole reply. */
  replyMs: number
}

const LIMITS: ConnectionLimits = { connectMs: 3_000, replyMs: MINUTE_MS }
const KEEP_ALIVE_MS = MINUTE_MS
/** Entries of an error queue that are read; the rest of a longer one is counted. */
const MAX_ERRORS = 100

/**
 * The line protocol of a control cluster: commands end with a line feed, replies are lines or binary blocks
 * (IEEE 488.2). One command is under way at a time, the others wait for their turn. After a failed exchange
 * the connection is closed: what is left of a reply would be taken for the next one.
 */
export class ClusterConnection {
  readonly #name: string
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #limits: ConnectionLimits
  readonly #replies = new ReplyBytes()
  readonly #turns = new Budget({ all: 1 })

  private constructor(name: string, socket: Socket, clock: Clock, limits: ConnectionLimits) {
    this.#name = name
    this.#socket = socket
    this.#clock = clock
    this.#limits = limits
    socket.on('data', (chunk: Buffer) => this.#replies.push(chunk))
    socket.on('error', (error) => this.#end(messageOf(error)))
    socket.on('close', () => this.#end('the connection was closed'))
  }

  /** @throws ClusterError naming the address when it cannot be reached. */
  static async open(
    { host, port }: ClusterAddress,
    clock: Clock,
    limits: Partial<ConnectionLimits> = {},
  ): Promise<ClusterConnection> {
    const all = { ...LIMITS, ...limits }
    const name = `${host}:${port}`
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    })
    const connected = Promise.withResolvers<void>()
    socket.once('connect', connected.resolve)
    socket.once('error', (error) => connected.reject(new ClusterError(`${name}: ${messageOf(error)}`)))
    try {
      await withTimeout(connected.promise, {
        clock,
        ms: all.connectMs,
        onTimeout: () => {
          throw new ClusterError(`${name}: no connection within ${all.connectMs / 1_000} s`)
        },
      })
    } catch (error) {
      socket.destroy()
      throw error
    }
    return new ClusterConnection(name, socket, clock, all)
  }

  /** Sends a command that has no reply; a block follows it after a space. */
  send(command: string, block?: Uint8Array): Promise<void> {
    return this.exchange(command, block, () => Promise.resolve())
  }

  /** The line by which a command is answered. */
  query(command: string): Promise<string> {
    return this.exchange(command, undefined, (reply) => reply.line())
  }

  /** The binary block by which a command is answered. */
  queryBlock(command: string): Promise<Buffer> {
    return this.exchange(command, undefined, async (reply) => {
      const block = await reply.block()
      await reply.line()
      return block
    })
  }

  /**
   * Sends a command and lets `read` read its reply.
   * @throws ClusterError when the reply is late, cannot be read, or the connection ends.
   */
  exchange<T>(
    command: string,
    block: Uint8Array | undefined,
    read: (reply: ReplyBytes) => Promise<T>,
  ): Promise<T> {
    return this.#turns.run(async () => {
      try {
        if (!this.#replies.isEmpty) throw new ClusterError('sent something that was not asked for')
        this.#write(command, block)
        return await withTimeout(read(this.#replies), {
          clock: this.#clock,
          ms: this.#limits.replyMs,
          onTimeout: () => {
            throw new ClusterError(`no reply within ${this.#limits.replyMs / 1_000} s`)
          },
        })
      } catch (error) {
        this.close()
        throw new ClusterError(`${this.#name}: ${shortened(command)}: ${messageOf(error)}`, { cause: error })
      }
    })
  }

  /** Takes all messages from the error queue, in their order. */
  async takeErrors(): Promise<string[]> {
    const messages: string[] = []
    for (;;) {
      const left = Number(await this.query('SYSTem:ERRor:COUNt?'))
      if (!(left > 0)) return messages
      if (messages.length >= MAX_ERRORS) return [...messages, `…and ${left} more`]
      messages.push(await this.query('SYSTem:ERRor:NEXT?'))
    }
  }

  close(): void {
    this.#socket.destroy()
    this.#end('the connection was closed')
  }

  #write(command: string, block: Uint8Array | undefined): void {
    if (!block) {
      this.#socket.write(`${command}\n`)
      return
    }
    const length = String(block.length)
    this.#socket.write(`${command} #${length.length}${length}`)
    this.#socket.write(block)
    this.#socket.write('\n')
  }

  #end(reason: string): void {
    this.#replies.fail(new ClusterError(reason))
  }
}

/** A command without its arguments, which may be long. */
function shortened(command: string): string {
  return command.split(' ', 1)[0] ?? command
}
