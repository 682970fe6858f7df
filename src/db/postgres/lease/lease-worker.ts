/** Entry point of the thread that keeps the lease, see `lease.ts`. */
import { messageOf, serveWorker, systemClock } from '../../../base/index.ts'
import { refusalOf } from '../bridge/run-statement.ts'
import { LOCK_NOT_AVAILABLE } from '../failure.ts'
import { describeHolder } from '../sql/lock-holder.ts'
import { foreignTable, OBJECTS, TABLES } from '../stored-schema.ts'
import type { LeaseEvent, LeaseRequest, leaseWorker } from './lease.ts'
import { ANSWER_MS, type LeaseSession, openLeaseSession } from './lease-session.ts'
import {
  END_SESSIONS,
  LOCK_PREPARATION,
  LOOK,
  NAME_SESSION,
  PREPARATION,
  PREPARATION_HOLDER,
  RELEASE,
  RENEW,
  readsName,
  sessionName,
  standbyName,
  TAKE,
} from './lease-statements.ts'
import { DatabaseNote, type LeaseState } from './note.ts'

const POLL_MS = 200
const RENEWAL_MS = 700
/** Time for the tables and the function of the lease, while another process may create them. */
const PREPARATION_MS = 30_000
/** Less than that, so that PostgreSQL itself ends the wait for the lock. */
const LOCK_MS = 25_000

type Respond = (event: LeaseEvent) => void
type Opening = Extract<LeaseRequest, { kind: 'open' }>

interface Row extends LeaseState {
  epoch: number
  address: string
  rootCa: string
  isFree: number
}

let session: LeaseSession | undefined
let note: DatabaseNote | undefined
let held: number | undefined
let isReleased = false

async function open(opening: Opening, respond: Respond): Promise<void> {
  try {
    note = new DatabaseNote(opening.dir)
    session = await openLeaseSession(opening.address)
    const foreign = await prepare(session)
    if (foreign !== undefined) respond({ kind: 'foreign', table: foreign })
    else await standBy(session, opening, respond)
  } catch (error) {
    respond({ kind: 'refused', refusal: refusalOf(error) })
  }
}

/** Returns a table of another program, if the database has such. */
async function prepare(own: LeaseSession): Promise<string | undefined> {
  await own.run('BEGIN')
  await lockPreparation(own)
  const tables = await own.run(TABLES)
  const foreign = foreignTable(tables.rows.map(({ name }) => String(name)))
  if (foreign === undefined) for (const sql of [OBJECTS, ...PREPARATION]) await own.run(sql)
  await own.run('COMMIT')
  return foreign
}

/** @throws an error that names who has kept the lock for 25 s. */
async function lockPreparation(own: LeaseSession): Promise<void> {
  await own.run(`SET LOCAL lock_timeout = ${LOCK_MS}`)
  try {
    await own.run(LOCK_PREPARATION, [], PREPARATION_MS)
  } catch (error) {
    if (refusalOf(error).code !== LOCK_NOT_AVAILABLE) throw error
    await own.run('ROLLBACK')
    const [holder] = (await own.run(PREPARATION_HOLDER)).rows
    const message = `another session keeps the lock of its preparation (${describeHolder(holder)}); end that session`
    throw Object.assign(new Error(message), { errno: LOCK_NOT_AVAILABLE })
  }
}

/** Waits for the lease and keeps it. A database that does not respond is asked again, as long as it takes. */
async function standBy(first: LeaseSession, opening: Opening, respond: Respond): Promise<void> {
  let own: LeaseSession | undefined = first
  let named: LeaseSession | undefined
  let reported: string | undefined
  const report = (leader: string) => {
    if (leader !== reported) respond({ kind: 'standby', leader })
    reported = leader
  }
  while (!isReleased) {
    try {
      own ??= await openLeaseSession(opening.address)
      if (named !== own) await own.run(NAME_SESSION, [standbyName(opening.own)])
      named = own
      session = own
      const [row] = (await own.run(LOOK)).rows as unknown as Row[]
      if (!row) throw new Error('it is a replica')
      const refusal = refuse(row, opening)
      if (refusal) return respond(refusal)
      note?.see(row, systemClock.now())
      const epoch = row.isFree === 1 ? await take(own, row, opening) : undefined
      if (epoch !== undefined) {
        held = epoch
        respond({ kind: 'leading', epoch })
        return keep(own, epoch, { ticks: new Int32Array(opening.ticks), respond })
      }
      report(row.address)
    } catch {
      own?.close()
      own = undefined
      report('')
    }
    await systemClock.sleep(POLL_MS)
  }
}

/** Why this server cannot lead nor stand by; undefined when it can. */
function refuse({ rootCa, address: leader, ...state }: Row, opening: Opening): LeaseEvent | undefined {
  if (rootCa !== '' && rootCa !== opening.rootCa) return { kind: 'otherRoot', rootCa, leader }
  const loss = note?.lossOf(state)
  return loss && { kind: 'behind', loss }
}

/** Ends the sessions of the leader that was seen and leads; undefined when another one does. */
async function take(own: LeaseSession, row: Row, opening: Opening): Promise<number | undefined> {
  const { epoch: seen, renewals } = row
  await own.run(END_SESSIONS, [sessionName(seen), readsName(seen)], 10 * ANSWER_MS)
  await own.run('BEGIN')
  // Named by then, so that nobody finds a leader without a session.
  await own.run(NAME_SESSION, [sessionName(seen + 1)])
  const taken = await own.run(TAKE, [String(seen), opening.own, opening.rootCa])
  await own.run(taken.count === 1 ? 'COMMIT' : 'ROLLBACK')
  if (taken.count !== 1) return undefined
  note?.see({ ...row, renewals: renewals + 1 }, systemClock.now())
  return seen + 1
}

async function keep(
  own: LeaseSession,
  epoch: number,
  { ticks, respond }: { ticks: Int32Array; respond: Respond },
): Promise<void> {
  let last = 0
  let renewedAt = systemClock.monotonic()
  while (!isReleased) {
    await systemClock.sleep(RENEWAL_MS)
    const now = Atomics.load(ticks, 0)
    // The event loop hangs: another process may lead. It does not move before the services run.
    if (isReleased || (now !== 0 && now === last)) {
      renewedAt = systemClock.monotonic()
      continue
    }
    last = now
    try {
      const leftMs = Math.max(1, renewedAt + ANSWER_MS - systemClock.monotonic())
      const [renewed] = (await own.run(RENEW, [String(epoch)], leftMs)).rows as unknown as LeaseState[]
      if (!renewed) throw new Error('another server leads')
      renewedAt = systemClock.monotonic()
      note?.see(renewed, systemClock.now())
    } catch (error) {
      if (!isReleased) respond({ kind: 'lost', message: messageOf(error) })
      return
    }
  }
}

async function release(respond: Respond): Promise<void> {
  isReleased = true
  if (held !== undefined) await session?.run(RELEASE, [String(held)]).catch(() => undefined)
  session?.close()
  await note?.written()
  respond({ kind: 'released' })
}

serveWorker<typeof leaseWorker>((request, respond) => {
  void (request.kind === 'open' ? open(request, respond) : release(respond))
})
