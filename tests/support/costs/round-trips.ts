import { type Mock, spyOn } from 'bun:test'
import { join } from 'node:path'
import type { Connection, TransactionMode } from '../../../src/db/engine/connection.ts'
import type { Statement } from '../../../src/db/engine/sql.ts'
import { Bridge } from '../../../src/db/postgres/bridge/bridge.ts'
import { openConnection } from '../../../src/db/sqlite/connection.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A connection of SQLite as one of a server: what waits, and in which state its transaction is. */
interface Session {
  mode: TransactionMode
  /** Whether a server would have the transaction. */
  isSent: boolean
  /** Whether statements wait that change something. */
  isWaiting: boolean
}

type Methods = {
  [Name in keyof Connection]: Connection[Name] extends (...given: never) => unknown ? Name : never
}
type Method = Exclude<Methods[keyof Connection], undefined>

function methodsOfSqlite(): Connection {
  using folder = temporaryFolder()
  const connection = openConnection(join(folder.path, 'x.db'), 'write')
  connection.close()
  return Object.getPrototypeOf(connection)
}

/**
 * Counts the round trips of all connections of this process, each a wait for the server: those of PostgreSQL
 * as they are, and those of SQLite as `ServerConnection` would make them, which a test compares.
 */
export class RoundTripCounter implements Disposable {
  count = 0
  readonly #spies: Mock<(...given: never[]) => unknown>[] = []
  readonly #sessions = new WeakMap<Connection, Session>()
  /** Calls of methods by methods do not count. */
  #depth = 0

  constructor() {
    const ask = Bridge.prototype.ask
    const counter = this
    const ofBridge = spyOn(Bridge.prototype, 'ask')
    ofBridge.mockImplementation(function counted(this: Bridge, ...given: Parameters<Bridge['ask']>) {
      counter.count += 1
      return ask.apply(this, given)
    })
    this.#spies.push(ofBridge)
    const methods = methodsOfSqlite()
    for (const name of ['one', 'all', 'run'] as const)
      this.#follow(methods, name, (session, sql: string) => {
        if (!sql.startsWith('PRAGMA ')) this.#send(session)
      })
    for (const name of ['savepoint', 'releaseSavepoint'] as const)
      this.#follow(methods, name, () => undefined)
    this.#follow(methods, 'attempt', (session) => this.#send(session, session.isWaiting ? 2 : 1))
    this.#follow(methods, 'batch', (session, statements: readonly Statement[]) => {
      if (statements.length > 0) this.#send(session)
    })
    this.#follow(methods, 'post', (session) => {
      session.isWaiting = true
    })
    this.#follow(methods, 'settle', (session) => {
      if (session.isWaiting) this.#send(session)
    })
    const posted = spyOn(methods, 'hasPosted')
    posted.mockImplementation(function waiting(this: Connection) {
      return counter.#sessionOf(this).isWaiting
    })
    this.#spies.push(posted)
    this.#follow(methods, 'begin', (session, mode: TransactionMode) => {
      Object.assign(session, { mode, isSent: false, isWaiting: false })
    })
    this.#follow(methods, 'commit', (session) => {
      if (session.mode === 'write' && (session.isSent || session.isWaiting)) this.#send(session)
    })
    for (const name of ['rollback', 'rollbackToSavepoint'] as const)
      this.#follow(methods, name, (session) => {
        if (session.isSent) this.#send(session)
      })
  }

  #send(session: Session, trips = 1): void {
    this.count += trips
    session.isSent = true
    session.isWaiting = false
  }

  #follow<Given extends unknown[]>(
    methods: Connection,
    name: Method,
    follow: (session: Session, ...given: Given) => void,
  ): void {
    const method = methods[name] as (...given: unknown[]) => unknown
    const counter = this
    const spy = spyOn(methods, name) as unknown as Mock<(...given: never[]) => unknown>
    spy.mockImplementation(function followed(this: Connection, ...given: unknown[]) {
      if (counter.#depth === 0) follow(counter.#sessionOf(this), ...(given as Given))
      counter.#depth += 1
      try {
        return method.apply(this, given)
      } finally {
        counter.#depth -= 1
      }
    } as (...given: never[]) => unknown)
    this.#spies.push(spy)
  }

  #sessionOf(connection: Connection): Session {
    const session = this.#sessions.get(connection) ?? { mode: 'write', isSent: false, isWaiting: false }
    this.#sessions.set(connection, session)
    return session
  }

  [Symbol.dispose](): void {
    for (const spy of this.#spies) spy.mockRestore()
  }
}
