import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { StatementError } from '../../../src/db/engine/failure.ts'
import type { Tx } from '../../../src/db/records/tx.ts'
import { openOnFile, openOnServer, type TestDatabase } from '../../support/database.ts'
import { postgresMissing, sharedServer, startServer, type TestServer } from '../../support/postgres/server.ts'
import { part } from '../../support/whole.ts'

// Whoever catches the error of an attempt catches that of no earlier statement, which PostgreSQL may have yet
// to see.

const START_MS = 60_000
const HISTORY_MS = 600_000

/** A statement of an intent, which goes on when an attempt fails. */
const act = fc.record({
  kind: fc.constantFrom('post' as const, 'post' as const, 'run' as const, 'attempt' as const),
  key: fc.constantFrom('a', 'b', 'c', 'd'),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never
/** Intents of one turn of the event loop share a commit. */
const turn = fc.array(fc.array(act, { maxLength: 5 }), { minLength: 1, maxLength: 3 })

const INSERT = "INSERT INTO meta (key, value) VALUES ($key, 'attempt')"
const KEYS = "SELECT key FROM meta WHERE value = 'attempt' ORDER BY key"

function nameOf(error: unknown): string {
  return error instanceof StatementError ? `${error.kind} ${error.columns.join()}` : String(error)
}

/** What the statements of an intent did. */
function perform(tx: Tx, acts: readonly Act[]): string[] {
  return acts.map(({ kind, key }) => {
    if (kind !== 'attempt') {
      tx[kind](INSERT, { key })
      return kind
    }
    try {
      return `attempt ${tx.attempt(INSERT, { key })}`
    } catch (error) {
      return nameOf(error)
    }
  })
}

/** How the intents of one turn end, and the keys that are there afterwards. */
async function outcomes({ db }: TestDatabase, intents: readonly Act[][]): Promise<unknown> {
  const ends = intents.map((acts) => db.write('attempts', (tx) => perform(tx, acts)).catch(nameOf))
  return { ends: await Promise.all(ends), keys: await db.read((tx) => tx.all(KEYS)) }
}

describe.skipIf(postgresMissing !== undefined)('an attempt', () => {
  let server: TestServer
  let onFile: TestDatabase
  let onServer: TestDatabase
  beforeAll(async () => {
    server = sharedServer() ?? (await startServer())
    onFile = await openOnFile()
    onServer = await openOnServer(server)
  }, START_MS)
  afterAll(async () => {
    await onFile?.[Symbol.asyncDispose]()
    await onServer?.[Symbol.asyncDispose]()
    if (!sharedServer()) await server?.[Symbol.asyncDispose]()
  }, START_MS)

  test(
    'ends an intent as on SQLite, whatever waits before it',
    async () => {
      const history = async (drawn: Act[][][]) => {
        for (const { db } of [onFile, onServer])
          await db.write('clear', (tx) => tx.run("DELETE FROM meta WHERE value = 'attempt'"))
        for (const intents of drawn)
          expect(await outcomes(onServer, intents)).toEqual(await outcomes(onFile, intents))
      }
      const turns = fc.array(turn, { minLength: 1, maxLength: 3 })
      await fc.assert(fc.asyncProperty(turns, history), { numRuns: part(1_000, 30) })
    },
    HISTORY_MS,
  )

  test(
    'does not hide why the statement before it failed',
    async () => {
      for (const { db } of [onFile, onServer]) {
        await db.write('clear', (tx) => tx.run("DELETE FROM meta WHERE value = 'attempt'"))
        const write = db.write('test', (tx) => {
          tx.post(INSERT, { key: 'a' })
          tx.post(INSERT, { key: 'a' })
          try {
            tx.attempt(INSERT, { key: 'b' })
          } catch {}
        })
        await expect(write).rejects.toMatchObject({ kind: 'unique', columns: ['meta.key'] })
        expect(await db.read((tx) => tx.all(KEYS))).toEqual([])
      }
    },
    START_MS,
  )
})
