import {
  AppError,
  defineWorker,
  type RunningWorker,
  startWorker,
  systemClock,
  watchEventLoop,
  withTimeout,
} from '../../../base/index.ts'
import type { ServerAddress } from '../../engine/server-address.ts'
import type { Refusal } from '../bridge/bridge.ts'
import { connectionError } from '../failure.ts'
import { foreignError } from '../stored-schema.ts'
import { databaseBehind, type StateLoss } from './note.ts'

export type LeaseRequest =
  | {
      readonly kind: 'open'
      readonly address: ServerAddress
      /** Base URL of this server. */
      readonly own: string
      readonly rootCa: string
      /** Data folder of this server. */
      readonly dir: string
      /** One number, which the event loop of this server increases while it does not hang. */
      readonly ticks: SharedArrayBuffer
    }
  | { readonly kind: 'release' }

export type LeaseEvent =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'foreign'; readonly table: string }
  | { readonly kind: 'otherRoot'; readonly rootCa: string; readonly leader: string }
  /** The database lacks what this server has seen. */
  | { readonly kind: 'behind'; readonly loss: StateLoss }
  /** Another server leads; its address is empty while the database does not respond. */
  | { readonly kind: 'standby'; readonly leader: string }
  | { readonly kind: 'leading'; readonly epoch: number }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'released' }

export const leaseWorker = defineWorker<LeaseRequest, LeaseEvent>('src/db/postgres/lease/lease-worker.ts')

const TICK_MS = 250
/** Time for the release, ms. */
const RELEASE_MS = 3_000

export interface LeaseOptions {
  server: ServerAddress
  /** Base URL of this server, to which the others refer while it leads. */
  address: string
  /** SHA-256 of its root CA, which is the same for all servers of one database. */
  rootCa: string
  /** Its data folder, which keeps what it has seen of the database. */
  dir: string
  /** Called when another server leads, and each time the leader changes; `''` while it is not known. */
  onStandby(leader: string): void
  /** Called once when the lease is lost: end the process without sending further responses. */
  onLost(error: AppError): void
}

/**
 * The right to write to a database that several servers share: one of them leads at a time, for as long as it
 * renews its lease; see docs/how-to/postgresql.md.
 */
export class Lease {
  readonly #worker: RunningWorker<LeaseRequest>
  readonly #options: LeaseOptions
  readonly #ticks = new Int32Array(new SharedArrayBuffer(4))
  readonly #led = Promise.withResolvers<number>()
  readonly #released = Promise.withResolvers<void>()
  #isLeading = false
  #stopTicks: () => void = () => undefined

  /** Connects; `led` resolves or rejects later. */
  constructor(options: LeaseOptions) {
    this.#options = options
    this.#led.promise.catch(() => undefined)
    this.#worker = startWorker(leaseWorker, {
      onResponse: (event) => this.#receive(event),
      onEnd: (error) => this.#fail(error?.message ?? 'the thread that renews it ended'),
    })
    const { server, address: own, rootCa, dir } = options
    const ticks = this.#ticks.buffer
    this.#worker.send({ kind: 'open', address: server, own, rootCa, dir, ticks })
  }

  /**
   * Resolves with the epoch, which counts the leaders, when this server leads.
   * @throws AppError `conflict` (`root_ca_differs`, `database_foreign`), `internal` (`database_behind`), or
   *   as `openServerEngine` does when it cannot connect.
   */
  get led(): Promise<number> {
    return this.#led.promise
  }

  /** The services run: from now on the lease ends when the event loop hangs. */
  watch(): void {
    this.#stopTicks = watchEventLoop(() => void Atomics.add(this.#ticks, 0, 1), TICK_MS)
  }

  /** Stops to wait for the lease: `led` rejects, unless this server leads. */
  abandon(): void {
    this.#led.reject(new AppError('unavailable', 'The server was stopped before it led'))
  }

  /** Gives the lease to the next server, after the last write. Safe to call twice. */
  async release(): Promise<void> {
    this.#stopTicks()
    this.#worker.send({ kind: 'release' })
    // Without it the lease ends a little later. The timer keeps the process alive, which the thread does not.
    await withTimeout(this.#released.promise, {
      clock: systemClock,
      ms: RELEASE_MS,
      onTimeout: () => undefined,
    })
    this.#worker.terminate()
  }

  #receive(event: LeaseEvent): void {
    switch (event.kind) {
      case 'standby':
        this.#options.onStandby(event.leader)
        break
      case 'leading':
        this.#isLeading = true
        this.#led.resolve(event.epoch)
        break
      case 'lost':
        this.#fail(event.message)
        break
      case 'released':
        this.#released.resolve()
        break
      default:
        this.#led.reject(this.#refusal(event))
    }
  }

  #refusal(event: Extract<LeaseEvent, { kind: 'refused' | 'foreign' | 'otherRoot' | 'behind' }>): AppError {
    const { server, rootCa } = this.#options
    if (event.kind === 'refused') {
      return connectionError(`${server.host}:${server.port}/${server.database}`, event.refusal)
    }
    if (event.kind === 'foreign') return foreignError(event.table)
    if (event.kind === 'behind') return databaseBehind(event.loss)
    return new AppError(
      'conflict',
      `The root CA of this server (${rootCa}) is not that of ${event.leader} (${event.rootCa}), which drivers pin: ` +
        'copy both root CA files from there, and start again; see docs/how-to/postgresql.md to replace it on all',
      { reason: 'root_ca_differs' },
    )
  }

  #fail(message: string): void {
    this.#stopTicks()
    this.#released.resolve()
    const error = new AppError('unavailable', `The lease of the database is lost: ${message}`, {
      reason: 'database_lost',
      retryAfter: 1,
    })
    this.#led.reject(error)
    if (!this.#isLeading) return
    this.#isLeading = false
    this.#options.onLost(error)
  }
}
