import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { notifications } from '../../../src/db/collections/notifications.ts'
import type { WithCommit } from '../../../src/db/engine/group-commit.ts'
import type { Change } from '../../../src/db/records/changes.ts'
import type { Tx } from '../../../src/db/records/tx.ts'
import { openOnServer } from '../../support/database.ts'
import { postgresMissing, sharedServer, startServer, type TestServer } from '../../support/postgres/server.ts'
import { part } from '../../support/whole.ts'

// What leaves with the COMMIT has the results, rows, errors and changes of what is sent before it.

const START_MS = 60_000
const HISTORY_MS = 600_000

/** One step of an intent. */
type Act =
  | { kind: 'post' | 'run' | 'attempt'; key: string }
  | { kind: 'announce'; title: string }
  | { kind: 'change one' | 'change all'; title: string; to: string }
  | { kind: 'publish again' | 'count' | 'give up' }

interface Intent {
  acts: readonly Act[]
  when: WithCommit | undefined
}

/** The COMMIT of a transaction with one of these keys is refused, or its connection ends. */
const REFUSED = 'refused'
const LOST = 'lost'

const key = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e') },
  { weight: 3, arbitrary: fc.constant(REFUSED) },
  { weight: 1, arbitrary: fc.constant(LOST) },
)
const title = fc.constantFrom('x', 'y', 'z')
const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('post'), key }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('run', 'attempt'), key }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('announce'), title }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('change one', 'change all'), title, to: title }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('publish again', 'count', 'give up') }) },
)
const intent = fc.record({
  acts: fc.array(act, { maxLength: 3 }),
  when: fc.constantFrom(undefined, 'alone' as const, 'last' as const, 'last' as const),
})
/** Intents of one turn of the event loop share a commit. */
const turns = fc.array(fc.array(intent, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 })

const INSERT = "INSERT INTO meta (key, value) VALUES ($key, 'with commit')"
const ROWS = `SELECT key, '' AS to FROM meta WHERE value = 'with commit'
  UNION ALL SELECT title, description FROM notifications ORDER BY 1, 2`
const AT_COMMIT = `
  CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.key = '${REFUSED}' THEN RAISE EXCEPTION 'refused at COMMIT'; END IF;
    PERFORM pg_terminate_backend(pg_backend_pid());
    PERFORM pg_sleep(10);
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON meta DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.key IN ('${REFUSED}', '${LOST}')) EXECUTE FUNCTION at_commit()`

/** What an intent has seen, and its end: '' or why nothing of it is there. */
interface Outcome {
  seen: string[]
  /** Whether its work ran to its end; an error after that is one of posted statements, or of the COMMIT. */
  hasRun: boolean
  error: string
  /** Whether an attempt has thrown this very error before: it is one of an earlier statement. */
  wasFound: boolean
}

/** @param caught receives the errors of attempts, after which an intent goes on. */
function perform(tx: Tx, acts: readonly Act[], seen: string[], caught: Set<unknown>): void {
  let announced: string | undefined
  for (const each of acts) {
    switch (each.kind) {
      case 'post':
        tx.post(INSERT, { key: each.key })
        break
      case 'run':
        seen.push(`run ${tx.run(INSERT, { key: each.key })}`)
        break
      case 'attempt':
        try {
          seen.push(`attempt ${tx.attempt(INSERT, { key: each.key })}`)
        } catch (error) {
          caught.add(error)
          seen.push(errorText(error))
        }
        break
      case 'announce':
        announced = tx.postInsert(notifications, { title: each.title }).id
        break
      case 'change one':
      case 'change all': {
        const change = each.kind === 'change one' ? tx.postUpdateOfOne : tx.postUpdate
        const sql = 'UPDATE notifications SET description = $to WHERE title = $title'
        change(notifications, sql, { title: each.title, to: each.to })
        break
      }
      case 'publish again':
        if (announced !== undefined) tx.changed(notifications, announced, 'update')
        break
      case 'count':
        seen.push(JSON.stringify(tx.all(ROWS)))
        break
      default:
        throw new Error('given up')
    }
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return Reflect.get(error, 'reason') === 'database_lost' ? LOST : error.message
}

/** A database of one of the twins. */
class Twin {
  readonly #server: TestServer
  readonly #mayKeep: boolean
  #base: Awaited<ReturnType<typeof openOnServer>> | undefined
  readonly #feeds: Record<'changes' | 'upcoming' | 'withdrawn', string[]> = {
    changes: [],
    upcoming: [],
    withdrawn: [],
  }

  constructor(server: TestServer, mayKeep: boolean) {
    this.#server = server
    this.#mayKeep = mayKeep
  }

  /** A database without rows of an earlier history. */
  async begin(): Promise<void> {
    if (this.#base) {
      await this.#run(`DELETE FROM meta WHERE value = 'with commit'`)
      await this.#run('DELETE FROM notifications')
      return
    }
    this.#base = await openOnServer(this.#server)
    await this.#run(AT_COMMIT)
    const { db } = this.#base
    for (const name of ['changes', 'upcoming', 'withdrawn'] as const) {
      db[name].subscribe((changes) => void this.#feeds[name].push(...changes.map(changeText)))
    }
  }

  /** Runs intents that share a commit as far as they do not fail. */
  async turn(intents: readonly Intent[]): Promise<Outcome[]> {
    if (!this.#base) throw new Error('begin first')
    const { db, clock } = this.#base
    for (const log of Object.values(this.#feeds)) log.length = 0
    const outcomes = intents.map(({ acts, when }) => {
      const outcome: Outcome = { seen: [], hasRun: false, error: '', wasFound: false }
      const caught = new Set<unknown>()
      const work = (tx: Tx) => {
        if (when && this.#mayKeep) tx.withCommit(when)
        perform(tx, acts, outcome.seen, caught)
        outcome.hasRun = true
      }
      return db.write('a random intent', work).then(
        () => outcome,
        (error) => Object.assign(outcome, { error: errorText(error), wasFound: caught.has(error) }),
      )
    })
    const ended = await Promise.all(outcomes)
    await clock.advance(1_000)
    return ended
  }

  /** What its last turn has published. */
  get published(): { changes: string[]; upcoming: string[]; withdrawn: string[] } {
    const { changes, upcoming, withdrawn } = this.#feeds
    return { changes: [...changes], upcoming: [...upcoming], withdrawn: [...withdrawn] }
  }

  rows(): Promise<Record<string, unknown>[]> {
    return this.#run(ROWS)
  }

  async close(): Promise<void> {
    const base = this.#base
    this.#base = undefined
    await base?.[Symbol.asyncDispose]()
  }

  async #run(sql: string): Promise<Record<string, unknown>[]> {
    const place = this.#base?.place
    if (!place || !('server' in place)) throw new Error('begin first')
    return this.#server.run(sql, place.server)
  }
}

function changeText({ action, record }: Change): string {
  const { title: name, description } = (record ?? {}) as { title?: string; description?: string }
  return `${action} ${name} ${description}`
}

/** An error that reached the intents at their COMMIT. */
const isOfCommit = (error: string) => error === LOST || error === 'refused at COMMIT'

/**
 * The error of a `last` intent whose posted statements fail with the COMMIT behind others, which then fail
 * with it. An error that an attempt has found was sent before the COMMIT, and ends this intent alone.
 */
function sharedError(intents: readonly Intent[], plain: readonly Outcome[]): string | undefined {
  const [when, end] = [intents.at(-1)?.when, plain.at(-1)]
  const failsLate = end?.hasRun && end.error !== '' && !end.wasFound && !isOfCommit(end.error)
  return when === 'last' && failsLate ? end.error : undefined
}

describe.skipIf(postgresMissing !== undefined)('intents whose statements leave with the COMMIT', () => {
  let server: TestServer
  let twins: Record<'plain' | 'kept', Twin>
  beforeAll(async () => {
    server = sharedServer() ?? (await startServer())
    twins = { plain: new Twin(server, false), kept: new Twin(server, true) }
  }, START_MS)
  afterAll(async () => {
    for (const twin of Object.values(twins ?? {})) await twin.close()
    if (!sharedServer()) await server?.[Symbol.asyncDispose]()
  }, START_MS)

  test(
    'end as if they had been sent before it',
    async () => {
      const { plain, kept } = twins
      const history = async (drawn: Intent[][]) => {
        await Promise.all([plain.begin(), kept.begin()])
        for (const intents of drawn) {
          const before = await kept.rows()
          const [expected, outcomes] = [await plain.turn(intents), await kept.turn(intents)]
          const shared = sharedError(intents, expected)
          const { changes, upcoming, withdrawn } = kept.published
          expect(upcoming.toSorted()).toEqual([...changes, ...withdrawn].toSorted())
          if (shared !== undefined) {
            const ends = expected.map((end) => ({
              ...end,
              error: end.error === '' || isOfCommit(end.error) ? shared : end.error,
            }))
            expect(outcomes).toEqual(ends)
            expect(changes).toEqual([])
            expect(await kept.rows()).toEqual(before)
          } else {
            expect(outcomes).toEqual(expected)
            expect(changes).toEqual(plain.published.changes)
            expect(await kept.rows()).toEqual(await plain.rows())
          }
          if ([...expected, ...outcomes].some(({ error }) => error === LOST)) {
            await Promise.all([plain.close(), kept.close()])
            return
          }
          // The others of the group are there without it.
          if (shared !== undefined) return
        }
      }
      await fc.assert(fc.asyncProperty(turns, history), { numRuns: part(1_000, 20) })
    },
    HISTORY_MS,
  )
})
