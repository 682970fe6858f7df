import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { AppError, toTimestamp } from '../../../base/index.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import { STATE } from './lease-statements.ts'

const FILE = 'postgres-note.json'

const noted = v.object({
  /** Which database, wherever it is. */
  database: v.string(),
  /** How often its lease had been renewed. */
  renewals: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** Time of that, ms since the epoch. */
  at: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})

/** A state of a database that a server has seen. */
type Noted = v.InferOutput<typeof noted>

/** What a database lacks of a state that was seen. */
export interface StateLoss {
  detail: string
  /** The time from which, if it is known, and up to which changes may be lost. */
  since: string | undefined
  until: string
}

/** The state that a database has. */
export interface LeaseState {
  readonly database: string
  readonly renewals: number
  /** Time of the last renewal; null when there was none. */
  readonly renewedAt: string | null
}

/**
 * What this server has last seen of its database on PostgreSQL, in its data folder: the database has at least
 * that, unless PostgreSQL has lost commits, as when a replica without them is promoted.
 */
export class DatabaseNote {
  readonly #path: string
  #last: Noted | undefined
  #writing: Promise<void> | undefined

  constructor(dir: string) {
    this.#path = join(dir, FILE)
    this.#last = readNote(this.#path)
  }

  /** What `found` lacks of the state that was seen; undefined when nothing is known to be missing. */
  lossOf({ database, renewals, renewedAt }: LeaseState): StateLoss | undefined {
    const last = this.#last
    if (last === undefined || last.database !== database || last.renewals <= renewals) return undefined
    return {
      detail: 'is older than the last state that this server has seen',
      since: renewedAt ?? undefined,
      until: toTimestamp(last.at),
    }
  }

  /** Notes a state at `at`, ms since the epoch. Never throws: an older note is still true. */
  see({ database, renewals }: LeaseState, at: number): void {
    if (this.#last?.database === database && this.#last.renewals >= renewals) return
    this.#last = { database, renewals, at }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when what was seen is in the file, or cannot be written. */
  async written(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    try {
      const fresh = `${this.#path}.new`
      await writeFile(fresh, JSON.stringify(this.#last), { mode: 0o600 })
      await rename(fresh, this.#path)
    } catch {
      // A full disk, for example, of which the server itself reports.
    }
  }
}

/** Undefined without a note, and for one that a power failure has cut off. */
function readNote(path: string): Noted | undefined {
  try {
    const read = v.safeParse(noted, JSON.parse(readFileSync(path, 'utf8')))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes the database that `tx` writes a new one for all servers, if it lacks what the one with the data
 * folder `dir` has seen. Returns what may be lost; undefined when nothing is, and then changes nothing.
 */
export function acceptStateLoss(tx: SqlWriter, dir: string): StateLoss | undefined {
  if (tx.one<{ name: string | null }>("SELECT to_regclass('leader')::text AS name")?.name !== 'leader')
    return undefined
  const found = tx.one<LeaseState>(`SELECT ${STATE} FROM leader WHERE id = 1`)
  const loss = found && new DatabaseNote(dir).lossOf(found)
  if (loss) tx.run('UPDATE leader SET database = gen_random_uuid() WHERE id = 1')
  return loss
}

/** The refusal of a database that lacks what a server has seen. */
export function databaseBehind({ detail, since, until }: StateLoss): AppError {
  return new AppError(
    'internal',
    `The database on PostgreSQL ${detail}: changes acknowledged ${since === undefined ? '' : `from ${since} `}to ${until} may be lost; ` +
      'connect the server of PostgreSQL that has them, or accept the loss: svc doctor --accept-loss',
    { reason: 'database_behind' },
  )
}
