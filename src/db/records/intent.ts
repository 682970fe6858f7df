import type { Reads, Values } from '../engine/query.ts'
import type { Tx } from './tx.ts'

/** One change of the store. It declares what it reads, gets that as plain values, and writes. */
export interface Intent<Input, R extends Reads, Outcome> {
  /** As in logs. */
  readonly name: string
  /** All are answered in one round trip, with the start of the transaction. */
  reads(input: Input): R
  /** What depends on an earlier write is read in here, one round trip each. Synchronous. */
  run(tx: Tx, facts: Values<R>, input: Input): Outcome
}

/** Declares an intent for `Database.run`. */
export function defineIntent<Input, R extends Reads, Outcome>(
  intent: Intent<Input, R, Outcome>,
): Intent<Input, R, Outcome> {
  return intent
}
