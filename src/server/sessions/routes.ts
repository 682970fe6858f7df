import * as v from 'valibot'
import { AppError, fromTimestamp, toTimestamp } from '../../base/index.ts'
import type { Tx } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { endDoneHolders } from '../../db/store/jobs/index.ts'
import { requireQpu } from '../../db/store/qpus/index.ts'
import {
  closeSession,
  endHolder,
  type Holder,
  leaveSession,
  listHolders,
  listSessions,
  MAX_HOLDERS,
  MAX_SECONDS,
  type NewHolder,
  nameInCluster,
  renewHolder,
  type Session,
  setSeconds,
  startSession,
} from '../../db/store/sessions/index.ts'
import type { RateLimiter } from '../admission/rate-limiter.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName, clusterOf, holderOf, impersonationOf } from '../http/caller.ts'
import { contentHash, keyedRequest } from '../http/request/idempotency.ts'
import { strictQuery, whole } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { awaitState, type WaitDependencies } from '../waiting/await-state.ts'
import { holdersToEnd, requireOwn, startOf, userOf } from './access.ts'
import { type SessionView, sessionResponse, startedResponse } from './responses.ts'
import { viewSession, viewSessions } from './view.ts'

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
  qpu_target: described(v.string(), 'Name or id of the QPU'),
  seconds: described(seconds, 'How long it lasts after its first activation'),
  idle_seconds: v.optional(described(seconds, 'Without a job for so long, it is paused and others run'), 60),
  mode: v.optional(
    described(
      v.picklist(['exclusive', 'batch']),
      'exclusive: only your jobs run, and the time is charged; batch: your jobs go first',
    ),
    'exclusive',
  ),
  holder: v.optional(
    v.object({
      kind: described(v.optional(v.pipe(v.string(), v.maxLength(40)), 'client'), 'Such as slurm'),
      id: v.optional(described(v.pipe(v.string(), v.maxLength(200)), 'Its id there'), ''),
      ends_at: v.optional(described(time, 'When it ends at the latest')),
      awaited: described(
        v.optional(v.boolean(), false),
        'A program waits: while the session is queued, the holder ends 5 minutes after its secret last awaited it',
      ),
    }),
    {},
  ),
  cluster: v.optional(
    described(v.string(), 'Of an API token of the scope session: its cluster, whose account `uid` names'),
  ),
  uid: v.optional(
    described(
      v.pipe(v.number(), v.integer(), v.minValue(1)),
      'User id there, which `cluster_accounts` maps to a user',
    ),
  ),
})

interface SessionRouteDependencies extends WaitDependencies {
  /** Limits how often a user books a QPU, by a slot or a session, and extends one. */
  bookings: RateLimiter
  /** The secret of a holder. */
  secretOf(holder: string): string
}

/** Sessions: a QPU held for one user without a booking. */
export function sessionRoutes({ bookings, waits, identify, secretOf }: SessionRouteDependencies): Route[] {
  return [
    defineRoute('POST /api/sessions', {
      access: 'signed_in',
      scope: 'submit',
      isForClusters: true,
      summary: 'Hold a QPU: open a session, or join the open one of the same QPU and mode',
      body: newSession,
      headers: {
        'Idempotency-Key': 'Repeating the request with the same key returns the same holder and secret',
      },
      response: startedResponse,
      statuses: [200, 201, 404],
      errors: {
        session_open: 409,
        session_closed: 409,
        other_cluster: 403,
        account_not_mapped: 403,
        account_disabled: 403,
        no_balance: 409,
        too_many_sessions: 409,
        too_many_holders: 409,
        idempotency_key_reused: 422,
      },
      async run(context, { body, caller, request }) {
        const { db, config } = context
        const user = await userOf(context, caller, body)
        const keyed = keyedRequest(request.headers.get('idempotency-key') ?? undefined, {
          user: user.id,
          route: 'POST /api/sessions',
          bodyHash: contentHash(body),
        })
        const holder = newHolder(caller, body.holder)
        const started = await db.write('start session', (tx) => {
          const wanted = {
            user: user.id,
            qpu: requireQpu(tx, body.qpu_target).id,
            mode: body.mode,
            seconds: body.seconds,
            idleSeconds: body.idle_seconds,
            holder,
            key: keyed?.key ?? '',
            bodyHash: keyed?.bodyHash ?? '',
          }
          const held = startSession(tx, wanted, config.sessionRate)
          if (held.made === 'session') bookings.take(user.id)
          if (held.made !== 'nothing')
            audit(tx, caller, 'session.start', held.session, startOf(caller, holder.kind))
          return { ...held, view: viewSession(tx, held.session, viewFor(context, caller)) }
        })
        const response = {
          ...started.view,
          holder: started.holder.id,
          secret: secretOf(started.holder.id),
        }
        return started.made === 'nothing' ? response : new Reply(201, response)
      },
    }),
    defineRoute('GET /api/sessions', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      isForClusters: true,
      summary:
        "List the caller's sessions, newest first; superusers those of all, with the secret of a session this one",
      query: strictQuery({
        holder: v.optional(heldFor),
        state: v.optional(v.picklist(STATES)),
        qpu: v.optional(described(v.string(), 'Name or id of a QPU')),
        limit: v.optional(whole(1, MAX_LISTED), '50'),
      }),
      statuses: [200, 404],
      response: v.array(sessionResponse),
      async run(context, { query, caller }) {
        const { db } = context
        const cluster = clusterOf(caller)
        const isOfAll = caller.kind === 'superuser' || cluster !== undefined
        const user = isOfAll ? undefined : (await actingUser(db, caller)).id
        const session = holderOf(caller)?.session
        const { holder } = query
        const held = holder && { ...holder, name: nameInCluster(cluster, holder.name) }
        return db.read((tx) => {
          const qpu = query.qpu === undefined ? undefined : requireQpu(tx, query.qpu).id
          const found = listSessions(tx, { ...query, holder: held, user, cluster, qpu, session })
          return viewSessions(tx, found, viewFor(context, caller))
        })
      },
    }),
    defineRoute('GET /api/sessions/:id', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      isForClusters: true,
      summary: 'Retrieve a session, now or when it is active or has ended',
      query: v.object({
        wait: v.optional(
          described(whole(0, MAX_WAIT_SECONDS), 'Seconds to wait until it is active or has ended'),
          '0',
        ),
        state: v.optional(
          described(v.picklist(STATES), 'With `wait`: respond as soon as it has another state'),
        ),
      }),
      errors: { too_many_waiting_requests: 429 },
      response: sessionResponse,
      async run(context, route) {
        const { caller, params, query } = route
        const id = params.id
        if (query.wait === 0) return readSession(context, caller, id)
        const holder = holderOf(caller)
        if (holder?.session === id) await context.db.write('renew holder', (tx) => renewHolder(tx, holder))
        return awaitState({ waits, identify }, route, {
          id,
          seconds: query.wait,
          // Jobs of many users wait with the token of their cluster.
          account: clusterOf(caller) === undefined ? callerName(caller) : `session:${id}`,
          isAwaited: (state) => isAwaited(state, query.state),
          async read(current, isWanted) {
            const view = await readSession(context, current, id)
            return isWanted(view.state) ? view : undefined
          },
        })
      },
    }),
    defineRoute('PATCH /api/sessions/:id', {
      access: 'signed_in',
      inSession: 'submit',
      scope: 'submit',
      isForClusters: true,
      summary: 'Change how long a session lasts after its first activation',
      body: v.object({ seconds }),
      errors: { session_closed: 409 },
      response: sessionResponse,
      async run(context, { body, params, caller }) {
        return context.db.write('extend session', (tx) => {
          const session = requireOwn(tx, caller, params.id)
          assertOpen(session)
          if (caller.kind !== 'superuser') bookings.take(session.user)
          audit(tx, caller, 'session.extend', session, { seconds: body.seconds })
          return viewSession(tx, setSeconds(tx, session, body.seconds), viewFor(context, caller))
        })
      },
    }),
    defineRoute('DELETE /api/sessions/:id', {
      access: 'signed_in',
      inSession: 'read',
      scope: 'submit',
      isForClusters: true,
      summary: 'End a session, or one holder of it; the running job ends first',
      query: v.object({
        holder: v.optional(described(v.string(), 'Id of a holder: the session ends with its last one')),
        reason: v.optional(described(v.pipe(v.string(), v.maxLength(500)), 'Of a superuser, for its user')),
        when: v.optional(
          described(
            v.picklist(['done']),
            'done: with the last of the jobs that the secrets of the holders submitted',
          ),
        ),
      }),
      response: sessionResponse,
      async run(context, { query, params, caller }) {
        const id = params.id
        return context.db.write('end session', (tx) => {
          const session = requireOwn(tx, caller, id)
          const rate = context.config.sessionRate
          if (session.state !== 'closed') {
            const reason = caller.kind === 'superuser' ? (query.reason ?? '') : ''
            const ending = holdersToEnd(tx, caller, session, holderOf(caller)?.id ?? query.holder)
            if (query.when === 'done') endWhenDone(tx, session, ending, rate)
            else end(tx, session, ending, { reason, rate })
            audit(tx, caller, 'session.end', session, { reason })
          }
          return viewSession(tx, requireOwn(tx, caller, id), viewFor(context, caller))
        })
      },
    }),
  ]
}

/** A new holder as it is stored: that of a cluster has the name of the cluster in its own. */
function newHolder(
  caller: Caller,
  {
    kind = 'client',
    id = '',
    ends_at: endsAt,
    awaited: isAwaited = false,
  }: v.InferOutput<typeof newSession>['holder'],
): NewHolder['holder'] {
  return { kind, name: nameInCluster(clusterOf(caller), id), endsAt: endOf(endsAt, caller), isAwaited }
}

/** When a holder ends, '' = with the session: one of an impersonation at the latest with that login. */
function endOf(wanted: string | undefined, caller: Caller): string {
  const ends = [fromTimestamp(wanted ?? ''), impersonationOf(caller)?.expiresAt]
  const end = Math.min(...ends.map((each) => each ?? Number.POSITIVE_INFINITY))
  return end === Number.POSITIVE_INFINITY ? '' : toTimestamp(end)
}

/** Ends a session, or holders of it. */
function end(
  tx: Tx,
  { id }: Session,
  holders: readonly Holder[] | undefined,
  { reason, rate }: { reason: string; rate: number },
): void {
  if (holders === undefined) closeSession(tx, id, { end: 'ended', reason, rate })
  else for (const holder of holders) endHolder(tx, holder, rate)
}

/** Ends holders of a session, by default all, with the last of the jobs that their secrets submitted. */
function endWhenDone(tx: Tx, { id }: Session, holders: readonly Holder[] | undefined, rate: number): void {
  leaveSession(tx, holders ?? listHolders(tx, id, { limit: MAX_HOLDERS }))
  endDoneHolders(tx, rate)
}

function readSession(context: ServerContext, caller: Caller, id: string): Promise<SessionView> {
  return context.db.read((tx) => viewSession(tx, requireOwn(tx, caller, id), viewFor(context, caller)))
}

function viewFor({ config }: ServerContext, caller: Caller) {
  return { rate: config.sessionRate, cluster: clusterOf(caller) }
}

function isAwaited(state: string, known: Session['state'] | undefined): boolean {
  return known === undefined ? state === 'active' || state === 'closed' : state !== known
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
