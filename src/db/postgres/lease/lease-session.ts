import { SQL } from 'bun'
import { AppError, systemClock, withTimeout } from '../../../base/index.ts'
import type { ServerAddress } from '../../engine/server-address.ts'
import type { Done } from '../bridge/bridge.ts'
import { clientOptions } from '../bridge/client-options.ts'
import { doneOf, run } from '../bridge/run-statement.ts'

/** A session whose statements are given up when the server does not respond in time. */
export interface LeaseSession {
  /** @throws the error of the server or of the session, and AppError `unavailable` after `ms`. */
  run(text: string, values?: readonly string[], ms?: number): Promise<Done>
  close(): void
}

/** Time for a statement, ms. */
export const ANSWER_MS = 2_000

/** @throws what the client reports when it cannot connect. */
export async function openLeaseSession(address: ServerAddress): Promise<LeaseSession> {
  const client = new SQL({ ...clientOptions(address), max: 1 })
  const close = () => void client.close({ timeout: 0 }).catch(() => undefined)
  try {
    const own = await client.reserve()
    return {
      async run(text, values = [], ms = ANSWER_MS) {
        const done = run(own, { text, values }).then(doneOf)
        return withTimeout(done, { clock: systemClock, ms, onTimeout: () => refuse(ms) })
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

function refuse(ms: number): never {
  throw new AppError('unavailable', `it did not respond within ${ms / 1_000} s`)
}
