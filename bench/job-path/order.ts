/**
 * How long the order of a long queue takes: read from the store at the start, the position of its last job
 * among all QPUs, and the next job of one QPU, by submission and by fair share.
 *
 * `bun bench/job-path/order.ts [--jobs 100000] [--qpus 200] [--users 100]`
 */
import { parseArgs } from 'node:util'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { openDatabase } from '../../src/db/index.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { JobOrder } from '../../src/db/store/jobs/index.ts'
import { createQpu } from '../../src/db/store/qpus/index.ts'
import { readPosition, readQueue } from '../../tests/support/server/queue-state.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'

const IDLE_MS = 60_000
const ROUNDS = 200

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    qpus: { type: 'string', default: '200' },
    users: { type: 'string', default: '100' },
  },
})
const [jobs, qpuCount, userCount] = [values.jobs, values.qpus, values.users].map(Number) as [
  number,
  number,
  number,
]

using folder = temporaryFolder()
const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
try {
  const qpus: string[] = []
  for (let at = 0; at < qpuCount; at += 1) {
    const name = `qpu_${at}`
    const made = await createQpu(db, 'bench', {
      name,
      executorType: 'mock',
      numQubits: 5 + (at % 3),
      enabled: true,
      tokenHash: name,
    })
    qpus.push(made.qpu.id)
  }
  const owners = await db.write('users', (tx) =>
    Array.from({ length: userCount }, (_, at) =>
      tx.insert(users, { email: `u${at}@example.org`, verified: true, qpu_seconds: 1_000 }),
    ),
  )
  await db.write('jobs', (tx) => {
    for (let at = 0; at < jobs; at += 1) {
      tx.run(
        `INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status, qubits, shots, created, updated)
         VALUES ($id, $user, $qpu, $payload, 'pending', $qubits, $shots, $at, $at)`,
        {
          id: `job${String(at).padStart(12, '0')}`,
          user: owners[at % owners.length]?.id ?? '',
          // The last one is for any QPU.
          qpu: at % 2 === 0 && at < jobs - 1 ? (qpus[at % qpus.length] ?? '') : '',
          payload: JSON.stringify({ circuits: ['x'.repeat(300)] }),
          qubits: at % 7,
          shots: 100 * (at % 10),
          at: tx.at,
        },
      )
    }
  })
  const last = `job${String(jobs - 1).padStart(12, '0')}`
  for (const policy of ['fifo', 'fair'] as const) {
    const begun = performance.now()
    const order = await JobOrder.open(db, { fairWindowMs: policy === 'fair' ? 3_600_000 : undefined })
    const builtMs = performance.now() - begun
    const positionMs = await middle(() =>
      db.read((tx) => readPosition(tx, last, IDLE_MS, order)?.queues.length),
    )
    const nextMs = await middle(() => db.read((tx) => readQueue(tx, qpus[0] ?? '', IDLE_MS, order)?.job))
    const row = { policy, jobs, qpus: qpuCount, users: userCount, builtMs, positionMs, nextMs }
    process.stdout.write(`${JSON.stringify(row)}\n`)
  }
} finally {
  await db.close()
}

/** The middle time of many runs, in ms. */
async function middle(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await run()
    times.push(performance.now() - begun)
  }
  return times.sort((one, other) => one - other)[ROUNDS >> 1] ?? Number.NaN
}
