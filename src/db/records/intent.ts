import type { Queries, Results } from '../engine/query.ts'
import type { Tx } from './tx.ts'

/** One change of the store. It declares what it reads, gets that as plain values, and writes. */
export interface Intent<Input, Q extends Queries, Outcome> {
  /** As in logs. */
  readonly name: string
  /** All are answered in one round trip, with the start of the transaction. */
  reads(input: Input): Q
  /** What depends on an earlier write is read in here, one round trip each. Synchronous. */
  run(tx: Tx, facts: Results<Q>, input: Input): Outcome
}

/** Declares an intent for `Database.run`. */
export function defineIntent<Input, Q extends Queries, Outcome>(
  intent: Intent<Input, Q, Outcome>,
): Intent<Input, Q, Outcome> {
  return intent
}
