import type { ReadTx } from '../../../records/tx.ts'
import { compareFair } from '../../accounts/recent-use.ts'
import { fitsParams } from '../fits-qpu.ts'
import { FAIR_SQL } from './fair-queue.ts'
import type { FairShare } from './fair-share.ts'
import type { Qpu } from './queue-sql.ts'

/** Users whose jobs are put in order: those with the least recent use. */
const MAX_USERS = 500

interface FairList {
  qpu: Qpu
  fair: FairShare
  /** How long a job takes, ms. */
  runMs: number
  limit: number
  /** A user whose jobs are listed elsewhere; '' = none. */
  except: string
  /** Jobs by user that run before all others. */
  moved: ReadonlyMap<string, number>
  /** Users who are considered in any case. */
  owners: readonly string[]
}

/**
 * `seq` of the first jobs in the order in which they start if every job takes `runMs` and no further ones are
 * submitted. Jobs moved to the front are left out. Costs at most one search for each of `MAX_USERS` users and
 * `limit` further ones; of more users with equal use, some jobs may be missing.
 */
export function listInFairOrder(tx: ReadTx, list: FairList): number[] {
  const { qpu, fair, runMs, limit, moved } = list
  const ended = fair.readAs(tx, (elapsedMs) => Math.max(elapsedMs, runMs))
  const useOf = (user: string) => ended(user) + (moved.get(user) ?? 0) * runMs
  const params = { qpu: qpu.id, ...fitsParams(qpu) }
  const heads = tx.all<{ user: string; seq: number | null }>(FAIR_SQL.heads, {
    ...params,
    users: JSON.stringify(usersOf(tx, list, useOf)),
  })
  const claims = heads.flatMap(({ user, seq }) => (seq === null ? [] : [{ user, seq, use: useOf(user) }]))
  /** The further jobs of users whose turn came, read when it did. */
  const rest = new Map<string, number[]>()
  const next = (user: string) => {
    const own =
      rest.get(user) ??
      tx
        .all<{ seq: number }>(FAIR_SQL.ofUser, { ...params, user, limit })
        .map(seqOf)
        .slice(1)
    rest.set(user, own)
    return own.shift()
  }
  const order: number[] = []
  while (order.length < limit && claims.length > 0) {
    const [first, ...others] = claims
    if (!first) break
    const claim = others.reduce((best, each) => (compareFair(each, best) < 0 ? each : best), first)
    order.push(claim.seq)
    claim.use += runMs
    const seq = next(claim.user)
    if (seq === undefined) claims.splice(claims.indexOf(claim), 1)
    else claim.seq = seq
  }
  return order
}

function seqOf({ seq }: { seq: number }): number {
  return seq
}

function usersOf(tx: ReadTx, { fair, except, owners }: FairList, useOf: (user: string) => number): string[] {
  const waiting = fair.waitingUsers(tx).map((id) => ({ id, use: useOf(id) }))
  const least = waiting
    .sort((one, other) => one.use - other.use)
    .slice(0, MAX_USERS)
    .map(({ id }) => id)
  return [...new Set([...least, ...owners])].filter((id) => id !== except)
}
