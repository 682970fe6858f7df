import * as v from 'valibot'
import { AppError, fromTimestamp, notFound, toTimestamp } from '../../base/index.ts'
import type { ReadTx, Tx } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { requireQpu } from '../../db/store/qpus/index.ts'
import {
  closeSession,
  endHolder,
  holderById,
  listSessions,
  MAX_SECONDS,
  type Session,
  sessions,
  setSeconds,
  startSession,
} from '../../db/store/sessions/index.ts'
import type { RateLimiter } from '../admission/rate-limiter.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName, holderOf, type User } from '../http/caller.ts'
import { IDLE_TIMEOUT_SECONDS } from '../http/limits/idle-time.ts'
import { contentHash, keyedRequest } from '../http/request/idempotency.ts'
import { strictQuery, whole } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { type SessionView, sessionResponse, startedResponse } from './responses.ts'
import { viewSession } from './view.ts'
import type { SessionWaits } from './waits.ts'

const MAX_WAIT_SECONDS = 60
const MAX_LISTED = 200
const STATES = ['queued', 'active', 'paused', 'closed'] as const

const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SECONDS))

const time = v.pipe(
  v.string(),
  v.check((text) => fromTimestamp(text) !== undefined, 'Expected a time such as 2026-01-31T10:05:00+01:00'),
)

const heldFor = v.pipe(
  v.string(),
  v.regex(/^[^:]{1,40}:./, 'Expected the kind and id of a holder, such as slurm:1234'),
  v.description('Only open sessions that this holder has, such as slurm:1234'),
  v.transform((text) => ({
    kind: text.slice(0, text.indexOf(':')),
    name: text.slice(text.indexOf(':') + 1),
  })),
)

const newSession = v.object({
  qpu_target: v.pipe(v.string(), v.description('Name or id of the QPU')),
  seconds: v.pipe(seconds, v.description('How long it lasts after its first activation')),
  idle_seconds: v.optional(
    v.pipe(seconds, v.description('Without a job for so long, it is paused and others run')),
    60,
  ),
  mode: v.optional(
    v.pipe(
      v.picklist(['exclusive', 'batch']),
      v.description('exclusive: only your jobs run, and the time is charged; batch: your jobs go first'),
    ),
    'exclusive',
  ),
  holder: v.optional(
    v.object({
      kind: v.pipe(v.optional(v.pipe(v.string(), v.maxLength(40)), 'client'), v.description('Such as slurm')),
      id: v.optional(v.pipe(v.string(), v.maxLength(200), v.description('Its id there')), ''),
      ends_at: v.optional(v.pipe(time, v.description('When it ends by itself'))),
    }),
    {},
  ),
})

interface SessionRouteDependencies {
  /** Limits how often a user books a QPU, by a slot or a session. */
  bookings: RateLimiter
  waits: SessionWaits
  identify(request: Request): Promise<Caller>
  /** The secret of a holder. */
  secretOf(holder: string, user: User): string
}

/** Sessions: a QPU held for one user without a booking. */
export function sessionRoutes({ bookings, waits, identify, secretOf }: SessionRouteDependencies): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/sessions',
      access: 'signed_in',
      scope: 'submit',
      summary: 'Hold a QPU: open a session, or join the open one of the same QPU and mode',
      body: newSession,
      headers: {
        'Idempotency-Key': 'Repeating the request with the same key returns the same holder and secret',
      },
      response: startedResponse,
      statuses: [200, 201, 400, 404, 409, 422, 429],
      errors: {
        session_open: 409,
        no_balance: 409,
        too_many_sessions: 409,
        too_many_holders: 409,
        idempotency_key_reused: 422,
      },
      async run(context, { body, caller, request }) {
        const { db, config } = context
        const user = await actingUser(db, caller)
        const keyed = keyedRequest(request.headers.get('idempotency-key') ?? undefined, {
          user: user.id,
          route: 'POST /api/sessions',
          bodyHash: contentHash(body),
        })
        const { holder } = body
        const started = await db.write('start session', (tx) => {
          const wanted = {
            user: user.id,
            qpu: requireQpu(tx, body.qpu_target).id,
            mode: body.mode,
            seconds: body.seconds,
            idleSeconds: body.idle_seconds,
            holder: {
              kind: holder.kind ?? 'client',
              name: holder.id ?? '',
              endsAt:
                holder.ends_at === undefined ? '' : toTimestamp(fromTimestamp(holder.ends_at) ?? tx.now),
            },
            key: keyed?.key ?? '',
            bodyHash: keyed?.bodyHash ?? '',
          }
          const held = startSession(tx, wanted, config.sessionRate)
          if (held.made === 'session') bookings.take(user.id)
          if (held.made !== 'nothing')
            audit(tx, caller, 'session.start', held.session, { kind: wanted.holder.kind })
          return { ...held, view: viewSession(tx, held.session, config.sessionRate) }
        })
        const response = {
          ...started.view,
          holder: started.holder.id,
          secret: secretOf(started.holder.id, user),
        }
        return started.made === 'nothing' ? response : new Reply(201, response)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sessions',
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      summary:
        "List the caller's sessions, newest first; superusers those of all, with the secret of a session this one",
      query: strictQuery({
        holder: v.optional(heldFor),
        state: v.optional(v.picklist(STATES)),
        qpu: v.optional(v.pipe(v.string(), v.description('Name or id of a QPU'))),
        limit: v.optional(whole(1, MAX_LISTED), '50'),
      }),
      statuses: [200, 400, 404],
      response: v.array(sessionResponse),
      async run({ db, config }, { query, caller }) {
        const user = caller.kind === 'superuser' ? undefined : (await actingUser(db, caller)).id
        const session = holderOf(caller)?.session
        return db.read((tx) => {
          const qpu = query.qpu === undefined ? undefined : requireQpu(tx, query.qpu).id
          const found = listSessions(tx, { ...query, user, qpu, session })
          return found.map((each) => viewSession(tx, each, config.sessionRate))
        })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sessions/:id',
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      summary: 'Retrieve a session, at once or when it is active or has ended',
      query: v.object({
        wait: v.optional(
          v.pipe(
            whole(0, MAX_WAIT_SECONDS),
            v.description('Seconds to wait until it is active or has ended'),
          ),
          '0',
        ),
        state: v.optional(
          v.pipe(v.picklist(STATES), v.description('With `wait`: respond as soon as it has another state')),
        ),
      }),
      statuses: [200, 400, 404, 429],
      errors: { too_many_waiting_requests: 429 },
      response: sessionResponse,
      async run(context, { query, params, caller, request, setIdleTimeout }) {
        const id = params['id'] ?? ''
        let current = caller
        const look = async (isLast: boolean) => {
          const view = await readSession(context, current, id)
          return isLast || isAwaited(view, query.state) ? view : undefined
        }
        if (query.wait === 0) return look(true)
        setIdleTimeout(query.wait + IDLE_TIMEOUT_SECONDS)
        const wait = { id, account: callerName(caller), seconds: query.wait, signal: request.signal }
        return waits.until(wait, async (isLast) => {
          current = await identify(request)
          return look(isLast)
        })
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/sessions/:id',
      access: 'signed_in',
      inSession: 'submit',
      scope: 'submit',
      summary: 'Change how long a session lasts after its first activation',
      body: v.object({ seconds }),
      statuses: [200, 400, 404, 409],
      errors: { session_closed: 409 },
      response: sessionResponse,
      async run({ db, config }, { body, params, caller }) {
        return db.write('extend session', (tx) => {
          const session = requireOwn(tx, caller, params['id'] ?? '')
          assertOpen(session)
          audit(tx, caller, 'session.extend', session, { seconds: body.seconds })
          return viewSession(tx, setSeconds(tx, session, body.seconds), config.sessionRate)
        })
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/sessions/:id',
      access: 'signed_in',
      inSession: 'read',
      scope: 'submit',
      summary: 'End a session, or one holder of it; the running job ends first',
      query: v.object({
        holder: v.optional(
          v.pipe(v.string(), v.description('Id of a holder: the session ends with its last one')),
        ),
        reason: v.optional(
          v.pipe(v.string(), v.maxLength(500), v.description('Of a superuser, for its user')),
        ),
      }),
      statuses: [200, 404],
      response: sessionResponse,
      async run({ db, config }, { query, params, caller }) {
        const id = params['id'] ?? ''
        return db.write('end session', (tx) => {
          const session = requireOwn(tx, caller, id)
          const holder = holderOf(caller)?.id ?? query.holder
          const rate = config.sessionRate
          if (session.state !== 'closed') {
            const reason = caller.kind === 'superuser' ? (query.reason ?? '') : ''
            if (holder === undefined) closeSession(tx, id, { end: 'ended', reason, rate })
            else endHolder(tx, requireHolder(tx, session, holder), rate)
            audit(tx, caller, 'session.end', session, { reason })
          }
          return viewSession(tx, requireOwn(tx, caller, id), rate)
        })
      },
    }),
  ]
}

function readSession({ db, config }: ServerContext, caller: Caller, id: string): Promise<SessionView> {
  return db.read((tx) => viewSession(tx, requireOwn(tx, caller, id), config.sessionRate))
}

function isAwaited({ state }: SessionView, known: Session['state'] | undefined): boolean {
  return known === undefined ? state === 'active' || state === 'closed' : state !== known
}

/** @throws AppError `unauthorized` for guests; `not_found`, also for sessions of others. */
function requireOwn(tx: ReadTx, caller: Caller, id: string): Session {
  if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  const session = tx.find(sessions, id)
  const isOwn = caller.kind === 'superuser' || session?.user === caller.user.id
  const holder = holderOf(caller)
  if (!session || !isOwn || (holder && holder.session !== id)) throw notFound()
  return session
}

function requireHolder(tx: ReadTx, session: Session, id: string) {
  const holder = holderById(tx, id)
  if (holder?.session !== session.id) throw notFound()
  return holder
}

function assertOpen({ state }: Session): void {
  if (state !== 'closed') return
  throw new AppError('conflict', 'The session has ended; start another one', { reason: 'session_closed' })
}

function audit(
  tx: Tx,
  caller: Caller,
  action: string,
  session: Session,
  detail: Record<string, unknown>,
): void {
  const { id, qpu, user } = session
  appendAudit(tx, { actor: callerName(caller), action, subject: id, detail: { qpu, user, ...detail } })
}
