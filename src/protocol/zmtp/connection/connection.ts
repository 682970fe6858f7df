import type { TLSSocket } from 'node:tls'
import { AppError, type Clock, messageOf, TokenBucket, withTimeout } from '../../../base/index.ts'
import { checkCommandBytes, MessageAssembler } from '../framing/assembler.ts'
import {
  answerPing,
  encodePing,
  encodeRefusal,
  parseCommand,
  parseError,
  parseHandshakeCommand,
} from '../framing/command.ts'
import { type Frame, FrameDecoder, type FrameHeader } from '../framing/frame.ts'
import { WireError } from '../framing/wire-error.ts'
import { checkGreeting, encodeGreeting, GREETING_BYTES, type Mechanism } from '../handshake/greeting.ts'
import {
  type Handshake,
  type HandshakeStep,
  type Role,
  reasonUnfit,
  WELCOME,
} from '../handshake/handshake.ts'
import type { Counters } from './counters.ts'
import { keepHeartbeat } from './heartbeat.ts'
import type { SocketLimits } from './limits.ts'
import { type Message, Output } from './output.ts'
import type { Taken } from './receive.ts'

/** How a connection ended. */
export interface Ending {
  reason: string
  /** `protocol`: the peer broke the rules; `refused`: one side refused the other; `lost`: anything else. */
  kind: 'protocol' | 'refused' | 'lost' | 'closed'
}

/** Why a peer is refused: `code` goes to the peer (`400` as libzmq does), `reason` into the log. */
export interface Refusal {
  code: string
  reason: string
}

/** Settings and callbacks of a connection. */
export interface ConnectionOptions {
  socket: TLSSocket
  role: Role
  /** Whether this side is the PLAIN server. */
  asServer: boolean
  mechanism: Mechanism
  handshake: Handshake
  protocolVersion: string
  limits: SocketLimits
  counters: Counters
  clock: Clock
  /** PLAIN server: how to refuse these credentials, or undefined to accept them. */
  verify?(user: string, password: string): Promise<Refusal | undefined>
  /** Last check before messages flow: how to refuse the peer, or undefined to accept it. */
  admit?(): Refusal | undefined
  onReady(): void
  /** The peer leaves two PINGs unanswered: ms since its last byte; 0 when it answers again. */
  onSilence?(silentMs: number): void
  /** Handles a received message; false stores it and stops reading until `resume`. */
  onMessage(frames: readonly Uint8Array[]): Taken
  /** Called exactly once. */
  onEnd(ending: Ending): void
}

/**
 * One ZMTP connection over an established TLS socket.
 *
 * | State | Leaves on |
 * |---|---|
 * | `greeting` | 64 valid bytes |
 * | `handshake` | the peer's metadata, admitted |
 * | `verifying` | the result of `verify`: back to `handshake`, or refused; received bytes wait |
 * | `traffic` | close, error, silence |
 * | `ending` | all written, or the grace period is over; received bytes are dropped |
 * | `ended` | – |
 */
export class ZmtpConnection {
  readonly #options: ConnectionOptions
  readonly #decoder: FrameDecoder
  readonly #assembler: MessageAssembler
  readonly #output: Output
  readonly #commands: TokenBucket
  readonly #stop = new AbortController()
  readonly #ready = Promise.withResolvers<void>()
  #wasReady = false
  readonly #ended = Promise.withResolvers<void>()
  #state: 'greeting' | 'handshake' | 'verifying' | 'traffic' | 'ending' | 'ended' = 'greeting'
  #paused = false
  #processing = false
  #lastReceived: number
  #receivedBytes = 0
  /** A complete message that the handler did not accept. */
  #undelivered: readonly Uint8Array[] | undefined
  #ending: Ending | undefined

  constructor(options: ConnectionOptions) {
    const { socket, limits, clock, counters } = options
    this.#options = options
    this.#lastReceived = clock.monotonic()
    this.#commands = new TokenBucket(2 * limits.commandsPerSecond, clock.monotonic())
    this.#decoder = new FrameDecoder((header) => this.#checkHeader(header))
    this.#assembler = new MessageAssembler({
      mayReceive: options.role === 'pull',
      messageBytes: options.asServer ? limits.toServerBytes : limits.toDriverBytes,
      commandBytes: limits.commandBytes,
      frames: limits.frames,
    })
    this.#output = new Output({
      sink: socket,
      queuedMessages: limits.queuedMessages,
      queuedBytes: limits.queuedBytes,
      onWritten: (bytes) => {
        counters.messagesOut += 1
        counters.bytesOut += bytes
      },
    })
    counters.open += 1
    socket.setNoDelay(true)
    socket.setKeepAlive(true, limits.keepAliveMs)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('drain', () => this.#output.drained())
    socket.on('error', (error) => this.#end({ reason: messageOf(error), kind: 'lost' }))
    socket.on('close', () => this.#end({ reason: 'the peer closed the connection', kind: 'lost' }))
    socket.write(encodeGreeting(options.mechanism, options.asServer))
    void this.#limitHandshake()
  }

  /** Whether messages may flow. */
  get isReady(): boolean {
    return this.#state === 'traffic'
  }

  /** Whether a part of a frame has arrived; its rest must arrive within `deadAfterMs`. */
  get isReceiving(): boolean {
    return this.isReady && this.#decoder.isWithinFrame
  }

  /** Whether messages ever flowed. */
  get wasReady(): boolean {
    return this.#wasReady
  }

  /** Resolves when the connection has ended and `onEnd` was called. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  trySend(message: Message): boolean {
    return this.isReady && this.#output.trySend(message)
  }

  /** Writes what was accepted now instead of at the end of the turn, as far as the peer reads. */
  flush(): void {
    if (this.isReady) this.#output.flush()
  }

  send(message: Message, signal?: AbortSignal): Promise<void> {
    if (!this.isReady)
      return Promise.reject(new AppError('unavailable', 'The message socket is not connected'))
    return this.#output.send(message, signal)
  }

  /** Stops reading from the network; received messages wait. */
  pause(): void {
    if (this.#paused || this.#state === 'ended') return
    this.#paused = true
    this.#options.socket.pause()
  }

  /** Delivers the messages that wait, in order, and reads on. */
  resume(): void {
    if (!this.#paused || this.#state === 'ended') return
    this.#paused = false
    this.#lastReceived = this.#options.clock.monotonic()
    this.#process()
    if (!this.#paused) this.#options.socket.resume()
  }

  /** Writes the accepted messages, then closes; destroys the connection when the grace period is over. */
  close(reason: string): void {
    if (this.#state === 'ended' || this.#state === 'ending') return
    this.#finish({ reason, kind: 'closed' })
  }

  /** Closes immediately and drops messages that are not written. */
  destroy(ending: Ending): void {
    this.#end(ending)
  }

  #receive(chunk: Buffer): void {
    const { clock, counters } = this.#options
    this.#lastReceived = clock.monotonic()
    counters.bytesIn += chunk.length
    if (this.#state === 'ending' || this.#state === 'ended') return
    this.#receivedBytes += chunk.length
    this.#decoder.push(chunk)
    this.#process()
  }

  /** Processes the received bytes; not re-entrant, so that messages stay in order. */
  #process(): void {
    if (this.#processing) return
    this.#processing = true
    try {
      this.#redeliver()
      while (this.#advance()) {
        // Each step returns whether another one may be possible.
      }
      this.#checkPreAuthBytes()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#end({ reason: error.message, kind: 'protocol' })
    } finally {
      this.#processing = false
    }
  }

  #advance(): boolean {
    if (this.#state === 'greeting') return this.#readGreeting()
    const reads = this.#state === 'handshake' || this.#state === 'traffic'
    if (!reads || this.#paused) return false
    const frame = this.#decoder.next()
    if (!frame) return false
    if (this.#state === 'traffic') this.#onTraffic(frame)
    else this.#onHandshake(frame)
    return true
  }

  #readGreeting(): boolean {
    const { mechanism, handshake } = this.#options
    checkGreeting(this.#decoder.peek(GREETING_BYTES), mechanism)
    if (this.#decoder.available < GREETING_BYTES) return false
    this.#decoder.take(GREETING_BYTES)
    this.#state = 'handshake'
    if (handshake.opening) this.#output.command(handshake.opening)
    return true
  }

  #onHandshake(frame: Frame): void {
    if (!frame.command) throw new WireError('a message arrived before the handshake was complete')
    this.#follow(this.#options.handshake.receive(parseHandshakeCommand(frame.body)))
  }

  #follow(step: HandshakeStep): void {
    switch (step.kind) {
      case 'verify':
        this.#state = 'verifying'
        void this.#verify(step.user, step.password)
        break
      case 'reply':
        this.#output.command(step.bytes)
        break
      case 'refused':
        this.#end({ reason: step.reason, kind: 'refused' })
        break
      case 'complete':
        this.#complete(step)
        break
    }
  }

  async #verify(user: string, password: string): Promise<void> {
    const refusal = await this.#options.verify?.(user, password)
    if (this.#state !== 'verifying') return
    this.#state = 'handshake'
    if (refusal !== undefined) return this.#refuse(refusal)
    this.#output.command(WELCOME)
    this.#process()
  }

  #complete({ properties, reply }: Extract<HandshakeStep, { kind: 'complete' }>): void {
    const { role, protocolVersion, asServer } = this.#options
    const unfit = reasonUnfit(properties, role, protocolVersion)
    if (unfit !== undefined && !asServer) throw new WireError(unfit)
    const refusal = unfit === undefined ? this.#options.admit?.() : { code: unfit, reason: unfit }
    if (refusal) {
      this.#refuse(refusal)
      return
    }
    if (reply) this.#output.command(reply)
    this.#state = 'traffic'
    this.#wasReady = true
    this.#ready.resolve()
    void this.#heartbeat()
    this.#options.onReady()
  }

  /** Sends the peer the reason and closes; drops its further bytes, which unread could lose the reason. */
  #refuse({ code, reason }: Refusal): void {
    this.#output.command(encodeRefusal(code.slice(0, 255), this.#options.mechanism === 'PLAIN'))
    this.#finish({ reason, kind: 'refused' })
  }

  #onTraffic(frame: Frame): void {
    if (frame.command) this.#onCommand(frame.body)
    const frames = frame.command ? undefined : this.#assembler.add(frame)
    if (!frames) return
    this.#options.counters.messagesIn += 1
    this.#deliver(frames)
  }

  #onCommand(body: Uint8Array): void {
    const { commandsPerSecond: perSecond } = this.#options.limits
    if (this.#commands.take({ perSecond, burst: 2 * perSecond }, this.#options.clock.monotonic()) > 0) {
      throw new WireError(`more than ${perSecond} commands per second`)
    }
    const command = parseCommand(body)
    if (command.name === 'PING') this.#output.command(answerPing(command.data))
    if (command.name === 'ERROR')
      throw new WireError(`the peer reports an error: ${parseError(command.data)}`)
  }

  #deliver(frames: readonly Uint8Array[]): void {
    if (this.#options.onMessage(frames) !== false) return
    this.#undelivered = frames
    this.pause()
  }

  #redeliver(): void {
    if (!this.#undelivered || this.#paused) return
    const message = this.#undelivered
    this.#undelivered = undefined
    this.#deliver(message)
  }

  #checkHeader(header: FrameHeader): void {
    if (this.#state === 'traffic') {
      this.#assembler.check(header)
      return
    }
    const { commandBytes, preAuthBytes } = this.#options.limits
    if (header.command) checkCommandBytes(header, commandBytes)
    const total = this.#receivedBytes - this.#decoder.available + header.size + header.length
    if (total > preAuthBytes) throw preAuthError(total, preAuthBytes)
  }

  #checkPreAuthBytes(): void {
    const { preAuthBytes } = this.#options.limits
    const before = this.#state === 'greeting' || this.#state === 'handshake' || this.#state === 'verifying'
    if (before && this.#receivedBytes > preAuthBytes) throw preAuthError(this.#receivedBytes, preAuthBytes)
  }

  #limitHandshake(): Promise<void> {
    const { clock, limits } = this.#options
    const reason = `no complete handshake within ${limits.handshakeMs} ms`
    return withTimeout(this.#ready.promise, {
      clock,
      ms: limits.handshakeMs,
      signal: this.#stop.signal,
      onTimeout: () => this.#end({ reason, kind: 'protocol' }),
    }).catch(() => undefined)
  }

  #heartbeat(): Promise<void> {
    const { clock, limits } = this.#options
    return keepHeartbeat({
      clock,
      signal: this.#stop.signal,
      pingIntervalMs: limits.pingIntervalMs,
      deadAfterMs: limits.deadAfterMs,
      lastReceived: () => (this.#paused ? undefined : this.#lastReceived),
      ping: () => this.#output.command(encodePing(limits.deadAfterMs)),
      silence: (ms) => this.#options.onSilence?.(ms),
      dead: (ms) => this.#end({ reason: `no byte received for ${Math.round(ms)} ms`, kind: 'lost' }),
    })
  }

  #finish(ending: Ending): void {
    const { socket } = this.#options
    this.#state = 'ending'
    this.#ending = ending
    this.#output.finish(() => socket.end())
    if (this.#paused) socket.resume()
    void this.#destroyAfterGrace()
  }

  async #destroyAfterGrace(): Promise<void> {
    const { clock, limits } = this.#options
    await clock.sleep(limits.closeGraceMs, this.#stop.signal).catch(() => undefined)
    this.#end({ reason: 'the grace period for closing is over', kind: 'lost' })
  }

  #end(ending: Ending): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#stop.abort()
    this.#output.stop()
    this.#undelivered = undefined
    this.#options.counters.open -= 1
    this.#options.socket.destroy()
    this.#options.onEnd(this.#ending ?? ending)
    this.#ended.resolve()
  }
}

function preAuthError(bytes: number, most: number): WireError {
  return new WireError(`${bytes} bytes before the handshake was complete, at most ${most} are allowed`)
}
