import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A message of the protocol of PostgreSQL; the first one of a client has no type. */
interface Message {
  type: string
  body: Buffer
  whole: Buffer
}

/** Where the connection of the leader ends at a COMMIT. */
export type Cut = 'before it is sent' | 'after it is sent' | 'after it is done'

/** What happens to the connection that writes, once. */
interface Trap {
  kind: Cut | 'hold'
  sprung(connection: Connection): void
}

/** Returns the trap if it is of this kind, which is gone then. */
type TakeTrap = (kind: Trap['kind']) => Trap | undefined

const TYPE_BYTES = 1
const LENGTH_BYTES = 4

/** Splits what arrives into messages. */
class Messages {
  #rest = Buffer.alloc(0)
  #typeBytes: number

  constructor(isTyped: boolean) {
    this.#typeBytes = isTyped ? TYPE_BYTES : 0
  }

  *add(chunk: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= this.#typeBytes + LENGTH_BYTES) {
      const end = this.#typeBytes + this.#rest.readUInt32BE(this.#typeBytes)
      if (this.#rest.length < end) return
      const whole = this.#rest.subarray(0, end)
      const type = whole.toString('latin1', 0, this.#typeBytes)
      const body = whole.subarray(this.#typeBytes + LENGTH_BYTES)
      this.#rest = this.#rest.subarray(end)
      this.#typeBytes = TYPE_BYTES
      yield { type, body, whole }
    }
  }
}

/** The texts that end with NUL at the begin of a message. */
function textsOf(body: Buffer): string[] {
  return body.toString('utf8').split('\0')
}

/** One connection through the proxy. */
class Connection {
  readonly #client: Socket
  readonly #server: Socket
  readonly #takeTrap: TakeTrap
  /** Names of prepared statements that commit. */
  readonly #commits = new Set<string>()
  /** Only the connection of the leader that writes names itself by this statement. */
  #isWriter = false
  #atSync: (() => void) | undefined
  #held: Buffer[] | undefined
  /** What arrived in one packet leaves in one packet. */
  readonly #passing = { toServer: [] as Buffer[], toClient: [] as Buffer[] }
  #isCut = false

  constructor(client: Socket, server: Socket, takeTrap: TakeTrap) {
    this.#client = client
    this.#server = server
    this.#takeTrap = takeTrap
    const sent = new Messages(false)
    const answered = new Messages(true)
    client.on('data', (chunk: Buffer) => {
      for (const message of sent.add(chunk)) if (!this.#isCut) this.#send(message)
      this.#pass()
    })
    server.on('data', (chunk: Buffer) => {
      for (const message of answered.add(chunk)) if (!this.#isCut) this.#answer(message)
      this.#pass()
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        if (!this.#isCut) other.destroy()
      })
    }
  }

  /** Passes on what was held. */
  release(): void {
    for (const each of this.#held ?? []) this.#client.write(each)
    this.#held = undefined
  }

  #send(message: Message): void {
    const isCommit = this.#isCommit(message)
    if (isCommit && this.#spring('before it is sent')) {
      this.#cut()
      return
    }
    this.#passing.toServer.push(message.whole)
    if (isCommit && this.#spring('after it is sent')) this.#atSync = () => this.#cut()
    if (message.type === 'S') this.#atSync?.()
  }

  /** Whether the message runs a statement that commits; remembers what is prepared. */
  #isCommit({ type, body }: Message): boolean {
    const [first = '', second = ''] = textsOf(body)
    if (type === 'P') {
      if (second.startsWith("SET application_name = 'svc leader ")) this.#isWriter = true
      if (second === 'COMMIT') this.#commits.add(first)
      else this.#commits.delete(first)
    }
    return this.#isWriter && type === 'B' && this.#commits.has(second)
  }

  #answer({ type, body, whole }: Message): void {
    const isDone = this.#isWriter && type === 'C' && textsOf(body)[0] === 'COMMIT'
    if (isDone && this.#spring('after it is done')) {
      this.#cut()
      return
    }
    if (this.#isWriter && type === 'Z' && body.toString() === 'T' && this.#spring('hold')) this.#held = []
    if (this.#held) this.#held.push(whole)
    else this.#passing.toClient.push(whole)
  }

  #pass(): void {
    const { toServer, toClient } = this.#passing
    if (toServer.length > 0) this.#server.write(Buffer.concat(toServer.splice(0)))
    if (toClient.length > 0) this.#client.write(Buffer.concat(toClient.splice(0)))
  }

  #spring(kind: Trap['kind']): boolean {
    const trap = this.#takeTrap(kind)
    trap?.sprung(this)
    return trap !== undefined
  }

  /** What was sent to the server arrives there; nothing arrives at the client any more. */
  #cut(): void {
    this.#isCut = true
    this.#passing.toClient = []
    this.#pass()
    this.#server.end()
    this.#client.destroy()
  }
}

/** A relay to a server of PostgreSQL that interrupts the server of `svc` that leads at a chosen point. */
export class PostgresProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #trap: Trap | undefined

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect({ host: '127.0.0.1', port: target, noDelay: true })
      client.setNoDelay()
      for (const socket of [client, server]) {
        this.#sockets.add(socket)
        socket.once('close', () => void this.#sockets.delete(socket))
      }
      new Connection(client, server, (kind) => this.#takeTrap(kind))
    })
  }

  /** Opens a proxy to a port of 127.0.0.1. */
  static async open(target: number): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  /** Cuts the connection of the leader that writes at its next COMMIT; resolves when it is cut. */
  async cutCommit(cut: Cut): Promise<void> {
    await this.#set(cut)
  }

  /**
   * Holds the answers to the next group of writes of the leader, which is open in PostgreSQL then; resolves
   * with what passes them on.
   */
  async holdGroup(): Promise<() => void> {
    const connection = await this.#set('hold')
    return () => connection.release()
  }

  #set(kind: Trap['kind']): Promise<Connection> {
    const { promise, resolve } = Promise.withResolvers<Connection>()
    this.#trap = { kind, sprung: resolve }
    return promise
  }

  #takeTrap(kind: Trap['kind']): Trap | undefined {
    const trap = this.#trap
    if (trap?.kind !== kind) return undefined
    this.#trap = undefined
    return trap
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}
