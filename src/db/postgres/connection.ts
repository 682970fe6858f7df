import { AppError } from '../../base/index.ts'
import type { Connection, TransactionMode } from '../engine/connection.ts'
import type { Params } from '../engine/sql.ts'
import type { Bridge, Done, NumberedStatement, Session } from './bridge/bridge.ts'
import { errorOf } from './failure.ts'
import { numberParameters } from './number-parameters.ts'
import { POSTGRES } from './sql/dialect.ts'
import { fenceOf } from './sql/fence.ts'

const BEGIN = {
  write: 'BEGIN',
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
} as const satisfies Record<TransactionMode, string>

/** What begins and ends work, and changes nothing. */
const FRAME = /^(BEGIN|SAVEPOINT|RELEASE|SELECT svc_fence)\b/

/** The commits of the connection that writes, which are all that there are. */
export interface Commits {
  count: number
}

/** A session of a bridge, which may limit its statements. */
interface SessionConnection extends Connection {
  /** Ends each statement from now on after this time in ms. */
  limit(ms: number): void
}

/** A statement that has not left, and who gets what it did. */
interface Waiting extends NumberedStatement {
  readonly onDone?: (done: Done) => void
}

/**
 * A session of a bridge as a connection. Posted statements and those that begin transactions and savepoints
 * wait for the next one that is read, and leave with it. A transaction of the
 * leader with `epoch` fails when another server leads.
 */
export function openSession(
  bridge: Bridge,
  session: Session,
  { commits, epoch }: { commits: Commits; epoch?: number | undefined },
): SessionConnection {
  const fence = session === 'write' && epoch !== undefined ? [numberParameters(fenceOf(epoch))] : []
  let waiting: Waiting[] = []
  let limitMs = 0
  let isOpen = false

  /**
   * Runs what waits, then `last`. Throws the first error; that of what waits is of no interest in a rollback.
   */
  function send(last: readonly Waiting[], isRollback = false): Done[] {
    const sent = [...waiting, ...last]
    const first = isRollback ? waiting.length : 0
    waiting = []
    if (sent.length === 0) return []
    const outcomes = bridge.ask(
      session,
      sent.map(({ text, values }) => ({ text, values })),
    )
    const failed = outcomes.slice(first).find((each) => 'refusal' in each)
    if (failed && 'refusal' in failed) throw thrown(failed.refusal)
    return outcomes.flatMap((each, at) => {
      if (!('done' in each)) return []
      sent[at]?.onDone?.(each.done)
      return [each.done]
    })
  }

  function thrown(refusal: Parameters<typeof errorOf>[0]): Error {
    const error = errorOf(refusal, limitMs)
    if (error !== 'lost') return error
    isOpen = false
    return bridge.lose(refusal.message)
  }

  function ask(sql: string, params?: Params): Done | undefined {
    return send([numberParameters(sql, params)]).at(-1)
  }

  function commit(): void {
    isOpen = false
    const hasBegun = waiting[0]?.text.startsWith('BEGIN') !== true
    // Nothing was asked for, or nobody has asked for the rows.
    if (!hasBegun && waiting.length === 1 + fence.length) waiting = []
    if (session === 'read') waiting = []
    if (!hasBegun && waiting.length === 0) return
    if (session === 'read') {
      bridge.send(session, numberParameters('COMMIT'))
      return
    }
    const done = ask('COMMIT')
    // So it answers a transaction in which a statement has failed.
    if (done?.command !== 'COMMIT') {
      throw new AppError('internal', 'PostgreSQL rolled a transaction back instead of committing it', {
        reason: 'commit_refused',
      })
    }
    commits.count += 1
  }

  function rollback(sql: string): void {
    if (sql === 'ROLLBACK') isOpen = false
    send([numberParameters(sql)], true)
  }

  const connection: SessionConnection = {
    dialect: POSTGRES,
    // The callers of `one` and `all` state the shape of the rows that their SQL selects.
    one: <T>(sql: string, params?: Params) => ask(sql, params)?.rows[0] as T | undefined,
    all: <T>(sql: string, params?: Params) => (ask(sql, params)?.rows ?? []) as T[],
    batch(statements) {
      if (statements.length === 0) return []
      const done = send(statements.map(({ sql, params }) => numberParameters(sql, params)))
      return done.slice(-statements.length).map(({ rows }) => rows as Record<string, unknown>[])
    },
    run(sql, params) {
      if (sql === 'COMMIT') commit()
      else if (sql.startsWith('ROLLBACK')) rollback(sql)
      else return ask(sql, params)?.count ?? 0
      return 0
    },
    attempt(sql, params) {
      send([])
      const statements = ['SAVEPOINT attempt', sql, 'RELEASE attempt']
      try {
        return (
          send(statements.map((each) => numberParameters(each, each === sql ? params : {})))[1]?.count ?? 0
        )
      } catch (error) {
        if (isOpen) send(['ROLLBACK TO attempt', 'RELEASE attempt'].map((each) => numberParameters(each)))
        throw error
      }
    },
    post(sql, params, onRows) {
      const onDone = onRows && (({ rows }: Done) => onRows(rows as Record<string, unknown>[]))
      waiting.push({ ...numberParameters(sql, params), ...(onDone && { onDone }) })
      return 1
    },
    settle() {
      if (!waiting.every(({ text }) => FRAME.test(text))) send([])
    },
    limit(ms) {
      limitMs = ms
      ask(`SET statement_timeout = ${ms}`)
    },
    begin(mode) {
      waiting.push(numberParameters(BEGIN[mode]), ...fence)
      isOpen = true
    },
    transaction(mode, work) {
      if (isOpen) throw new TypeError('a transaction is open already; use its tx')
      connection.begin(mode)
      try {
        const result = work()
        commit()
        return result
      } catch (error) {
        if (isOpen) rollback('ROLLBACK')
        throw error
      }
    },
    inTransaction: () => isOpen,
    version: () => (session === 'read' ? commits.count : 0),
    close: () => undefined,
  }
  return connection
}
