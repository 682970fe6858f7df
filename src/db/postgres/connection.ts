import { AppError } from '../../base/index.ts'
import { type Connection, runTransaction, type TransactionMode } from '../engine/connection.ts'
import type { Params, Statement } from '../engine/sql.ts'
import type { Bridge, Done, NumberedStatement, Refusal, Session } from './bridge/bridge.ts'
import { errorOf } from './failure.ts'
import { numberParameters } from './number-parameters.ts'
import { POSTGRES } from './sql/dialect.ts'
import { fenceOf } from './sql/fence.ts'

const BEGIN = {
  write: 'BEGIN',
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
} as const satisfies Record<TransactionMode, string>

/** The commits of the connection that writes, which are all that there are. */
export interface Commits {
  count: number
}

interface ServerConnectionOptions {
  commits: Commits
  /** That of the lease of the leader. */
  epoch?: number | undefined
  /** Whether its bridge has no other session, and is closed with it. */
  isOnly?: boolean
}

/** A statement that has not left. */
interface Waiting extends NumberedStatement {
  /** Whether it begins or ends work and changes nothing: it leaves with one that does. */
  readonly isFrame?: boolean
  /** Who gets what it did. */
  readonly onDone?: (done: Done) => void
}

type Row = Record<string, unknown>

/**
 * A session of a bridge as a connection. Posted statements and those that begin transactions and savepoints
 * wait for the next one that is read, and leave with it. A transaction of the leader with `epoch` fails when
 * another server leads.
 *
 * | State | From | |
 * |---|---|---|
 * | `idle` | | no transaction |
 * | `begun` | `begin` | its BEGIN and its fence wait: nothing was asked for, and an end needs no packet |
 * | `open` | the first packet | the server has a transaction |
 */
export class ServerConnection implements Connection {
  readonly dialect = POSTGRES
  readonly #bridge: Bridge
  readonly #session: Session
  readonly #commits: Commits
  readonly #fence: readonly Waiting[]
  readonly #isOnly: boolean
  #state: 'idle' | 'begun' | 'open' = 'idle'
  #waiting: Waiting[] = []
  /** Why the server refuses all further statements of this work, which can only be undone. */
  #failure: Error | undefined
  #limitMs = 0

  constructor(bridge: Bridge, session: Session, { commits, epoch, isOnly = false }: ServerConnectionOptions) {
    this.#isOnly = isOnly
    this.#bridge = bridge
    this.#session = session
    this.#commits = commits
    this.#fence = session === 'write' && epoch !== undefined ? [frame(fenceOf(epoch))] : []
  }

  one<T>(sql: string, params?: Params): T | undefined {
    // The callers of `one` and `all` state the shape of the rows that their SQL selects.
    return this.#ask(sql, params)?.rows[0] as T | undefined
  }

  all<T>(sql: string, params?: Params): T[] {
    return (this.#ask(sql, params)?.rows ?? []) as T[]
  }

  explain(sql: string, params?: Params): string[] {
    return this.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params).map((row) => row['QUERY PLAN'])
  }

  batch(statements: readonly Statement[]): Row[][] {
    if (statements.length === 0) return []
    const done = this.#send(statements.map(({ sql, params }) => numberParameters(sql, params)))
    return done.slice(-statements.length).map(({ rows }) => rows)
  }

  run(sql: string, params?: Params): number {
    return this.#ask(sql, params)?.count ?? 0
  }

  attempt(sql: string, params?: Params): number {
    // What waits is not part of the attempt: whoever catches its error cannot go on.
    this.#send([])
    try {
      const statement = numberParameters(sql, params)
      return this.#send([frame('SAVEPOINT attempt'), statement, frame('RELEASE attempt')])[1]?.count ?? 0
    } catch (error) {
      if (this.inTransaction()) this.#undo([frame('ROLLBACK TO attempt'), frame('RELEASE attempt')])
      throw error
    }
  }

  post(sql: string, params?: Params, onRows?: (rows: Row[]) => void): number {
    const onDone = onRows && (({ rows }: Done) => onRows(rows))
    this.#waiting.push({ ...numberParameters(sql, params), ...(onDone && { onDone }) })
    return 1
  }

  settle(): void {
    if (this.#failure || this.hasPosted()) this.#send([])
  }

  hasPosted(): boolean {
    return !this.#failure && this.#waiting.some(({ isFrame }) => !isFrame)
  }

  begin(mode: TransactionMode): void {
    this.#waiting.push(frame(BEGIN[mode]), ...this.#fence)
    this.#state = 'begun'
  }

  /**
   * @throws AppError `internal` (`commit_refused`) for a transaction in which a statement has failed, and
   *   what a statement that waits throws.
   */
  commit(): void {
    if (this.#failure && this.#session === 'write') throw this.#failure
    this.#failure = undefined
    const isOpen = this.#state === 'open'
    this.#state = 'idle'
    // Nobody has asked for the rows of what waits.
    if (this.#session === 'read' || this.#waiting.every(({ isFrame }) => isFrame)) this.#waiting = []
    if (!isOpen && this.#waiting.length === 0) return
    if (this.#session === 'read') {
      this.#bridge.send(this.#session, numberParameters('COMMIT'))
      return
    }
    if (this.#ask('COMMIT')?.command !== 'COMMIT') {
      throw new AppError('internal', 'PostgreSQL rolled a transaction back instead of committing it', {
        reason: 'commit_refused',
      })
    }
    this.#commits.count += 1
  }

  rollback(): void {
    const isOpen = this.#state === 'open'
    this.#state = 'idle'
    this.#waiting = []
    this.#failure = undefined
    // A session that is lost has no transaction any more.
    if (isOpen) this.#bridge.send(this.#session, numberParameters('ROLLBACK'))
  }

  savepoint(): void {
    this.#waiting.push(SAVEPOINT)
  }

  releaseSavepoint(): void {
    this.#waiting.push(frame('RELEASE work'))
  }

  rollbackToSavepoint(): void {
    const place = this.#waiting.lastIndexOf(SAVEPOINT)
    // What waits behind the savepoint, or since it was sent, is undone by not being sent.
    this.#waiting = this.#waiting.slice(0, Math.max(0, place))
    if (place < 0) this.#undo([frame('ROLLBACK TO work'), frame('RELEASE work')])
  }

  transaction<T>(mode: TransactionMode, work: () => T): T {
    return runTransaction(this, mode, work)
  }

  inTransaction(): boolean {
    return this.#state !== 'idle'
  }

  version(): number {
    return this.#session === 'read' ? this.#commits.count : 0
  }

  /** Ends each statement from now on after this time in ms. */
  limit(ms: number): void {
    this.#limitMs = ms
    this.#ask(`SET statement_timeout = ${ms}`)
  }

  close(): void {
    if (this.#isOnly) this.#bridge.close()
  }

  #ask(sql: string, params?: Params): Done | undefined {
    return this.#send([numberParameters(sql, params)]).at(-1)
  }

  #undo(frames: readonly Waiting[]): void {
    this.#failure = undefined
    this.#send(frames)
  }

  /** Sends what waits, and `last`, in one packet. @throws the first error of this work. */
  #send(last: readonly Waiting[]): Done[] {
    if (this.#failure) throw this.#failure
    const sent = [...this.#waiting, ...last]
    this.#waiting = []
    if (sent.length === 0) return []
    if (this.#state === 'begun') this.#state = 'open'
    const outcomes = this.#bridge.ask(
      this.#session,
      sent.map(({ text, values }) => ({ text, values })),
    )
    const failed = outcomes.find((each) => 'refusal' in each)
    if (failed) throw this.#fail(failed.refusal)
    return outcomes.flatMap((each, at) => {
      if (!('done' in each)) return []
      sent[at]?.onDone?.(each.done)
      return [each.done]
    })
  }

  #fail(refusal: Refusal): Error {
    const error = errorOf(refusal, { limitMs: this.#limitMs, role: this.#bridge.role })
    if (error === 'lost') {
      this.#state = 'idle'
      return this.#bridge.lose(refusal.message)
    }
    if (this.inTransaction()) this.#failure = error
    return error
  }
}

const SAVEPOINT = frame('SAVEPOINT work')

function frame(sql: string): Waiting {
  return { ...numberParameters(sql), isFrame: true }
}
