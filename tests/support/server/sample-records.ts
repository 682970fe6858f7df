import { type AnyCollection, COLLECTIONS, type Tx } from '../../../src/db/index.ts'
import { openTestServer, type TestAccount, type TestServer } from './server.ts'

/** One record of every collection; those that users write belong to `owner`. */
function seed(tx: Tx, owner: string, qpu: string, driver: string): Record<string, string> {
  const ids: Record<string, string> = { users: owner, qpus: qpu, drivers: driver }
  // Nothing is left to do for the background: no values to copy, no program of a job cancelled long ago.
  const rows: Record<string, object> = {
    api_tokens: { name: 'x', token: 'a'.repeat(64), user: owner },
    calibration_requests: { driver, mode: 'fidelity_check' },
    calibration_results: { driver, qpu, mode: 'full', values_stored_at: '2026-01-01 00:00:00.000Z' },
    cluster_accounts: { cluster: 'lab', uid: 1000, user: owner },
    events: { source: 'd', type: 'Reading', ts: '2026-01-01T00:00:00.000Z' },
    external_auths: { recordRef: owner, provider: 'p', providerId: '1' },
    notes: { at: '2026-01-01 00:00:00.000Z', text: 'Trap exchanged', qpu },
    notifications: { title: 'Tea' },
    qpu_time_requests: { user: owner, seconds: 5 },
    quantum_jobs: {
      ...{ user_id: owner, qpu_target: qpu, payload: {} },
      ...{ status: 'cancelled', finished_at: '2030-01-01 10:00:00.000Z' },
    },
    sessions: { user: owner, qpu, seconds: 60, idle_seconds: 5, state: 'closed', end: 'ended' },
    superusers: { email: 'second@example.org' },
    thresholds: { name: 'Cold', driver, channel: 't', limit: 1 },
    time_slots: {
      ...{ booked_by: owner, start_time: '2030-01-01 10:00:00.000Z', end_time: '2030-01-01 11:00:00.000Z' },
    },
    webhooks: { user: owner, url: 'https://example.org/', kinds: [], secret: 'whsec_' },
  }
  for (const collection of COLLECTIONS) {
    const row = rows[collection.name]
    if (row) ids[collection.name] = tx.insert(collection as AnyCollection, row).id
  }
  return ids
}

/** A server with one record of every collection. */
export interface World {
  server: TestServer
  owner: TestAccount
  /** Ids by table. */
  ids: Record<string, string>
}

/** Opens a server with a record of every collection; `owner` has those that users have. */
export async function openWorld(): Promise<World> {
  const server = await openTestServer()
  const owner = await server.createUser({ qpuSeconds: 10 })
  const qpu = await server.createQpu('north')
  const ids = await server.db.write('seed', (tx) => seed(tx, owner.id, qpu.id, qpu.driver))
  return { server, owner, ids }
}
