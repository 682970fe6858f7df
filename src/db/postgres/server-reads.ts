import type { SQL } from 'bun'
import { AppError } from '../../base/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ServerAddress } from '../engine/server-address.ts'
import { clientOptions } from './bridge/client-options.ts'
import { doneOf, refusalOf, run } from './bridge/run-statement.ts'
import { errorOf } from './failure.ts'
import { numberParameters } from './number-parameters.ts'

/** A client that sends more than this many long reads sends them faster than they can run. */
const MAX_WAITING = 100

/**
 * Long reads of the service itself, one after another, on a connection of their own; it is made when the
 * first of them comes. The event loop goes on meanwhile.
 */
export function createServerReads(server: ServerAddress): Pick<Engine['readers'], 'rows' | 'close'> {
  let client: SQL | undefined
  let waiting = 0
  let isClosed = false
  return {
    async rows({ sql, params }) {
      if (isClosed) throw closed()
      if (waiting >= MAX_WAITING) {
        throw new AppError('unavailable', 'Too many long requests wait for the database; try again later', {
          reason: 'too_many_reads',
          retryAfter: 5,
        })
      }
      // Not imported, which would load the driver at each start, also without PostgreSQL.
      client ??= new Bun.SQL({ ...clientOptions(server), max: 1 })
      waiting += 1
      try {
        return doneOf(await run(client, numberParameters(sql, params))).rows
      } catch (error) {
        if (isClosed) throw closed()
        const known = errorOf(refusalOf(error), { role: server.user })
        throw known === 'lost' ? lost(error) : known
      } finally {
        waiting -= 1
      }
    },
    close() {
      isClosed = true
      client?.close({ timeout: 0 }).catch(() => undefined)
    },
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'The database is closed; the service is stopping')
}

function lost(cause: unknown): AppError {
  return new AppError('unavailable', 'The connection to PostgreSQL was lost; try again', {
    reason: 'database_lost',
    retryAfter: 1,
    cause,
  })
}
