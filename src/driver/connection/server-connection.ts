import { AppError, Backoff, type Clock, type Log, Loop, messageOf, newSecret } from '../../base/index.ts'
import { type ConnectResponse, MAX_FAILURE_LENGTH, type Operation } from '../../protocol/index.ts'
import { obtainAuthority } from './authority.ts'
import { requestLease } from './connect.ts'
import type { EventQueue } from './event-queue.ts'
import { type Link, openLink } from './link.ts'
import type { Outbox } from './outbox.ts'
import { ConnectRefusal, planRetry } from './refusal.ts'
import { withClockDifference } from './request.ts'

interface ServerConnectionDependencies {
  /** Addresses of the server, of which one leads, and credentials of this driver. */
  server: { addresses: readonly string[]; token: string; caFile: string; pin: string }
  operation: Operation
  device: string
  host: string
  version: string
  clock: Clock
  log: Log
  outbox: Outbox
  queue: EventQueue
  /** The first events after each attach. */
  greeting(epoch: number): string[]
  onLease(lease: ConnectResponse): void
  onCommand(text: string): void
  /** The connection to the server has ended. */
  onDetached(): void
}

/**
 * Longest pause between attempts, and time for a request. Of several servers, another one leads within
 * seconds.
 */
const ALONE = { pauseMs: 10_000, requestMs: undefined } as const
const BESIDE_STANDBY = { pauseMs: 2_000, requestMs: 3_000 } as const
const FLUSH_MS = 1_000
/** Drivers without `instance` that share a token replace each other: a shorter link is not healthy. */
const HEALTHY_AFTER_MS = 10_000
const SHORT_LINKS_BEFORE_WARNING = 4

/**
 * Keeps this driver connected: obtains the CA, requests a lease, attaches, and starts over when the link
 * ends, at the next address if the server there does not respond or does not lead. While it is attached, it
 * sends the events of the queue and the outbox.
 */
export class ServerConnection {
  readonly #dependencies: ServerConnectionDependencies
  readonly #stopping = new AbortController()
  /** Lets the server distinguish a reconnect from a second process with the same token. */
  readonly #instance = newSecret(16)
  readonly #limits: typeof ALONE | typeof BESIDE_STANDBY
  readonly #backoff: Backoff
  readonly #connected = Promise.withResolvers<void>()
  readonly #sender: Loop
  #link: Link | undefined
  /** Index of the address in use. */
  #at = 0
  /** Why addresses failed since the last attach or pause. */
  #failures: string[] = []
  #authority: string | undefined
  #hasStarted = false
  #attachedAt: number | undefined
  #shortLinks = 0
  #loggedFailure: string | undefined
  /** Why the last link was not attached. */
  #attachFailure: string | undefined

  constructor(dependencies: ServerConnectionDependencies) {
    this.#dependencies = dependencies
    const { server, clock, log } = dependencies
    this.#limits = server.addresses.length > 1 ? BESIDE_STANDBY : ALONE
    this.#backoff = new Backoff({ initialMs: 250, maxMs: this.#limits.pauseMs })
    this.#sender = new Loop({
      name: 'sender',
      clock,
      log,
      intervalMs: FLUSH_MS,
      runOnce: () => this.#sendOnce(),
    })
  }

  /** Settles at the first attach. */
  get connected(): Promise<void> {
    return this.#connected.promise
  }

  get isAttached(): boolean {
    return this.#link?.ready ?? false
  }

  /**
   * Runs until `close`.
   * @throws ConnectRefusal when a retry cannot succeed.
   */
  async run(): Promise<void> {
    this.#sender.start()
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#attachOnce()
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        await this.#waitAfter(error)
      }
    }
  }

  /** Sends waiting events now instead of at the next interval. */
  wake(): void {
    this.#sender.wake()
  }

  /** Sends an event immediately or, when the driver is not attached, not at all. */
  sendNow(body: string): boolean {
    return this.#link?.trySend(body) ?? false
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#link?.close()
    await this.#sender.stop()
  }

  /** Runs one link, from the connect request to its end. */
  async #attachOnce(): Promise<void> {
    const { server, clock, log, outbox, version } = this.#dependencies
    const { signal } = this.#stopping
    const { addresses } = server
    const svcAddr = addresses[this.#at] ?? ''
    const timeoutMs = this.#limits.requestMs
    this.#authority ??= await obtainAuthority({ ...server, svcAddr, timeoutMs, clock, log, signal })
    const ca = this.#authority
    const lease = await requestLease({
      ...this.#dependencies,
      ...server,
      svcAddr,
      instance: this.#instance,
      failure: this.#attachFailure?.slice(0, MAX_FAILURE_LENGTH),
      ca,
      timeoutMs,
      signal,
    })
    this.#hasStarted = true
    await outbox.setOwner(lease.id)
    this.#dependencies.onLease(lease)
    if (signal.aborted) return
    const link = openLink({
      lease,
      ca,
      version,
      clock,
      log,
      hasStandby: addresses.length > 1,
      greeting: () => this.#dependencies.greeting(lease.epoch),
      onCommand: this.#dependencies.onCommand,
      onReady: () => this.#onAttached(lease),
    })
    this.#link = link
    const ended = await link.closed
    await link.close()
    const wasAttached = this.#recordLinkEnd()
    this.#link = undefined
    this.#dependencies.onDetached()
    if (signal.aborted) return
    if (wasAttached) throw new AppError('unavailable', `connection to the server ended: ${ended}`)
    this.#attachFailure = await withClockDifference(ended, { svcAddr, clock, signal })
    throw new AppError('unavailable', this.#attachFailure)
  }

  /**
   * Resets the back-off after a link of healthy length; warns after several short ones. Whether it was
   * attached.
   */
  #recordLinkEnd(): boolean {
    const { clock, log } = this.#dependencies
    const attachedAt = this.#attachedAt
    this.#attachedAt = undefined
    if (attachedAt === undefined) return false
    if (clock.monotonic() - attachedAt >= HEALTHY_AFTER_MS) {
      this.#backoff.reset()
      this.#shortLinks = 0
      return true
    }
    this.#shortLinks += 1
    if (this.#shortLinks === SHORT_LINKS_BEFORE_WARNING) {
      log.warn('connections end soon after they are made; another driver may be using the same token')
    }
    return true
  }

  #onAttached(lease: ConnectResponse): void {
    const { log, outbox } = this.#dependencies
    log.info('connected', { driver: lease.name, qpu: lease.qpu_name, epoch: lease.epoch })
    this.#loggedFailure = undefined
    this.#attachFailure = undefined
    this.#failures = []
    this.#attachedAt = this.#dependencies.clock.monotonic()
    outbox.markDue()
    this.#sender.wake()
    this.#connected.resolve()
  }

  async #waitAfter(error: unknown): Promise<void> {
    if (!(error instanceof AppError)) this.#dependencies.log.error('connecting failed', { error })
    const retry = planRetry(error, this.#hasStarted)
    if (retry === 'stop') throw error
    const message = this.#leaves(error)
    if (message === undefined) return
    const pauseMs = retry === 'backoff' ? this.#backoff.next() : retry.pauseMs
    // A failure that repeats is logged once.
    if (message !== this.#loggedFailure) {
      const isStandby = error instanceof ConnectRefusal && error.status === 409
      this.#dependencies.log.warn(
        isStandby ? 'on standby until the lease is free' : 'not connected; retrying',
        { reason: message, ...(retry !== 'backoff' && { every_s: pauseMs / 1_000 }) },
      )
    }
    this.#loggedFailure = message
    await this.#dependencies.clock.sleep(pauseMs, this.#stopping.signal).catch(() => undefined)
  }

  /**
   * Goes on to the next address. Returns why all have failed, if all have since the last attach or pause: the
   * one that leads may have been the first.
   */
  #leaves(error: unknown): string | undefined {
    const { addresses } = this.#dependencies.server
    const message = messageOf(error)
    // Refused by the server that leads: another one would refuse too, or stands by.
    if (error instanceof ConnectRefusal && error.status < 500) return message
    this.#at = (this.#at + 1) % addresses.length
    this.#failures.push(message)
    if (this.#failures.length < addresses.length) return undefined
    return [...new Set(this.#failures.splice(0))].join('; ')
  }

  async #sendOnce(): Promise<void> {
    const link = this.#link
    if (!link?.ready) return
    this.#dependencies.queue.flush((body) => link.trySend(body))
    try {
      await this.#dependencies.outbox.sendDue((body) => link.send(body))
    } catch (error) {
      // The link ended; all events are due again after the next attach.
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    }
  }
}
