import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../src/base/index.ts'
import { COLLECTIONS, type Database, type DatabasePlace, diagnose } from '../../../src/db/index.ts'
import {
  apiTokens,
  externalAuths,
  notifications,
  qpuTimeRequests,
  superusers,
  users,
} from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { calibrationRequests, calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events, notes, thresholds } from '../../../src/db/store/readings/index.ts'
import { clusterAccounts, sessions } from '../../../src/db/store/sessions/index.ts'
import { webhooks } from '../../../src/db/store/webhooks/index.ts'
import { exportedRecord, importRecords, openSnapshot, toJsonLines } from '../../../src/db/transfer/index.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'

export const HASH = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
export const TOKEN = 'ab'.repeat(32)
/** A substitute for the reader of submissions. */
export const NO_JOBS = (payload: unknown) => {
  if (payload === null) throw new AppError('invalid', 'no circuits')
  return payload
}

/** At least one record of each collection, with every kind of relation, and balances. */
export async function seed(db: Database): Promise<void> {
  await db.write('seed', (tx) => {
    const ada = tx.insert(users, {
      username: 'ada',
      email: 'ada@example.org',
      password: HASH,
      qpu_seconds: 12.345,
    })
    const proxy = { username: 'superuser_000000000000001', unlimited: true, qpu_seconds: 999_999_999 }
    const root = tx.insert(users, proxy)
    tx.run('UPDATE users SET qpu_ms = -250 WHERE id = $id', { id: root.id })
    const token = tx.insert(apiTokens, { name: 'ci', token: TOKEN, user: ada.id, expires_at: '2030-01-01' })
    tx.update(users, ada.id, { api_tokens: [token.id] })
    tx.insert(externalAuths, { recordRef: ada.id, provider: 'github', providerId: '17' })
    tx.insert(webhooks, {
      user: ada.id,
      url: 'https://example.org/',
      kinds: ['job.ended'],
      secret: 'whsec_aa',
    })
    tx.insert(superusers, { email: 'root@example.org', password: HASH, verified: true })
    const qpu = tx.insert(qpus, {
      name: 'kelvin-25',
      num_qubits: 25,
      device_config: { chip: [1, null, 'ü'] },
    })
    const driver = tx.insert(drivers, { name: 'one', qpu: qpu.id, operation: 'process', token: TOKEN })
    tx.insert(notes, { at: '2026-01-31 09:05:00.000Z', text: 'Trap exchanged', qpu: qpu.id })
    tx.insert(thresholds, { name: 'Cold', driver: driver.id, channel: 'tmc', limit: 0.02 })
    const tuner = tx.insert(drivers, {
      name: 'two',
      qpu: qpu.id,
      operation: 'calibrate',
      token: 'cd'.repeat(32),
    })
    const job = { user_id: ada.id, qpu_target: qpu.id, payload: { shots: 1 } }
    tx.insert(quantumJobs, {
      ...job,
      status: 'completed',
      finished_at: '2026-01-31 09:00:00.000Z',
      driver: driver.id,
      attempt: 2,
      duration: 0.5,
      results: { a: 1 },
    })
    const ended = { ...job, finished_at: '2026-01-31 09:05:00.000Z' }
    tx.insert(quantumJobs, { ...ended, status: 'failed', error_code: 'device', results: { error: 'broken' } })
    tx.insert(quantumJobs, { ...ended, status: 'cancelled' })
    tx.insert(quantumJobs, { ...job, status: 'pending' })
    tx.insert(timeSlots, { start_time: '2020-01-01 10:00', end_time: '2020-01-01 11:00', booked_by: ada.id })
    tx.insert(clusterAccounts, { cluster: 'lab', uid: 1000, user: ada.id })
    tx.insert(sessions, {
      user: ada.id,
      qpu: qpu.id,
      seconds: 60,
      idle_seconds: 5,
      state: 'closed',
      end: 'ended',
    })
    tx.insert(notifications, { title: 'News, "quoted"\nin two lines', dismissed_by: [ada.id, root.id] })
    tx.insert(qpuTimeRequests, { user: ada.id, seconds: 0.1, status: 'approved' })
    tx.insert(qpuTimeRequests, { user: root.id, seconds: 5 })
    const request = tx.insert(calibrationRequests, { driver: tuner.id, mode: 'full', status: 'done' })
    const result = tx.insert(calibrationResults, {
      driver: tuner.id,
      qpu: qpu.id,
      request: request.id,
      mode: 'full',
    })
    tx.update(calibrationRequests, request.id, { result: result.id })
    const event = tx.insert(events, { source: 'x', type: 'Reading', ts: 'T', payload: [1.5, true] })
    tx.run("UPDATE events SET driver = 'gone00000000000' WHERE id = $id", { id: event.id })
  })
}

/** All records of a database as lines of an export. */
export async function exported(place: DatabasePlace): Promise<string> {
  const snapshot = openSnapshot(place)
  const lines: string[] = []
  for (const collection of COLLECTIONS) {
    const records = [...snapshot.records(collection)].map((record) => exportedRecord(collection, record))
    lines.push(...(await Array.fromAsync(toJsonLines(records))))
  }
  snapshot.close()
  return lines.join('')
}

/** The problems that `svc doctor` finds. */
export const problemsOf = (db: Database) => db.read((tx) => diagnose(tx, { maxAttempts: 5 }))

/** Imports `lines` (objects, or raw text) into `test`, by default an empty database. */
export async function importing(lines: readonly unknown[], test?: TestDatabase) {
  const target = test ?? (await openTestDatabase())
  const path = join(target.dir, 'in.jsonl')
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  const report = await importRecords(target.db, { path, readPayload: NO_JOBS })
  return { ...report, ...target, target }
}
