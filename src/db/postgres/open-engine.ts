import { AppError, type Clock, type Log, Turns, workingFor } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import type { CommitLog, Engine, NewEngine, SharedDatabase } from '../engine/engine.ts'
import type { ReadLimits } from '../engine/reading.ts'
import type { ServerAddress } from '../engine/server-address.ts'
import type { OpenedSource } from '../readers/reader-host.ts'
import { ReaderPool } from '../readers/reader-pool.ts'
import { Bridge, type BridgeOptions, ConnectionRefused, type Session } from './bridge/bridge.ts'
import { type Commits, ServerConnection } from './connection.ts'
import { connectionError } from './failure.ts'
import { readsName, STANDBYS, sessionName } from './lease/lease-statements.ts'
import { createServerReads } from './server-reads.ts'
import { FUNCTIONS } from './sql/functions.ts'
import { describeHolder, holderOf } from './sql/lock-holder.ts'
import { assertInUse, prepareObjects, storedSchemaOf } from './stored-schema.ts'
import { assertUsable } from './usable.ts'

/** How a database on a server is opened. */
export interface ServerOptions {
  server: ServerAddress
  clock: Clock
  log: Log
  /**
   * Called once when the connection is lost, or when the server does not respond. What it has done is then
   * unknown: end the process without sending further responses; the next process reads the database again.
   */
  onLost?: (error: AppError) => void
  /** False rejects a database without the tables of the service instead of creating them. */
  create?: boolean
  /** That of the lease which this process has, if several servers share the database. */
  epoch?: number | undefined
  /** Whether the operator has a backup of a database whose tables this version may change. */
  isBackedUp?: boolean
  /** Longest time of one call in ms, `PATIENCE_MS` if unset; one on a busy machine takes longer. */
  patienceMs?: number
  /** Limits of reads whose cost depends on clients. */
  readLimits?: ReadLimits
  /** Command of a reader; the default one selects, but writes no pages of exports. */
  readerCommand?: readonly string[]
}

/** The event loop waits this long for an answer at most while the services run. */
const PATIENCE_MS = 2_000

/**
 * Transactions start for this time in ms in one turn of the event loop, which their statements hold until the
 * server has answered. Those that meet are in one group, which then ends; others wait for the next turn.
 */
const TURN_MS = 10

/** Creating tables and indexes may take this long, at a start. */
const PREPARATION_MS = 3_600_000

/** What the services read before they run may take this long: all pending jobs, for example. */
const START_MS = 60_000

/** The process that writes holds this lock of the database. */
const LOCK = "hashtext('svc')"

/**
 * Connects to the server, makes sure that no other process writes to the database, and has `prepare` bring
 * it to its declared form.
 * @throws AppError that states a remedy: `unavailable` (`database_unreachable`, `database_refused`,
 *   `database_missing`, `database_busy`), `conflict` (`database_in_use`, `database_foreign`), `internal`
 *   (`database_unsupported`), `not_found` (`no_database`), and what `prepare` throws.
 */
export function openServerEngine(options: ServerOptions, prepare: (engine: NewEngine) => void): Engine {
  const { clock, epoch, onLost, patienceMs = PATIENCE_MS } = options
  const server = epoch === undefined ? options.server : { ...options.server, sessionName: readsName(epoch) }
  let onWait: (ms: number) => void = () => undefined
  const bridge = connect(server, ['write', 'read'], { onLost, onWait: (ms) => onWait(ms) })
  const reads = createServerReads(server)
  const pool = new ReaderPool({ server }, clock, {
    limits: options.readLimits,
    command: options.readerCommand,
  })
  const readers = {
    select: pool.read.bind(pool),
    exportPage: pool.export.bind(pool),
    rows: reads.rows,
    close() {
      pool.close()
      reads.close()
    },
  }
  const release = () => {
    readers.close()
    bridge.close()
  }
  try {
    bridge.patienceMs = PREPARATION_MS
    const commits: Commits = { count: 0 }
    const writer = new ServerConnection(bridge, 'write', { commits, epoch })
    const schema = storedSchemaOf(writer, { isBackedUp: options.isBackedUp ?? false })
    prepareServer(writer, options)
    prepare({ writer, schema })
    bridge.patienceMs = epoch === undefined ? patienceMs : START_MS
    const reader = new ServerConnection(bridge, 'read', { commits })
    const turns = new Turns(clock, TURN_MS)
    // Work of the service itself takes turns with callers as if each was of another one.
    let works = 0
    const enter = () => turns.enter(workingFor() ?? `service ${++works}`)
    const shared: SharedDatabase | undefined =
      epoch === undefined
        ? undefined
        : {
            epoch,
            standbys: async () =>
              (await reads.rows({ sql: STANDBYS, params: {} })).map(({ address }) => String(address)),
            replicaLagBytes: async () => {
              const [row] = await reads.rows({ sql: REPLICA_LAG, params: {} })
              return typeof row?.['bytes'] === 'number' ? row['bytes'] : undefined
            },
            clockDifferenceMs: async () => {
              const sent = clock.now()
              const [row] = await reads.rows({ sql: SERVER_CLOCK, params: {} })
              return Number(row?.['ms']) - (sent + clock.now()) / 2
            },
            onWait(listener) {
              onWait = listener
            },
            limitWaits() {
              bridge.patienceMs = patienceMs
              writer.run(`SET idle_in_transaction_session_timeout = ${patienceMs}`)
            },
          }
    return { writer, reader, readers, schema, log: NO_LOG, enter, files: undefined, shared, release }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * A connection that reads the database of a server, while another process writes to it.
 * @throws AppError as `openServerEngine` does.
 */
export function openServerForReading(server: ServerAddress): OpenedSource {
  const bridge = connect(server, ['read'])
  // The caller limits its statements; nobody else waits for it.
  bridge.patienceMs = PREPARATION_MS
  const connection = new ServerConnection(bridge, 'read', { commits: { count: 0 }, isOnly: true })
  // The server ends a statement whose reader is gone.
  connection.run('SET client_connection_check_interval = 1000')
  return { connection, limit: (ms) => connection.limit(ms) }
}

function connect(
  server: ServerAddress,
  sessions: readonly Session[],
  listeners: Pick<BridgeOptions, 'onLost' | 'onWait'> = {},
): Bridge {
  try {
    return new Bridge({ address: server, sessions, ...listeners })
  } catch (error) {
    if (!(error instanceof ConnectionRefused)) throw error
    throw connectionError(`${server.host}:${server.port}/${server.database}`, error.refusal)
  }
}

/** Who holds the lock of the process that writes. */
function inUse(writer: Connection): string {
  const session = describeHolder(writer.one(holderOf(LOCK)))
  return `Another process uses the database (${session}); stop it first, or end a session of another role than that of svc`
}

function prepareServer(writer: Connection, { create, epoch, log }: ServerOptions): void {
  assertUsable(writer)
  if (create === false) assertInUse(writer)
  // Before the lock, so that a successor ends this session too.
  if (epoch !== undefined) writer.run(`SET application_name = '${sessionName(epoch)}'`)
  if (writer.one<{ taken: number }>(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`)?.taken !== 1) {
    throw new AppError('conflict', inUse(writer), { reason: 'database_in_use' })
  }
  const isOpen = `SELECT has_database_privilege('public', current_database(), 'CONNECT') AS open`
  if (writer.one<{ open: number }>(isOpen)?.open === 1)
    log.warn('PUBLIC may connect to the database and take its locks; REVOKE it: docs/how-to/postgresql.md')
  writer.transaction('write', () => {
    prepareObjects(writer)
    for (const sql of FUNCTIONS) writer.post(sql)
  })
}

/** Ms since the epoch. */
const SERVER_CLOCK = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS ms'

/** Others than superusers and members of `pg_monitor` see that there are replicas, and no position. */
const REPLICA_LAG = `SELECT CAST(max(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)) AS bigint) AS bytes
  FROM pg_stat_replication`

/** The server has written a commit to its disk before it answers. */
const NO_LOG: CommitLog = {
  committed: () => undefined,
  flushing: undefined,
  pause: () => undefined,
  finish: () => Promise.resolve(),
}
