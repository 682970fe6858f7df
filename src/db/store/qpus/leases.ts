import { AppError } from '../../../base/index.ts'
import { drivers } from '../../collections/drivers.ts'
import { qpus } from '../../collections/qpus.ts'
import { recordClosed, recordOffline } from '../../hooks/qpu-change.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'

/** A lease lets one driver serve one operation of one QPU; `driver` '' = free; its epoch only grows. */
interface Lease {
  qpu: string
  operation: string
  driver: string
  epoch: number
  state: 'granted' | 'attached'
}

/** The lease granted to a driver. */
export interface Grant {
  driver: RecordOf<typeof drivers>
  qpu: RecordOf<typeof qpus>
  epoch: number
  commandPort: number
  resultPort: number
}

interface GrantRequest {
  tokenHash: string
  /** The operation that the driver was started for; older drivers do not send it. */
  operation?: string | undefined
  firstPort: number
  lastPort: number
  /** Ports on this machine that another process uses. */
  takenPorts: ReadonlySet<number>
  /** Whether another process of this driver, which may be alive, has the driver's lease. */
  isHeldByAnotherProcess(driver: string): boolean
  host: string
  version: string
  device: string
}

/**
 * Grants the lease of a driver's QPU and operation together with two ports, in one transaction. A repeated
 * request of the same driver process gets a new epoch, which invalidates its older sockets.
 * @throws AppError `unauthorized` (unknown token), `invalid` (another operation), `forbidden` (disabled),
 *   `conflict` (leased to another driver or process), `unavailable` (no free pair of ports).
 */
export function grantLease(db: Database, request: GrantRequest): Promise<Grant> {
  return db.write('grant lease', (tx) => {
    const driver = tx.findBy(drivers, { token: request.tokenHash })
    if (!driver) {
      throw new AppError('unauthorized', 'Unknown driver access token; use the one shown at registration')
    }
    // Checked before the lease is taken: the correct driver of this token may be running.
    if (request.operation !== undefined && request.operation !== driver.operation) {
      throw new AppError(
        'invalid',
        `Driver ${driver.name} is registered for ${driver.operation}, not ${request.operation}; start it with --operation ${driver.operation} or use the token of another driver`,
        { reason: 'wrong_operation' },
      )
    }
    const qpu = tx.find(qpus, driver.qpu)
    if (!qpu) throw new AppError('not_found', `The QPU of driver ${driver.name} no longer exists`)
    if (!driver.enabled) throw new AppError('forbidden', `Driver ${driver.name} is disabled`)
    if (!qpu.enabled) throw new AppError('forbidden', `QPU ${qpu.name} is disabled`)
    const epoch = takeLease(tx, driver, qpu, request)
    const [commandPort, resultPort] = freePorts(tx, driver.id, request)
    const updated = tx.update(drivers, driver.id, {
      command_port: commandPort,
      result_port: resultPort,
      leased: true,
      host: request.host,
      version: request.version,
      device: request.device || driver.device,
      last_seen: tx.at,
    })
    if (driver.operation === 'process') {
      tx.update(qpus, qpu.id, { command_port: commandPort, result_port: resultPort })
    }
    return { driver: updated ?? driver, qpu, epoch, commandPort, resultPort }
  })
}

/** The driver of this token, if it may have a lease of this operation as soon as one is free. */
export function findWaitingDriver(
  tx: ReadTx,
  { tokenHash, operation }: Pick<GrantRequest, 'tokenHash' | 'operation'>,
): RecordOf<typeof drivers> | undefined {
  const driver = tx.findBy(drivers, { token: tokenHash })
  if (!driver?.enabled || (operation ?? driver.operation) !== driver.operation) return undefined
  return driver
}

function takeLease(
  tx: Tx,
  driver: RecordOf<typeof drivers>,
  qpu: RecordOf<typeof qpus>,
  { isHeldByAnotherProcess }: GrantRequest,
): number {
  const current = tx.one<Lease>('SELECT * FROM leases WHERE qpu = $qpu AND operation = $operation', {
    qpu: qpu.id,
    operation: driver.operation,
  })
  const holder = current?.driver === driver.id ? driver : tx.find(drivers, current?.driver ?? '')
  if (current && current.driver !== '' && (holder !== driver || isHeldByAnotherProcess(driver.id))) {
    throw alreadyConnected(driver, holder)
  }
  // The sockets of the older lease are void from now on.
  if (current?.driver === driver.id && current.state === 'attached')
    updateServed(tx, current, { status: 'offline' })
  const epoch = (current?.epoch ?? 0) + 1
  tx.run(
    `INSERT INTO leases (qpu, operation, driver, epoch, state, granted_at)
     VALUES ($qpu, $operation, $driver, $epoch, 'granted', $at)
     ON CONFLICT (qpu, operation) DO UPDATE SET
       driver = excluded.driver, epoch = excluded.epoch, state = 'granted', granted_at = excluded.granted_at`,
    { qpu: qpu.id, operation: driver.operation, driver: driver.id, epoch, at: tx.at },
  )
  return epoch
}

function alreadyConnected(
  driver: RecordOf<typeof drivers>,
  holder: RecordOf<typeof drivers> | undefined,
): AppError {
  const process = holder?.id === driver.id ? ` by another process on ${driver.host || 'an unknown host'}` : ''
  return new AppError(
    'conflict',
    `Driver ${holder?.name ?? 'of this role'} is already connected as this QPU's ${driver.operation} driver${process}; only one per QPU is allowed`,
    { reason: 'already_connected' },
  )
}

function freePorts(tx: Tx, driver: string, request: GrantRequest): [number, number] {
  const rows = tx.all<{ port: number }>(
    `SELECT command_port AS port FROM drivers WHERE command_port > 0 AND id <> $driver
     UNION ALL SELECT result_port FROM drivers WHERE result_port > 0 AND id <> $driver`,
    { driver },
  )
  const used = new Set(rows.map((row) => row.port))
  const free: number[] = []
  for (let port = request.firstPort; port <= request.lastPort && free.length < 2; port += 1) {
    if (!used.has(port) && !request.takenPorts.has(port)) free.push(port)
  }
  const [command, result] = free
  if (command === undefined || result === undefined) {
    throw noPortsAvailable(
      `No free ports between ${request.firstPort} and ${request.lastPort}; widen --port-range-start and --port-range-end`,
    )
  }
  return [command, result]
}

/** The error when a range has no two ports for another driver. */
export function noPortsAvailable(message: string): AppError {
  return new AppError('unavailable', message, { reason: 'no_ports_available', retryAfter: 30 })
}

/** Identifies a lease with its epoch, so that a late release does not end a newer one. */
export interface LeaseKey {
  driver: string
  epoch: number
}

/**
 * Records that the driver's command socket is attached: driver and (for `process`) QPU are online. False when
 * the lease has changed.
 */
export function attachLease(db: Database, { driver, epoch }: LeaseKey): Promise<boolean> {
  return db.write('attach lease', (tx) => {
    const lease = tx.one<Lease>(
      `UPDATE leases SET state = 'attached' WHERE driver = $driver AND epoch = $epoch RETURNING *`,
      { driver, epoch },
    )
    if (lease) updateServed(tx, lease, { status: 'online' })
    return lease !== undefined
  })
}

/**
 * Frees the lease and its ports: driver and (for `process`) QPU are offline, for a reason that all may read.
 * False when it was free already.
 */
export function releaseLease(db: Database, { driver, epoch }: LeaseKey, reason = ''): Promise<boolean> {
  return db.write('release lease', (tx) => {
    const lease = tx.one<Lease>('SELECT * FROM leases WHERE driver = $driver AND epoch = $epoch', {
      driver,
      epoch,
    })
    if (lease) freeLease(tx, lease, reason)
    return lease !== undefined
  })
}

/** Stores since when the driver of an attached lease has been silent; '' = it answers. */
export function recordSilence(db: Database, { driver, epoch }: LeaseKey, since: string): Promise<void> {
  return db.write('record silence', (tx) => {
    const lease = tx.one<Lease>(
      "SELECT * FROM leases WHERE driver = $driver AND epoch = $epoch AND state = 'attached'",
      { driver, epoch },
    )
    if (lease?.operation === 'process') tx.update(qpus, lease.qpu, { silent_since: since })
  })
}

/** Revokes the lease of a driver, if it has one, in the transaction that disables or deletes it. */
export function revokeLease(tx: Tx, driver: string): void {
  const lease = tx.one<Lease>('SELECT * FROM leases WHERE driver = $driver', { driver })
  if (lease) freeLease(tx, lease, 'its driver was disabled or removed')
}

/** Names of those drivers that are offline, or whose QPU is although they are its process driver. */
export function listOfflineDrivers(tx: ReadTx, ids: readonly string[]): string[] {
  return ids.flatMap((id) => {
    const driver = tx.find(drivers, id)
    if (!driver) return []
    const { name, status, operation, qpu } = driver
    const served = operation === 'process' ? tx.find(qpus, qpu)?.status : status
    return status === 'online' && served === 'online' ? [] : [name]
  })
}

const FREE = { status: 'offline', command_port: 0, result_port: 0 } as const

function freeLease(tx: Tx, lease: Lease, reason: string): void {
  const { qpu, operation } = lease
  tx.run(`UPDATE leases SET driver = '' WHERE qpu = $qpu AND operation = $operation`, { qpu, operation })
  updateServed(tx, lease, FREE, { leased: false })
  if (operation === 'process') recordOffline(tx, qpu, reason)
}

/** Updates the driver of a lease and the QPU that it serves, whose status is that of its process driver. */
function updateServed(
  tx: Tx,
  { qpu, operation, driver }: Lease,
  both: { status: 'online' | 'offline'; command_port?: number; result_port?: number },
  own: { leased?: boolean } = {},
): void {
  tx.update(drivers, driver, { ...both, ...own, last_seen: tx.at })
  if (operation === 'process') tx.update(qpus, qpu, both)
}

/**
 * Frees all leases at the start of the server, since no driver is connected. Epochs stay, so that old sockets
 * remain invalid.
 */
export function resetLeases(db: Database): Promise<void> {
  return db.write('reset leases', (tx) => {
    tx.run(`UPDATE leases SET driver = ''`)
    for (const { id } of tx.all<{ id: string }>(
      `SELECT id FROM drivers WHERE status <> 'offline' OR leased <> 0 OR command_port > 0`,
    )) {
      tx.update(drivers, id, { ...FREE, leased: false, last_seen: tx.at })
    }
    for (const { id } of tx.all<{ id: string }>(
      `SELECT id FROM qpus WHERE status <> 'offline' OR command_port > 0`,
    )) {
      tx.update(qpus, id, FREE)
      recordOffline(tx, id, 'the server was started again')
    }
    // A version before this one did not store these times.
    for (const qpu of tx.list(qpus, {})) recordClosed(tx, undefined, qpu)
  })
}
