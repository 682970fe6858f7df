import type { QueueLimits } from '../../base/index.ts'

/** On whose behalf a selection is read. */
export interface Reading {
  /** Callers with the same name take turns with the others: an account, or the address of a guest. */
  readonly caller: string
  readonly kind: 'guest' | 'user' | 'superuser'
  /** Ends the read, running or waiting, when the client has gone. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the longest time in ms until the response when the read begins, and with 0 at its end: the
   * connection must stay open meanwhile, although nothing is sent.
   */
  readonly keepOpen?: ((ms: number) => void) | undefined
}

/** Limits of the reads whose cost depends on the client. */
export interface ReadLimits {
  /** Number of readers. */
  readonly readers: number
  /** Processor time that a read may use, in ms; for superusers the second. */
  readonly timeoutMs: number
  readonly superuserTimeoutMs: number
  /** How many reads wait. */
  readonly waiting?: QueueLimits
}
