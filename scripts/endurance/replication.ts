/**
 * A day of jobs under Litestream: `npx bun run scripts/endurance/replication.ts [--jobs 864000]
 * [--rate 500] [--dir DIR]`.
 *
 * Submits, claims and completes `rate` jobs per second through the store of the server, in one process
 * without HTTP, while Litestream replicates the database to a local folder and is the only one that empties
 * the write-ahead log. Prints the largest size of the log. Then the replicator is killed, the data
 * folder is removed, and the restored database has to be whole and to lack at most the last two seconds.
 * Ctrl+C ends the jobs early.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AppError, silentLog, systemClock } from '../../src/base/index.ts'
import { type Database, diagnose, openDatabase } from '../../src/db/index.ts'
import { type User, users } from '../../src/db/store/accounts/index.ts'
import { type DispatchTarget, markStarted } from '../../src/db/store/jobs/index.ts'
import { attachLease, createQpu } from '../../src/db/store/qpus/index.ts'
import type { JobResults } from '../../src/protocol/index.ts'
import { openLitestream, Replicator } from '../../tests/support/litestream/litestream.ts'
import { claimNow, endNow, insertNow } from '../../tests/support/server/job-lab.ts'
import { takeLease } from '../../tests/support/take-lease.ts'

const LANES = 32
const MAX_LOG_BYTES = 256 * 1024 * 1024
const MAX_LOSS_MS = 2_000
const SAMPLE_MS = 200
const PAYLOAD = {
  circuits: [
    { circuit: 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; c = measure q;' },
  ],
  shots: 100,
  meas_level: 2,
  meas_return: 'single',
  memory: false,
} as const
const COUNTS = { '00': 50, '01': 50 }
const RESULTS: JobResults = {
  success: true,
  backend: 'soak',
  shots: 100,
  counts: COUNTS,
  circuit_results: [
    {
      shots: 100,
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

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '864000' },
    rate: { type: 'string', default: '500' },
    dir: { type: 'string' },
  },
})
const total = Number(values.jobs)
const rate = Number(values.rate)
const program = await openLitestream()
if (program === undefined) process.exit(1)
const folder = mkdtempSync(join(values.dir ?? tmpdir(), 'svc-replication-'))
const dir = join(folder, 'data')
const database = join(dir, 'svc.db')
const parts = { dir, clock: systemClock, log: silentLog } as const

/** A QPU whose driver is attached. */
async function openLane(db: Database, lane: number): Promise<DispatchTarget> {
  const { driver } = await createQpu(db, 'soak', {
    name: `qpu_${lane}`,
    executorType: 'mock',
    numQubits: 2,
    enabled: true,
    tokenHash: `token ${lane}`,
  })
  const target = await takeLease(db, driver)
  await attachLease(db, target)
  return target
}

let busy = 0

/** Repeats a write that was refused because Litestream held the write lock for too long, as clients do. */
async function write<T>(db: Database, intent: string, work: Parameters<typeof db.write<T>>[1]): Promise<T> {
  for (;;) {
    try {
      return await db.write(intent, work)
    } catch (error) {
      if (!(error instanceof AppError) || error.reason !== 'database_busy') throw error
      busy += 1
    }
  }
}

interface Done {
  id: string
  at: number
}

async function runJob(db: Database, user: User, target: DispatchTarget): Promise<Done> {
  const { id } = await write(db, 'submit', (tx) =>
    insertNow(
      tx,
      { user: user.id, qpu: target.qpu, payload: PAYLOAD, needs: { qubits: 2 } },
      { maxPending: 1_000_000 },
    ),
  )
  const key = { job: id, attempt: 1, driver: target.driver }
  await write(db, 'claim', (tx) => claimNow(tx, id, target))
  await write(db, 'start', (tx) => markStarted(tx, key))
  const outcome = { kind: 'completed', results: RESULTS } as const
  await write(db, 'result', (tx) => endNow(tx, { ...key, executionMs: 1, outcome }, { maxAttempts: 0 }))
  return { id, at: performance.now() }
}

const db = await openDatabase({ ...parts, checkpoints: 'external' })
await using replicator = await Replicator.open(program, database, { folder: join(folder, 'elsewhere') })
const user = await db.write('user', (tx) =>
  tx.insert(users, { email: 'soak@example.org', verified: true, qpu_seconds: 1_000_000_000 }),
)
const lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => openLane(db, lane)))

let largest = 0
const sampling = setInterval(() => {
  largest = Math.max(largest, statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}, SAMPLE_MS)
/** The last jobs, in the order of their completion. */
let last: Done[] = []
let [begun, done] = [0, 0]
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})
const started = performance.now()
const report = setInterval(() => {
  const measured = Math.round((done / (performance.now() - started)) * 1_000)
  console.log(`${done} jobs, ${measured}/s, log at most ${Math.round(largest / 1e6)} MB`)
}, 30_000)
await Promise.all(
  lanes.map(async (lane) => {
    while (begun < total && !isInterrupted) {
      const wait = (begun / rate) * 1_000 - (performance.now() - started)
      begun += 1
      if (wait > 0) await Bun.sleep(wait)
      last.push(await runJob(db, user, lane))
      done += 1
      if (last.length > 200_000) last = last.slice(-100_000)
    }
  }),
)
const lostAt = performance.now()
await replicator.stop('SIGKILL')
clearInterval(sampling)
clearInterval(report)
await db.close()
rmSync(dir, { recursive: true })
await replicator.restore()

const restored = await openDatabase(parts)
const findings = await restored.read((tx) => diagnose(tx, { maxAttempts: 0 }))
const lost = await restored.read((tx) =>
  last.filter(
    ({ id }) => !tx.one(`SELECT 1 FROM quantum_jobs WHERE id = $id AND status = 'completed'`, { id }),
  ),
)
const stored = await restored.read((tx) => tx.one<{ n: number }>('SELECT count(*) AS n FROM quantum_jobs'))
await restored.close()
const lossMs = Math.round(Math.max(0, ...lost.map(({ at }) => lostAt - at)))
console.table({
  jobs: done,
  'jobs per second': Math.round((done / (lostAt - started)) * 1_000),
  'largest log, MiB': Math.round(largest / 1_048_576),
  'database, MiB': Math.round(statSync(database).size / 1_048_576),
  'jobs restored': stored?.n ?? 0,
  'jobs lost': lost.length,
  'within, ms': lossMs,
  'writes refused, then repeated': busy,
  'problems found': findings.length,
})
const isGood = findings.length === 0 && largest <= MAX_LOG_BYTES && lossMs <= MAX_LOSS_MS
if (isGood) rmSync(folder, { recursive: true, force: true })
else console.error(`kept for a look: ${folder}`)
process.exit(isGood ? 0 : 1)
