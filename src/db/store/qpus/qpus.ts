import { AppError, isId, nearest } from '../../../base/index.ts'
import { drivers } from '../../collections/drivers.ts'
import { qpus } from '../../collections/qpus.ts'
import { allOf, mapped, type Query } from '../../engine/query.ts'
import { appendAudit } from '../../journal/audit.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { cancelBookingsOf } from './cancel-bookings.ts'
import { revokeLease } from './leases.ts'

export type Qpu = RecordOf<typeof qpus>
export type Driver = RecordOf<typeof drivers>

/** Names of devices and QPUs are stored with underscores in place of hyphens. */
export function normalName(name: string): string {
  return name.trim().replaceAll('-', '_')
}

/** A QPU by name, else by id. */
export function findQpu(tx: ReadTx, nameOrId: string): Qpu | undefined {
  const byName = tx.findBy(qpus, { name: normalName(nameOrId) })
  return byName ?? (isId(nameOrId) ? tx.find(qpus, nameOrId) : undefined)
}

/** A QPU among others, by name, else by id. */
export function qpuNamed<Q extends Pick<Qpu, 'id' | 'name'>>(
  known: readonly Q[],
  nameOrId: string,
): Q | undefined {
  const name = normalName(nameOrId)
  return known.find((qpu) => qpu.name === name) ?? known.find(({ id }) => id === nameOrId)
}

/** Why a name or id is that of no QPU, with the name that was probably meant. */
export function unknownQpu(known: readonly Qpu[], nameOrId: string): string {
  const near = nearest(
    normalName(nameOrId),
    known.map(({ name }) => name),
  )
  const remedy = near === undefined ? 'GET /api/qpus lists them' : `did you mean ${near}?`
  return `There is no QPU ${nameOrId}; ${remedy}`
}

/** @throws AppError `not_found` naming the requested QPU. */
export function requireQpu(tx: ReadTx, nameOrId: string): Qpu {
  const qpu = findQpu(tx, nameOrId)
  if (!qpu) throw new AppError('not_found', unknownQpu(tx.list(qpus), nameOrId))
  return qpu
}

export function getQpu(db: Database, nameOrId: string): Promise<Qpu> {
  return db.read((tx) => requireQpu(tx, nameOrId))
}

/** QPUs in the given order. */
export function listQpus(db: Database, page: { skip: number; limit: number; sort: string }): Promise<Qpu[]> {
  return db.read((tx) => tx.list(qpus, { sort: page.sort, limit: page.limit, offset: page.skip }))
}

interface NewQpu {
  name: string
  executorType: string
  numQubits: number
  enabled: boolean
  /** SHA-256 (hex) of the access token of its process driver. */
  tokenHash: string
}

/** Registers a QPU and its process driver, which has the same access token. */
export function createQpu(db: Database, actor: string, qpu: NewQpu): Promise<{ qpu: Qpu; driver: Driver }> {
  return db.write('create qpu', (tx) => {
    const row = tx.insert(qpus, {
      name: qpu.name,
      executor_type: qpu.executorType,
      num_qubits: qpu.numQubits,
      enabled: qpu.enabled,
      access_token: qpu.tokenHash,
    })
    const driver = tx.insert(drivers, {
      name: qpu.name,
      qpu: row.id,
      operation: 'process',
      device: qpu.executorType,
      token: qpu.tokenHash,
      enabled: true,
    })
    appendAudit(tx, { actor, action: 'qpu.create', subject: row.id, detail: { name: row.name } })
    return { qpu: row, driver }
  })
}

interface NewDriver {
  name: string
  qpu: string
  operation: Driver['operation']
  device: string
  enabled: boolean
  tokenHash: string
}

/** Registers a driver of an existing QPU. @throws AppError `not_found` for an unknown QPU. */
export function createDriver(db: Database, actor: string, driver: NewDriver): Promise<Driver> {
  return db.write('create driver', (tx) => {
    const qpu = requireQpu(tx, driver.qpu)
    const row = tx.insert(drivers, {
      name: driver.name,
      qpu: qpu.id,
      operation: driver.operation,
      device: driver.device,
      enabled: driver.enabled,
      token: driver.tokenHash,
    })
    appendAudit(tx, { actor, action: 'driver.create', subject: row.id, detail: { name: row.name } })
    return row
  })
}

/** Enables or disables a QPU. Disabling also frees the leases of its drivers, which are returned too. */
export function setQpuEnabled(
  db: Database,
  actor: string,
  nameOrId: string,
  enabled: boolean,
): Promise<{ qpu: Qpu; drivers: Driver[] }> {
  return db.write('toggle qpu', (tx) => {
    const qpu = requireQpu(tx, nameOrId)
    tx.update(qpus, qpu.id, { enabled })
    const its = tx.list(drivers, { where: { qpu: qpu.id } })
    if (!enabled) for (const driver of its) revokeLease(tx, driver.id)
    appendAudit(tx, { actor, action: 'qpu.toggle', subject: qpu.id, detail: { enabled } })
    return { qpu: tx.find(qpus, qpu.id) ?? qpu, drivers: its }
  })
}

/** What the removal of a QPU removes. */
export interface QpuContents {
  qpu: Qpu
  drivers: Driver[]
  /** Number of bookings that have not ended. */
  bookings: number
  /** Number of calibration requests of its tuners; their reports stay. */
  calibration_requests: number
  /** Number of limits of its monitors. */
  thresholds: number
  /** Number of notes about it. */
  notes: number
}

function contentsOf(tx: ReadTx, qpu: Qpu): QpuContents {
  const { id } = qpu
  const count = (sql: string, params: Record<string, string> = { id }) =>
    tx.one<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`, params)?.n ?? 0
  const ofDrivers = 'driver IN (SELECT id FROM drivers WHERE qpu = $id)'
  return {
    qpu,
    drivers: tx.list(drivers, { where: { qpu: id } }),
    bookings: count('time_slots WHERE qpu = $id AND end_time > $at', { id, at: tx.at }),
    calibration_requests: count(`calibration_requests WHERE ${ofDrivers}`),
    thresholds: count(`thresholds WHERE ${ofDrivers}`),
    notes: count('notes WHERE qpu = $id'),
  }
}

/** What `deleteQpu` would remove. @throws AppError `not_found`. */
export function previewQpuDeletion(db: Database, nameOrId: string): Promise<QpuContents> {
  return db.read((tx) => contentsOf(tx, requireQpu(tx, nameOrId)))
}

/**
 * Removes a QPU with what is its own, which is returned. If anything refuses, nothing is removed.
 * @throws AppError `not_found`; `invalid`: `unfinished_jobs` while jobs for it are pending or running,
 *   `calibration_running` while a tuner of it calibrates.
 */
export function deleteQpu(db: Database, actor: string, nameOrId: string): Promise<QpuContents> {
  return db.write('delete qpu', (tx) => {
    const qpu = requireQpu(tx, nameOrId)
    const contents = contentsOf(tx, qpu)
    for (const { id } of contents.drivers) {
      revokeLease(tx, id)
      tx.remove(drivers, id)
    }
    cancelBookingsOf(tx, qpu)
    tx.remove(qpus, qpu.id)
    const detail = { name: qpu.name, drivers: contents.drivers.map(({ name }) => name) }
    appendAudit(tx, { actor, action: 'qpu.delete', subject: qpu.id, detail })
    return contents
  })
}

/** Enables or disables a driver; disabling also frees its lease. @throws AppError `not_found`. */
export function setDriverEnabled(db: Database, actor: string, id: string, enabled: boolean): Promise<Driver> {
  return db.write('toggle driver', (tx) => {
    const driver = tx.find(drivers, id)
    if (!driver) throw new AppError('not_found', `There is no driver ${id}`)
    tx.update(drivers, id, { enabled })
    if (!enabled) revokeLease(tx, id)
    appendAudit(tx, { actor, action: 'driver.toggle', subject: id, detail: { enabled } })
    return tx.find(drivers, id) ?? driver
  })
}

/** The token of a QPU stays that of the same driver, also while this one serves another QPU. */
export function keepQpuToken(tx: Tx, before: string, after: string): void {
  const qpu = before === after ? undefined : tx.findBy(qpus, { access_token: before })
  if (qpu) tx.update(qpus, qpu.id, { access_token: after })
}

/**
 * Replaces the access token of a driver and frees its lease; that of its QPU too, if it is the same.
 * @throws AppError `not_found`.
 */
export function replaceDriverToken(
  db: Database,
  actor: string,
  id: string,
  tokenHash: string,
): Promise<Driver> {
  return db.write('replace driver token', (tx) => {
    const driver = tx.find(drivers, id)
    if (!driver) throw new AppError('not_found', `There is no driver ${id}`)
    tx.update(drivers, id, { token: tokenHash })
    keepQpuToken(tx, driver.token, tokenHash)
    revokeLease(tx, id)
    appendAudit(tx, { actor, action: 'driver.token', subject: id })
    return tx.find(drivers, id) ?? driver
  })
}

/**
 * Starts or ends the maintenance of a QPU; returns its drivers, for sending them a command. `until`: expected
 * end, UTC text, '' = not known.
 */
export function setMaintenance(
  db: Database,
  actor: string,
  id: string,
  maintenance: boolean,
  reason: string,
  until = '',
): Promise<{ qpu: Qpu; drivers: Driver[] }> {
  return db.write('set maintenance', (tx) => {
    const qpu = requireQpu(tx, id)
    const patch = {
      maintenance,
      maintenance_reason: maintenance ? reason : '',
      maintenance_until: maintenance ? until : '',
    }
    const changed = tx.update(qpus, qpu.id, patch) ?? qpu
    appendAudit(tx, {
      actor,
      action: 'qpu.maintenance',
      subject: qpu.id,
      detail: { maintenance, reason, until },
    })
    return { qpu: changed, drivers: tx.list(drivers, { where: { qpu: qpu.id } }) }
  })
}

/** Starts or ends draining: a draining QPU finishes its job and takes no new one. Returns the running job. */
export function setDraining(
  db: Database,
  actor: string,
  nameOrId: string,
  { draining, reason }: { draining: boolean; reason: string },
): Promise<{ qpu: Qpu; runningJob: string | undefined }> {
  return db.write('drain qpu', (tx) => {
    const qpu = requireQpu(tx, nameOrId)
    const changed = tx.update(qpus, qpu.id, { draining, drain_reason: draining ? reason : '' }) ?? qpu
    appendAudit(tx, { actor, action: 'qpu.drain', subject: qpu.id, detail: { draining, reason } })
    const running = tx.one<{ job: string }>(
      "SELECT id AS job FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu",
      { qpu: qpu.id },
    )
    return { qpu: changed, runningJob: running?.job }
  })
}

/** Whether a run that a tuner begins by itself, a row of `tuner_runs`, waits for a session of its QPU. */
export function deferredSql(qpu: string, at: string): string {
  return `(tuner_runs.waits = 1 AND tuner_runs.defers_until > ${at}
    AND EXISTS (SELECT 1 FROM sessions WHERE sessions.qpu = ${qpu} AND sessions.state = 'active'))`
}

/**
 * Begins to read the ids of QPUs with a running calibration, requested or started by the tuner itself, or
 * with one that waits for the running job; they take no jobs.
 */
export function calibratingQpus(): Query<Set<string>> {
  const rows = allOf<{ qpu: string }>(
    `SELECT drivers.qpu AS qpu FROM calibration_requests
       JOIN drivers ON drivers.id = calibration_requests.driver
       WHERE calibration_requests.status = 'running'
     UNION
     SELECT leases.qpu FROM calibration_requests
       JOIN leases ON leases.driver = calibration_requests.driver AND leases.state = 'attached'
       WHERE calibration_requests.status = 'pending' AND calibration_requests.waits = 1
     UNION
     SELECT drivers.qpu FROM tuner_runs JOIN drivers ON drivers.id = tuner_runs.driver
       WHERE NOT ${deferredSql('drivers.qpu', '$at')}`,
  )
  return mapped(rows, (found) => new Set(found.map(({ qpu }) => qpu)))
}
