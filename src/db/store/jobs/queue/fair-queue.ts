import { QUEUED } from '../../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { jsonItems } from '../../../sqlite/dialect.ts'
import { compareFair } from '../../accounts/recent-use.ts'
import { FITS_QPU, fitsParams } from '../fits-qpu.ts'
import type { FairShare } from './fair-share.ts'
import {
  IS_RUNNABLE,
  MOVED_TO_FRONT,
  NEEDED,
  PENDING_BY_USER,
  type Qpu,
  runnableParams,
} from './queue-sql.ts'

/** The users of a statement; `one.value` is the id. */
const USERS = `${jsonItems('$users')} one`

/** The jobs of the user `one` that a QPU may run and that nobody has moved to the front. */
const JOBS_OF_ONE = `SELECT seq FROM ${PENDING_BY_USER}
  WHERE ${QUEUED} AND qpu_target IN ('', $qpu) AND user_id = one.value AND ${FITS_QPU}
    AND seq NOT IN (SELECT seq FROM ${MOVED_TO_FRONT} WHERE ${QUEUED} AND run_next > 0)`

/**
 * The statements of the fair order, each for any number of users; a test asserts that they read indexes only.
 */
export const FAIR_SQL = {
  /** For each user the first job that may run. */
  firsts: `SELECT owner.id AS user, (SELECT job.seq FROM
      (SELECT seq, user_id, qpu_target, ${NEEDED} FROM ${PENDING_BY_USER}
       WHERE ${QUEUED} AND user_id = owner.id AND qpu_target IN ('', $qpu)) job
      WHERE ${IS_RUNNABLE} ORDER BY job.seq LIMIT 1) AS seq
    FROM ${USERS} CROSS JOIN users owner ON owner.id = one.value
    WHERE owner.unlimited = 1 OR owner.qpu_ms > 0`,
  /** The number of their jobs, at most $limit of each user. */
  count: `SELECT coalesce(sum((SELECT count(*) FROM (${JOBS_OF_ONE} LIMIT $limit))), 0) AS jobs
    FROM ${USERS}`,
  /** The number of their jobs before $seq, at most $limit of each user. */
  countEarlier: `SELECT coalesce(sum((SELECT count(*) FROM (${JOBS_OF_ONE} AND seq < $seq LIMIT $limit))), 0) AS jobs
    FROM ${USERS}`,
  /** The number of users whose job after the first $skip ones comes before $seq. */
  countNextEarlier: `SELECT count(*) AS jobs FROM ${USERS}
    WHERE (${JOBS_OF_ONE} ORDER BY seq LIMIT 1 OFFSET $skip) < $seq`,
  /** For each user the first job, whether or not it may run now. */
  heads: `SELECT one.value AS user, (${JOBS_OF_ONE} ORDER BY seq LIMIT 1) AS seq FROM ${USERS}`,
  /** The first $limit jobs of a single user. */
  ofUser: `SELECT seq FROM ${PENDING_BY_USER}
    WHERE ${QUEUED} AND qpu_target IN ('', $qpu) AND user_id = $user AND ${FITS_QPU}
      AND seq NOT IN (SELECT seq FROM ${MOVED_TO_FRONT} WHERE ${QUEUED} AND run_next > 0)
    ORDER BY seq LIMIT $limit`,
} as const

/** Users whose jobs are looked at first; each further step looks at so many times more. */
const FIRST_BATCH = 4
const BATCH_GROWTH = 8

/**
 * `seq` of the job that comes first in the fair order of those that may run. Looks at the jobs of as few
 * users as that needs.
 */
export function firstInFairOrder(tx: ReadTx, qpu: Qpu, fair: FairShare): number | undefined {
  const useOf = fair.read(tx)
  const users = fair.waitingUsers(tx).map((id) => ({ id, use: useOf(id) }))
  users.sort((one, other) => one.use - other.use)
  let size = FIRST_BATCH
  for (let from = 0; from < users.length; size *= BATCH_GROWTH) {
    let to = Math.min(users.length, from + size)
    // Users with equal use belong together.
    while (to < users.length && users[to]?.use === users[to - 1]?.use) to += 1
    const ids = users.slice(from, to).map(({ id }) => id)
    const rows = tx.all<{ user: string; seq: number | null }>(FAIR_SQL.firsts, {
      users: JSON.stringify(ids),
      ...runnableParams(tx, qpu),
    })
    const found = rows.flatMap(({ user, seq }) => (seq === null ? [] : [{ use: useOf(user), seq }]))
    if (found.length > 0) return found.reduce((best, each) => (compareFair(each, best) < 0 ? each : best)).seq
    from = to
  }
  return undefined
}

interface FairCount {
  qpu: Qpu
  fair: FairShare
  runMs: number
  most: number
  /** A user whose jobs are counted elsewhere; '' = none. */
  except: string
  /** Jobs by user that run before all others. */
  moved: ReadonlyMap<string, number>
}

/**
 * The number of jobs, but for those of `except` and those moved to the front, that start before this one in
 * the fair order if every job takes `runMs` and no further ones are submitted; above `most` the count is a
 * lower bound.
 */
export function countBeforeInFairOrder(
  tx: ReadTx,
  job: { seq: number; user_id: string },
  { qpu, fair, runMs, most, except, moved }: FairCount,
): number {
  const count = (sql: string, users: readonly string[], values: Record<string, number>) => {
    const params = { qpu: qpu.id, ...fitsParams(qpu), users: JSON.stringify(users), ...values }
    return tx.one<{ jobs: number }>(sql, params)?.jobs ?? 0
  }
  const ended = fair.readAs(tx, (elapsedMs) => Math.max(elapsedMs, runMs))
  const useOf = (user: string) => ended(user) + (moved.get(user) ?? 0) * runMs
  const { seq } = job
  let before = count(FAIR_SQL.countEarlier, [job.user_id], { seq, limit: most + 1 })
  // The use of the job's user when its turn comes: all jobs that begin at less use start before it.
  const level = useOf(job.user_id) + before * runMs
  const others = fair.waitingUsers(tx).filter((id) => id !== job.user_id && id !== except)
  const byTurns = Map.groupBy(others, (id) => Math.max(0, Math.ceil((level - useOf(id)) / runMs)))
  for (const [turns, users] of [...byTurns].toSorted(([one], [other]) => other - one)) {
    if (before > most) break
    if (turns > 0) before += count(FAIR_SQL.count, users, { limit: Math.min(turns, most + 1) })
    // Of users with equal use, the one whose next job was submitted first.
    const equal = users.filter((id) => useOf(id) + turns * runMs === level)
    if (equal.length > 0) before += count(FAIR_SQL.countNextEarlier, equal, { skip: turns, seq })
  }
  return before
}
