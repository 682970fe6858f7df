import { Database } from 'bun:sqlite'
import type { JobResults } from '../../src/protocol/index.ts'

/** One of the two servers that are compared, filled with the same jobs. */
export interface Side extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** Login token of the user. */
  readonly token: string
  /** Login token of a superuser. */
  readonly admin: string
  /** Owns one job in a hundred. */
  readonly user: string
  readonly qpu: string
}

export const JOBS = 100_000

/** The id of the job with this number, 1 to `JOBS`. */
export function jobId(number: number): string {
  return `job${String(number).padStart(12, '0')}`
}

const PAYLOAD = {
  circuits: [
    {
      circuit:
        'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;',
    },
  ],
  shots: 1_000,
  meas_level: 2,
  meas_return: 'single',
  memory: false,
}
const COUNTS = { '00': 489, '11': 511 }
const RESULTS: JobResults = {
  success: true,
  backend: 'aer_sim',
  shots: 1_000,
  counts: COUNTS,
  circuit_results: [
    {
      shots: 1_000,
      counts: COUNTS,
      header: {
        name: 'circuit_0',
        n_qubits: 2,
        memory_slots: 2,
        creg_sizes: [['c', 2]],
        qreg_sizes: [['q', 2]],
        metadata: {},
      },
      metadata: {},
    },
  ],
  metadata: {},
}

/**
 * Writes `count` jobs into the database file of a server that does not run: one in a hundred is the user's,
 * one in fifty failed, one a second.
 */
export function fillJobs(path: string, { user, qpu }: { user: string; qpu: string }, count = JOBS): void {
  const db = new Database(path)
  const at = "strftime('%Y-%m-%d %H:%M:%fZ', '2026-01-01', '+' || i || ' seconds')"
  const values: Record<string, string> = {
    id: "printf('job%012d', i)",
    user_id: "CASE WHEN i % 100 = 7 THEN $user ELSE printf('someuser%07d', i % 100) END",
    qpu_target: '$qpu',
    payload: '$payload',
    status: "CASE WHEN i % 50 = 3 THEN 'failed' ELSE 'completed' END",
    finished_at: at,
    started_at: at,
    duration: '0.25',
    results: '$results',
    attempt: '1',
    created: at,
    updated: at,
  }
  const columns = Object.keys(values)
  const insert = db.query(
    `INSERT INTO quantum_jobs (${columns.join(', ')})
     WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
     SELECT ${Object.values(values).join(', ')} FROM numbers`,
  )
  insert.run({ $user: user, $qpu: qpu, $payload: JSON.stringify(PAYLOAD), $results: JSON.stringify(RESULTS) })
  db.run('ANALYZE')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Sends one request. @throws Error if it does not succeed. */
export async function request<T>(
  url: string,
  method: string,
  path: string,
  { token = '', body }: { token?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
  return JSON.parse(text || 'null')
}

/** Logs in with a password. */
export async function login(
  url: string,
  collection: string,
  identity: string,
  password: string,
): Promise<{ token: string; record: { id: string } }> {
  return request(url, 'POST', `/api/collections/${collection}/auth-with-password`, {
    body: { identity, password },
  })
}
