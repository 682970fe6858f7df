import { Database as Sqlite } from 'bun:sqlite'
import { type Mock, spyOn } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RoundTripCounter } from './round-trips.ts'

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4_096

/** What one commit has cost. */
export interface Counted {
  /** Numbers of the pages that it has added to the log. */
  pages: number[]
  statements: number
  roundTrips: number
}

type Prepare = Sqlite['prepare']

/** Counts executions of statements that were prepared after it was made, while `isCounted` is true. */
export class StatementCounter implements Disposable {
  count = 0
  readonly #spy: Mock<Prepare>

  constructor(isCounted = () => true) {
    const prepare = Sqlite.prototype.prepare
    const counter = this
    this.#spy = spyOn(Sqlite.prototype, 'prepare')
    this.#spy.mockImplementation(function counted(this: Sqlite, ...given: Parameters<Prepare>) {
      const statement = prepare.apply(this, given)
      for (const name of ['run', 'get', 'all'] as const) {
        const execute = statement[name].bind(statement) as (...values: unknown[]) => never
        statement[name] = (...values: unknown[]) => {
          if (isCounted()) counter.count += 1
          return execute(...values)
        }
      }
      return statement
    } as Prepare)
  }

  [Symbol.dispose](): void {
    this.#spy.mockRestore()
  }
}

/**
 * Counts what `work` costs, and what it adds to the log of the database in `dir`, if it is there; see
 * `emptyLog`.
 */
export async function countCost(
  dir: string,
  { statements, roundTrips }: { statements: StatementCounter; roundTrips: RoundTripCounter },
  work: () => Promise<unknown>,
): Promise<Counted> {
  const log = join(dir, 'svc.db-wal')
  const [counted, trips] = [statements.count, roundTrips.count]
  const bytes = statSync(log, { throwIfNoEntry: false })?.size
  await work()
  const added =
    bytes === undefined ? Buffer.alloc(0) : readFileSync(log).subarray(Math.max(bytes, HEADER_BYTES))
  const pages = Array.from({ length: added.length / FRAME_BYTES }, (_, at) =>
    added.readUInt32BE(at * FRAME_BYTES),
  )
  return { pages, statements: statements.count - counted, roundTrips: roundTrips.count - trips }
}

/** Empties the log of the database in `dir`, so that the next commits are appended to it. */
export function emptyLog(dir: string): void {
  using file = new Sqlite(join(dir, 'svc.db'))
  const result = file.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (result?.busy !== 0) throw new Error('the log could not be emptied')
}

/** The table or index of each page of the database in `dir`. */
export function treesOf(dir: string): Map<number, string> {
  using file = new Sqlite(join(dir, 'svc.db'), { readonly: true })
  const rows = file.query<{ pageno: number; name: string }, []>('SELECT pageno, name FROM dbstat').all()
  return new Map(rows.map(({ pageno, name }) => [pageno, name]))
}

/**
 * Replaces the random part of ids by one that is the same in each run: where it sorts decides which pages
 * change.
 */
export function repeatIds(): Mock<typeof crypto.getRandomValues> {
  let state = 1
  return spyOn(crypto, 'getRandomValues').mockImplementation(((bytes: Uint8Array) => {
    for (const at of bytes.keys()) {
      state = (state * 48_271) % 2_147_483_647
      bytes[at] = state & 0xff
    }
    return bytes
  }) as typeof crypto.getRandomValues)
}
