import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { AppError, defineWorker, type RunningWorker, startWorker, systemClock } from '../../../base/index.ts'
import type { ServerAddress } from '../../engine/server-address.ts'
import { awaitSignal } from './await-signal.ts'

/** One of the connections of a bridge. */
export type Session = 'read' | 'write'

/** A statement as the server gets it: `$1` and so on stand for the values. */
export interface NumberedStatement {
  readonly text: string
  readonly values: readonly string[]
}

/** What a statement did. */
export interface Done {
  readonly rows: Record<string, unknown>[]
  /** Number of changed rows. */
  readonly count: number
  /** Such as `INSERT` or `COMMIT`. */
  readonly command: string
}

/** Why a statement failed, as the server reported it; `code` is its SQLSTATE, or one of the client. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly detail: string
  readonly table: string
}

/** The outcome of one statement. */
export type Outcome = { readonly done: Done } | { readonly refusal: Refusal }

export type BridgeRequest =
  | {
      readonly kind: 'open'
      readonly address: ServerAddress
      readonly sessions: readonly Session[]
      readonly answers: MessagePort
      readonly signal: SharedArrayBuffer
    }
  | {
      readonly kind: 'run'
      readonly session: Session
      readonly statements: readonly NumberedStatement[]
      readonly isAwaited: boolean
    }
  | { readonly kind: 'close' }

/** A session has ended although nobody closed it. */
export interface BridgeLoss {
  readonly kind: 'lost'
  readonly message: string
}

export const bridgeWorker = defineWorker<BridgeRequest, BridgeLoss>('src/db/postgres/bridge/bridge-worker.ts')

export interface BridgeOptions {
  readonly address: ServerAddress
  readonly sessions: readonly Session[]
  /** Called once when the server does not respond any more, or has ended a session. */
  readonly onLost?: ((error: AppError) => void) | undefined
  /** Called after each wait for the server, with its time in ms. */
  readonly onWait?: ((ms: number) => void) | undefined
}

/** Time for a connection to be made, in ms. */
const CONNECT_MS = 10_000

/**
 * Connections to a server whose answers this thread waits for without returning to its event loop: another
 * thread holds them and wakes this one. Statements of one call leave in one packet.
 */
export class Bridge {
  /** Role of its sessions. */
  readonly role: string
  readonly #answers: MessagePort
  readonly #signal = new Int32Array(new SharedArrayBuffer(4))
  readonly #worker: RunningWorker<BridgeRequest>
  readonly #onLost: BridgeOptions['onLost']
  readonly #onWait: BridgeOptions['onWait']
  #lost: AppError | undefined
  /**
   * Longest time of a call in ms. Whether the server has done what it was asked for is unknown after that,
   * so that the connections are given up.
   */
  patienceMs = CONNECT_MS

  /** @throws AppError `unavailable` and `internal` when a connection cannot be made. */
  constructor({ address, sessions, onLost, onWait }: BridgeOptions) {
    const { port1, port2 } = new MessageChannel()
    this.role = address.user
    this.#answers = port1
    this.#onLost = onLost
    this.#onWait = onWait
    this.#worker = startWorker(bridgeWorker, {
      onResponse: ({ message }) => this.#lose(message),
      onEnd: (error) => this.#lose(error?.message ?? 'the thread that holds the connections ended'),
    })
    const signal = this.#signal.buffer
    this.#worker.send({ kind: 'open', address, sessions, answers: port2, signal }, [port2])
    const [outcome] = this.#wait()
    if (outcome && 'refusal' in outcome) {
      this.close()
      throw new ConnectionRefused(outcome.refusal)
    }
  }

  /**
   * Runs statements in their order and returns an outcome for each of them.
   * @throws AppError `unavailable`, reason `database_lost`.
   */
  ask(session: Session, statements: readonly NumberedStatement[]): Outcome[] {
    if (this.#lost) throw this.#lost
    this.#worker.send({ kind: 'run', session, statements, isAwaited: true })
    return this.#wait()
  }

  /** Runs a statement whose outcome nobody needs. */
  send(session: Session, statement: NumberedStatement): void {
    if (!this.#lost) this.#worker.send({ kind: 'run', session, statements: [statement], isAwaited: false })
  }

  /** Gives the connections up, since what the server has done is unknown. Returns the error to throw. */
  lose(reason: string): AppError {
    return this.#lose(reason)
  }

  /** Ends the sessions. Safe to call twice. */
  close(): void {
    if (!this.#lost) {
      this.#worker.send({ kind: 'close' })
      awaitSignal(this.#signal, this.patienceMs)
    }
    this.#end(new AppError('unavailable', 'The database is closed; the service is stopping'))
  }

  #wait(): Outcome[] {
    const begun = systemClock.monotonic()
    const isAnswered = awaitSignal(this.#signal, this.patienceMs)
    this.#onWait?.(systemClock.monotonic() - begun)
    if (!isAnswered) {
      throw this.#lose(`it did not respond within ${this.patienceMs / 1_000} s`)
    }
    const outcomes: Outcome[] | string | undefined = receiveMessageOnPort(this.#answers)?.message
    if (outcomes === undefined) throw this.#lose('the thread that holds the connections sent no answer')
    return typeof outcomes === 'string' ? JSON.parse(outcomes) : outcomes
  }

  #lose(reason: string): AppError {
    if (this.#lost) return this.#lost
    const error = new AppError('unavailable', `The connection to PostgreSQL is lost: ${reason}`, {
      reason: 'database_lost',
      retryAfter: 1,
    })
    this.#end(error)
    this.#onLost?.(error)
    return error
  }

  #end(error: AppError): void {
    this.#lost ??= error
    this.#worker.terminate()
    this.#answers.close()
  }
}

/** A connection that could not be made. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
