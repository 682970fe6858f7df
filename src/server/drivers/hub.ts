import {
  AppError,
  type Clock,
  type Log,
  messageOf,
  withLogFields,
  withTimeout,
  workFor,
} from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  attachLease,
  findWaitingDriver,
  type Grant,
  grantLease,
  listOfflineDrivers,
  noPortsAvailable,
  qpus,
} from '../../db/store/qpus/index.ts'
import { type ConnectRequest, type ConnectResponse, DEFAULT_LIMITS } from '../../protocol/index.ts'
import { hashToken } from '../access-token.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { LiveConfig } from '../config/live-config.ts'
import type { Config } from '../config/settings.ts'
import type { DriverHub, OutgoingCommand } from '../driver-hub.ts'
import { addressLimitKey, listenAddress } from '../http/address.ts'
import type { CertificateStore } from '../tls/certificate-store.ts'
import { DriverActivityLog } from './activity/activity-log.ts'
import { AttachTurns } from './attach-turns.ts'
import { BusyPorts } from './busy-ports.ts'
import { type ClosingSession, DriverSession, publicReason } from './driver-session.ts'
import { EventParser } from './event-parser.ts'
import type { LeaseRelease } from './lease-release.ts'
import type { DropReason } from './parse-event.ts'
import type { EventHandler } from './receive.ts'
import { recordAnswers } from './record-answers.ts'
import { SocketTokens } from './socket-token.ts'

/** Time for the events that a driver sends before it attaches. */
const FIRST_EVENTS_TIMEOUT_MS = 1_000
/** A holder that has not attached for this long is silent: another process of the driver may replace it. */
const SILENT_AFTER_MS = DEFAULT_LIMITS.deadAfterMs
/** A driver that is connected for this long and offline in the database is half attached. */
const HALF_ATTACHED_AFTER_MS = 30_000
/** Pairs of ports tried when other programs use some of the range. */
const MAX_PORT_ATTEMPTS = 20

interface HubDependencies {
  config: Config
  live: Pick<LiveConfig, 'current'>
  db: Database
  clock: Clock
  log: Log
  tls: CertificateStore
  version: string
  leases: Pick<LeaseRelease, 'done' | 'release'>
}

/** The live sockets of all drivers. The leases in the database decide which driver may connect. */
export class Hub implements DriverHub {
  /** What the drivers sent in the last hour. */
  readonly activity: DriverActivityLog
  readonly #dependencies: HubDependencies
  readonly #tokens: SocketTokens
  readonly #turns: AttachTurns
  readonly #log: Log
  readonly #sessions = new Map<string, DriverSession>()
  /** One connect at a time per driver, so that its sessions never overlap. */
  readonly #connecting = new Map<string, Promise<unknown>>()
  readonly #busyPorts: BusyPorts
  /** The ends of sessions whose sockets are closing or whose last events are being handled. */
  readonly #closing = new Set<Promise<void>>()
  readonly #parser = new EventParser()
  readonly #connections: RateLimiter
  readonly #drops = new Map<DropReason, number>()
  readonly #stopping = new AbortController()
  #handle: EventHandler = async () => undefined

  constructor(dependencies: HubDependencies) {
    this.#dependencies = dependencies
    this.activity = new DriverActivityLog(dependencies.clock)
    this.#tokens = new SocketTokens(dependencies.clock)
    this.#turns = new AttachTurns(dependencies.clock)
    this.#busyPorts = new BusyPorts(dependencies.clock)
    this.#connections = new RateLimiter(RATES.driverConnections, dependencies.clock)
    this.#log = dependencies.log.child('drivers')
  }

  /** Sets the handler of events; called once, before the first connect. */
  start(handle: EventHandler): void {
    this.#handle = handle
  }

  /**
   * Grants the lease to a driver, opens its sockets and returns their addresses.
   * @throws AppError as `grantLease` does.
   */
  async connect(request: ConnectRequest, address: string): Promise<ConnectResponse> {
    if (this.#stopping.signal.aborted) throw new AppError('unavailable', 'The server is stopping')
    const token = request.token ?? request.access_token
    if (!token) throw new AppError('unauthorized', 'Missing driver access token; send it as "token"')
    await this.#dependencies.leases.done()
    const tokenHash = hashToken(token)
    // Drivers behind one address do not wait for each other, nor for guests there.
    workFor(`driver ${tokenHash}`)
    const previous = this.#connecting.get(tokenHash) ?? Promise.resolve()
    const own = previous.then(() => this.#connectOnce(tokenHash, request, address))
    const settled = own.catch(() => undefined)
    this.#connecting.set(tokenHash, settled)
    try {
      const response = await own
      this.activity.connected(response.id, tokenHash)
      if (request.failure) this.activity.refused(tokenHash, notAttached(request.failure))
      return response
    } catch (error) {
      this.activity.refused(tokenHash, error)
      throw error
    } finally {
      if (this.#connecting.get(tokenHash) === settled) this.#connecting.delete(tokenHash)
    }
  }

  /** Events dropped since the start, by reason. */
  get drops(): ReadonlyMap<DropReason, number> {
    return this.#drops
  }

  /** Names of the drivers that have been connected for more than 30 s and are offline in the database. */
  async listHalfAttached(): Promise<string[]> {
    const { db, clock } = this.#dependencies
    const since = clock.monotonic() - HALF_ATTACHED_AFTER_MS
    const connected = [...this.#sessions.values()].filter(({ attachedAt = since }) => attachedAt < since)
    return db.read((tx) =>
      listOfflineDrivers(
        tx,
        connected.map(({ source }) => source.driver),
      ),
    )
  }

  /** Why a driver cannot do its work although it is connected; undefined when all can. */
  async healthProblem(): Promise<string | undefined> {
    const names = await this.listHalfAttached()
    if (names.length === 0) return undefined
    return `connected for more than 30 s, but offline: ${names.join(', ')}; restart them`
  }

  send(driver: string, command: OutgoingCommand): boolean {
    return this.#sessions.get(driver)?.send(command) ?? false
  }

  attachedEpoch(driver: string): number | undefined {
    const session = this.#sessions.get(driver)
    return session?.isAttached ? session.source.epoch : undefined
  }

  isReceiving(driver: string): boolean {
    return this.#sessions.get(driver)?.isReceiving ?? false
  }

  disconnect(driver: string, reason: string): void {
    const session = this.#sessions.get(driver)
    if (session) this.#inBackground(this.#end(session, reason), driver)
  }

  /** Closes all sockets and frees all leases. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server is stopping'))
    await Promise.all([...this.#connecting.values()])
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session, 'server stopping')))
    await Promise.all(this.#closing)
    this.#parser.stop()
  }

  async #connectOnce(tokenHash: string, request: ConnectRequest, address: string): Promise<ConnectResponse> {
    await this.#takeTurn(tokenHash, request)
    for (let attempt = 1; ; attempt += 1) {
      // Ports of other programs are retried in the first attempt only, otherwise this could go on forever.
      const grant = await this.#grantOnFreePorts(tokenHash, request, address, attempt === 1)
      const older = this.#sessions.get(grant.driver.id)
      // Its lease is void; a half-open peer must not delay the new connection.
      if (older) await this.#close(older, 'replaced by a newer connect', true).socketsClosed
      try {
        // Its sockets outlive the request that opened them.
        return await withLogFields({}, () => this.#open(grant, request.instance))
      } catch (error) {
        await this.#dependencies.leases.release({ driver: grant.driver.id, epoch: grant.epoch })
        const port = this.#busyPorts.takenBy(error)
        if (port === undefined) throw error
        this.#log.warn('port is in use by another program', { port })
        if (attempt >= MAX_PORT_ATTEMPTS)
          throw noPortsAvailable('Other programs use the ports of the range; choose another range')
      }
    }
  }

  /**
   * Ends the session of a holder that has not attached and whose turn is over.
   * @throws AppError `conflict` when another driver, or another process of this one, goes first.
   */
  async #takeTurn(tokenHash: string, { instance, operation, failure }: ConnectRequest): Promise<void> {
    const driver = await this.#dependencies.db.read((tx) => findWaitingDriver(tx, { tokenHash, operation }))
    if (!driver) return
    const asking = { ...driver, driver: driver.id, instance }
    const first = this.#turns.ask(asking)
    if (first !== undefined) {
      const why = failure ? ` (${failure})` : ''
      throw notAttached(
        `Driver ${driver.name} has not attached within 30 s of its first connect${why}; ${first} asks for the lease and goes first`,
      )
    }
    for (const session of [...this.#sessions.values()]) {
      if (
        !session.isAttached &&
        this.#turns.yields({ ...session.source, instance: session.instance }, asking)
      ) {
        await this.#end(session, 'it has not attached, and another one asks')
      }
    }
  }

  async #grantOnFreePorts(
    tokenHash: string,
    request: ConnectRequest,
    address: string,
    retryForeign: boolean,
  ): Promise<Grant> {
    try {
      return await this.#grant(tokenHash, request, address)
    } catch (error) {
      const isFull = error instanceof AppError && error.reason === 'no_ports_available'
      if (!isFull || !(await this.#busyPorts.freeUp(retryForeign))) throw error
      return this.#grant(tokenHash, request, address)
    }
  }

  #grant(tokenHash: string, request: ConnectRequest, address: string): Promise<Grant> {
    const { config, db } = this.#dependencies
    return grantLease(db, {
      tokenHash,
      operation: request.operation,
      firstPort: config.portRangeStart,
      lastPort: config.portRangeEnd,
      takenPorts: this.#busyPorts.list(),
      isHeldByAnotherProcess: (driver) => this.#isHeldByAnother(driver, request.instance),
      host: request.host ?? address,
      version: request.version ?? '',
      device: request.device ?? '',
    })
  }

  /**
   * Whether a process other than `instance` has the driver's sockets and may be alive. An attached one that
   * is silent for its heartbeat limit is detached by its socket.
   */
  #isHeldByAnother(driver: string, instance: string | undefined): boolean {
    const session = this.#sessions.get(driver)
    if (!session || (instance !== undefined && session.instance === instance)) return false
    return session.isAttached || this.#dependencies.clock.monotonic() - session.openedAt < SILENT_AFTER_MS
  }

  async #open(
    { driver, qpu, epoch, commandPort, resultPort }: Grant,
    instance: string | undefined,
  ): Promise<ConnectResponse> {
    const { config, tls, clock } = this.#dependencies
    const source = { driver: driver.id, name: driver.name, qpu: qpu.id, operation: driver.operation, epoch }
    const token = await this.#tokens.issue(driver.id, epoch)
    const session: DriverSession = await DriverSession.open({
      source,
      instance,
      host: listenAddress(config),
      commandPort,
      resultPort,
      tls,
      tokens: this.#tokens,
      handle: (from, event) => {
        this.activity.countEvent(driver.id)
        return this.#handle(from, event)
      },
      parser: this.#parser,
      admits: (address) => this.#connections.allows(addressLimitKey(address)),
      onDropped: (reason) => {
        this.activity.countDrop(driver.id)
        this.#drops.set(reason, (this.#drops.get(reason) ?? 0) + 1)
      },
      onUnapplied: (type) =>
        this.#inBackground(this.#end(session, `its ${type} could not be applied`), driver.id),
      rateLimit: () => this.#dependencies.live.current.eventRateLimit,
      version: this.#dependencies.version,
      clock,
      log: this.#log,
      onAttach: () => {
        this.#log.info('driver attached', { driver: driver.name, qpu: qpu.name, epoch })
        this.#turns.attached({ ...source, instance })
        this.#inBackground(this.#attachOrEnd(session), driver.id)
      },
      onDetach: (reason) => this.#inBackground(this.#end(session, reason), driver.id),
      onSilence: recordAnswers(this.#dependencies, source, () => this.#sessions.get(driver.id) === session),
    })
    this.#sessions.set(driver.id, session)
    this.#inBackground(this.#expectAttach(session, this.#turns.granted({ ...source, instance })), driver.id)
    return {
      status: 'success',
      id: driver.id,
      name: driver.name,
      operation: driver.operation,
      qpu: qpu.id,
      qpu_name: qpu.name,
      command_port: commandPort,
      result_port: resultPort,
      socket_host: config.ipAddr,
      auth_token: token,
      tls_hash: tls.material.caFingerprint,
      epoch,
    }
  }

  /** Logs the failure of work that no caller awaits. */
  #inBackground(work: Promise<unknown>, driver: string): void {
    work.catch((error: unknown) =>
      this.#log.error('background work of a driver session failed', { driver, error }),
    )
  }

  /** Attached or not: a driver whose attach fails is disconnected and tries again. */
  async #attachOrEnd(session: DriverSession): Promise<void> {
    try {
      await this.#attach(session)
    } catch (error) {
      await this.#end(session, `it could not be attached: ${messageOf(error)}`)
      throw error
    }
  }

  async #attach(session: DriverSession): Promise<void> {
    const { db, clock } = this.#dependencies
    // The hello and the description come first: they decide which jobs may be dispatched to the driver.
    await withTimeout(session.handled, { clock, ms: FIRST_EVENTS_TIMEOUT_MS, onTimeout: () => undefined })
    const { driver, epoch, qpu } = session.source
    if (this.#sessions.get(driver) !== session) return
    // False if the driver was disabled after its connect.
    if (!(await attachLease(db, { driver, epoch }))) return this.#end(session, 'its lease is gone')
    // Sent whether on or off: the driver may have missed either. Inside the read, so that no change comes
    // between.
    await db.read((tx) => {
      const served = tx.find(qpus, qpu)
      if (served)
        session.send({
          type: 'SetMaintenance',
          knows_aborted: true,
          begins_runs: true,
          on: served.maintenance,
          reason: served.maintenance_reason,
        })
    })
  }

  async #expectAttach(session: DriverSession, ms: number): Promise<void> {
    await this.#dependencies.clock.sleep(ms, this.#stopping.signal).catch(() => undefined)
    if (!session.isAttached) await this.#end(session, 'not attached in time')
  }

  /** Closes the sockets of a session and leaves its lease as it is. */
  #close(session: DriverSession, reason: string, atOnce = false): ClosingSession {
    const { driver, name, epoch } = session.source
    if (this.#sessions.get(driver) === session) {
      this.#sessions.delete(driver)
      this.activity.disconnected(driver)
    }
    this.#log.info('driver detached', { driver: name, epoch, reason })
    const closing = session.close(atOnce)
    this.#busyPorts.markClosing(session.ports, closing.socketsClosed)
    this.#closing.add(closing.finished)
    this.#inBackground(
      closing.finished.finally(() => this.#closing.delete(closing.finished)),
      driver,
    )
    return closing
  }

  async #end(session: DriverSession, reason: string): Promise<void> {
    const { driver, epoch } = session.source
    if (this.#sessions.get(driver) !== session) return
    const closing = this.#close(session, reason)
    // Before the sockets have closed: a standby driver may take over immediately, on other ports.
    await this.#dependencies.leases.release({ driver, epoch }, publicReason(reason))
    await closing.finished
  }
}

function notAttached(message: string): AppError {
  return new AppError('conflict', message, { reason: 'not_attached' })
}
