import { toTimestamp } from '../../src/base/index.ts'
import type { Database, Tx } from '../../src/db/index.ts'
import { externalAuths, notifications, qpuTimeRequests, users } from '../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../src/db/store/bookings/index.ts'
import { calibrationRequests, calibrationResults } from '../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../src/db/store/qpus/index.ts'
import { events, notes, thresholds } from '../../src/db/store/readings/index.ts'
import type { Random } from './random.ts'
import { idOf, PROGRAM, VALUES } from './values.ts'

interface Row {
  readonly tx: Tx
  readonly random: Random
  readonly index: number
  /** A time `ms` before the present. */
  at(ms: number): string
}

/** How many rows of each kind there are. */
const ROWS: readonly [count: number, insert: (row: Row) => void][] = [
  [4, insertUser],
  [3, insertQpu],
  [120, insertJob],
  [90, insertEvent],
  [12, insertSlot],
  [12, insertNotices],
  [12, insertWishes],
  [15, insertReport],
]

/** Stores jobs, events and others in many states; the same rows for the same numbers. */
export async function fill(db: Database, random: Random, now: number): Promise<void> {
  const at = (ms: number) => toTimestamp(now - ms)
  await db.write('fill', (tx) => {
    for (const [count, insert] of ROWS) {
      for (let index = 0; index < count; index += 1) insert({ tx, random, index, at })
    }
    tx.insert(externalAuths, { recordRef: idOf('u', 0), provider: 'github', providerId: '17' })
  })
}

const anyUser = (random: Random) => idOf('u', random.below(4))
const anyQpu = (random: Random) => idOf('q', random.below(3))
const anyTime = ({ random, at }: Row) => at(random.below(18) * 3_600_000)
const anyName = (random: Random) => random.text() || 'x'

function insertUser({ tx, index }: Row): void {
  const username = ['ada', 'Bob', 'ähm', 'c_%'][index] ?? ''
  tx.insert(users, {
    ...{ id: idOf('u', index), username, email: `${index}x@example.org`, qpu_seconds: index * 10.25 },
    ...{ emailVisibility: index % 2 === 0, mail_job_after: index },
  })
}

function insertQpu({ tx, random, index }: Row): void {
  const id = idOf('q', index)
  const name = ['alpha', 'Beta', 'gamma_1'][index] ?? ''
  tx.insert(qpus, { id, name, num_qubits: 2 + index, device_config: random.of(VALUES) })
  for (const operation of ['process', 'monitor', 'calibrate'] as const) {
    const driver = idOf(operation.slice(0, 1) + index, 0)
    const token = `${driver}${'0'.repeat(49)}`
    tx.insert(drivers, { id: driver, name: `${name} ${operation}`, qpu: id, operation, token })
  }
}

function insertJob(row: Row): void {
  const { tx, random, index } = row
  const status = random.of(['completed', 'failed', 'cancelled', 'pending'] as const)
  const end = { finished_at: anyTime(row), results: random.of(VALUES), duration: Math.abs(random.number()) }
  const run = { driver: idOf('p0', 0), qpu: anyQpu(random), attempt: 1, progress: 1 }
  tx.insert(quantumJobs, {
    ...{ id: idOf('j', index), user_id: anyUser(random), status },
    ...{ qpu_target: random.chance(0.8) ? anyQpu(random) : '', name: random.text() },
    ...{ payload: { circuits: [{ circuit: PROGRAM }], shots: 1 + random.below(5) } },
    ...{ tags: random.of([[], ['a'], ['a', 'B'], ['ä', 'a%']]) },
    ...(status === 'pending' ? {} : end),
    ...(status === 'completed' ? run : {}),
  })
}

function insertEvent({ tx, random, index, at }: Row): void {
  const number = random.below(3)
  // Their sums are exact: what rounding leaves depends on the order in which they are added.
  const tmc = { value: random.of([0, 0.5, 1.25, 5, 12, -1, 2]), unit: 'K', status: 'ok' }
  const isReading = random.chance(0.7)
  tx.insert(events, {
    ...{
      id: idOf('e', index),
      source: anyName(random),
      driver: idOf(`m${number}`, 0),
      qpu: idOf('q', number),
    },
    type: isReading ? 'CryostatReading' : random.of(['Log', 'log', 'Ä']),
    payload: isReading ? { readings: { tmc, 'p 1': { value: 5, unit: 'Pa' } } } : random.of(VALUES),
    ts: at(random.below(90) * 60_000),
  })
}

function insertSlot({ tx, random, index, at }: Row): void {
  const start = -(index + 2) * 7_200_000
  tx.insert(timeSlots, {
    ...{ id: idOf('s', index), start_time: at(start), end_time: at(start - 3_600_000) },
    ...{ booked_by: anyUser(random), qpu: random.chance(0.5) ? anyQpu(random) : '' },
  })
}

function insertNotices(row: Row): void {
  const { tx, random, index } = row
  tx.insert(notes, { id: idOf('n', index), at: anyTime(row), text: anyName(random), qpu: anyQpu(random) })
  tx.insert(notifications, {
    ...{ id: idOf('i', index), title: anyName(random), description: random.text() },
    ...{ target_users: random.chance(0.4) ? [anyUser(random)] : [] },
    ...{ end_time: random.chance(0.2) ? anyTime(row) : '' },
  })
}

function insertWishes({ tx, random, index }: Row): void {
  tx.insert(qpuTimeRequests, {
    ...{ id: idOf('t', index), user: anyUser(random), seconds: 0.5 + index, requested_reason: random.text() },
  })
  tx.insert(thresholds, {
    ...{ id: idOf('h', index), name: anyName(random), driver: idOf('m0', 0), channel: 'tmc' },
    ...{ limit: random.number(), unit: random.of(['', 'K']), enabled: random.chance(0.5) },
  })
}

function insertReport({ tx, random, index, at }: Row): void {
  const number = random.below(3)
  const [request, driver] = [idOf('r', index), idOf(`c${number}`, 0)]
  tx.insert(calibrationRequests, { id: request, driver, mode: 'full', status: 'done' })
  tx.insert(calibrationResults, {
    ...{
      id: idOf('k', index),
      driver,
      qpu: idOf('q', number),
      request,
      mode: 'full',
      run_id: `run ${index}`,
    },
    ...{ status: random.of(['success', 'partial_failure', 'failed'] as const), notes: ['a', 'ä'] },
    ...{ finished_at: at(index * 5_000_000), started_at: at(index * 5_000_000 + 60_000) },
    routines: ['q0', 'q1', 'q0-q1'].map((target) => ({
      ...{ routine: target.length > 2 ? 'cz' : 't1', target, status: 'success' },
      parameters: { t1: { value: random.number() * 1e-6, unit: 's' } },
    })),
  })
}
