import * as v from 'valibot'
import { badField, type Clock, DAY_MS, fromTimestamp, notFound, toTimestamp } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  type ApiToken,
  createApiToken,
  findApiToken,
  type LastUse,
  listApiTokens,
  listLastUses,
  removeApiToken,
  TOKEN_SCOPES,
  type TokenScope,
  updateApiToken,
} from '../../db/store/accounts/index.ts'
import { hashToken, newApiToken } from '../access-token.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { clientOf } from '../auth/access-audit.ts'
import { actingUser } from '../auth/acting-user.ts'
import { apiTokenOf, type Caller, callerName, impersonationOf } from '../http/caller.ts'
import { listQuery } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const name = v.pipe(v.string(), v.maxLength(255))
/** '' = never expires. */
const expiry = v.pipe(
  v.string(),
  v.check(
    (text) => text === '' || fromTimestamp(text) !== undefined,
    'Expected a UTC time such as 2026-12-31 12:00:00.000Z, or an empty text for no expiry',
  ),
  v.transform((text) => (text === '' ? '' : toTimestamp(fromTimestamp(text) ?? 0))),
)

const scope = v.picklist(TOKEN_SCOPES)
const cluster = described(
  v.pipe(v.string(), v.maxLength(64)),
  'With the scope session: the cluster for whose accounts it opens sessions',
)

const tokenResponse = shape('ApiToken', {
  id: v.string(),
  name: v.string(),
  expires_at: v.string(),
  scope,
  cluster: described(v.string(), "Scope session: cluster for whose accounts it opens sessions; else ''"),
  last_used: described(v.string(), "UTC, up to an hour old; '' = never"),
  last_address: described(
    v.string(),
    "Remote address of the last use, for IPv6 its /64 network; '' = never used",
  ),
  created: v.string(),
  updated: v.string(),
})

function presentToken(token: ApiToken, { at, address }: LastUse = { at: '', address: '' }) {
  const { id, name, expires_at, scope, cluster, created, updated } = token
  return { id, name, expires_at, scope, cluster, last_used: at, last_address: address, created, updated }
}

async function presentTokens(db: Database, user: string, tokens: readonly ApiToken[]) {
  const uses = await listLastUses(
    db,
    user,
    tokens.map(({ id }) => id),
  )
  return tokens.map((token, index) => presentToken(token, uses[index]))
}

/**
 * The expiry of an API token: a login that was issued by impersonation cannot create or extend one that
 * outlasts it.
 * @throws AppError `invalid`.
 */
function withinLogin(caller: Caller, expiresAt: string | undefined): string | undefined {
  const login = impersonationOf(caller)
  if (!login || expiresAt === undefined) return expiresAt
  const end = toTimestamp(login.expiresAt)
  if (expiresAt === '') return end
  if (expiresAt <= end) return expiresAt
  const message = `This login was issued by impersonation and ends at ${end}; the token cannot outlast it.`
  throw badField('The API token would outlast this login', 'expires_at', message, {
    code: 'validation_max_date_constraint',
  })
}

/** Life of a token of the scope `operate`. */
const MAX_OPERATE_MS = 30 * DAY_MS

/**
 * The expiry of a token of this scope: one of `operate` always has one.
 * @throws AppError `invalid` for one that is too late.
 */
function withinScope(scope: TokenScope, expiresAt: string, now: number): string {
  const latest = toTimestamp(now + MAX_OPERATE_MS)
  if (scope !== 'operate' || (expiresAt !== '' && expiresAt <= latest)) return expiresAt
  if (expiresAt === '') return latest
  const message = `A token of the scope operate lives 30 days at most: until ${latest}.`
  throw badField('The API token would live too long', 'expires_at', message, {
    code: 'validation_max_date_constraint',
  })
}

/** @throws AppError `invalid` for a scope that the account cannot have, or one without its cluster. */
function assertMayHave(caller: Caller, { scope, cluster }: { scope: TokenScope; cluster: string }): void {
  if ((scope === 'operate' || scope === 'session') && caller.kind !== 'superuser') {
    const message = `Only superusers have tokens of the scope ${scope}; use read, submit or all.`
    throw badField('The account cannot have this API token', 'scope', message, {
      code: 'validation_not_allowed',
    })
  }
  if ((scope === 'session') === (cluster !== '')) return
  const message =
    scope === 'session' ? 'Name the cluster of the token.' : 'Only tokens of the scope session have one.'
  throw badField('The API token and its cluster do not fit', 'cluster', message)
}

/** @throws AppError `invalid` for an expiry that is over; one that is stored already may be sent again. */
function assertFuture(expiresAt: string | undefined, now: number, stored = ''): void {
  if (expiresAt === undefined || expiresAt === '' || expiresAt === stored || expiresAt > toTimestamp(now))
    return
  const message = `Must be later than now, ${toTimestamp(now)}; to end a token, delete it.`
  throw badField('The API token would have expired already', 'expires_at', message, {
    code: 'validation_min_date_constraint',
  })
}

/** API tokens of the caller. The token itself is returned once, when it is created. */
export function tokenRoutes(clock: Clock): Route[] {
  const creations = new RateLimiter(RATES.apiTokens, clock)
  return [
    defineRoute('POST /api/tokens', {
      access: 'signed_in',
      summary: 'Create an API token',
      body: v.object({
        name: v.optional(name, ''),
        expires_at: v.optional(expiry, ''),
        scope: described(
          v.optional(scope, 'all'),
          '`read`: GET and event streams; `submit`: also submit and cancel jobs; `all`: everything; `operate`, of superusers: what operates QPUs and their queue, 30 days at most; `session`, of superusers: sessions for the accounts of one cluster, nothing else',
        ),
        cluster: v.optional(cluster, ''),
      }),
      statuses: [201],
      errors: { too_many_tokens: 409 },
      response: shape('NewApiToken', { ...tokenResponse.entries, token: v.string() }),
      async run({ db }, { body, caller, ...call }) {
        const user = await actingUser(db, caller)
        assertFuture(body.expires_at, clock.now())
        assertMayHave(caller, body)
        const expiresAt = withinScope(body.scope, withinLogin(caller, body.expires_at) ?? '', clock.now())
        creations.take(callerName(caller))
        const token = newApiToken()
        const { name, scope, cluster } = body
        const row = await createApiToken(
          db,
          { user: user.id, name, expiresAt, scope, cluster, hash: hashToken(token) },
          { actor: callerName(caller), personal: { ...clientOf(call) } },
        )
        return new Reply(201, { ...presentToken(row), token })
      },
    }),
    defineRoute('GET /api/tokens', {
      access: 'signed_in',
      summary: "List the caller's API tokens",
      query: listQuery(['created', 'updated', 'name', 'expires_at'], '-created'),
      response: v.array(tokenResponse),
      async run({ db }, { caller, query }) {
        const user = await actingUser(db, caller)
        return presentTokens(db, user.id, await listApiTokens(db, user.id, query))
      },
    }),
    defineRoute('GET /api/tokens/:id', {
      access: 'signed_in',
      summary: 'Retrieve an API token',
      response: tokenResponse,
      async run({ db }, { caller, params }) {
        const user = await actingUser(db, caller)
        const token = await findApiToken(db, user.id, params.id)
        return (await presentTokens(db, user.id, [token]))[0]
      },
    }),
    defineRoute('PATCH /api/tokens/:id', {
      access: 'signed_in',
      summary: 'Rename an API token or change its expiry',
      body: v.object({ name: v.optional(name), expires_at: v.optional(expiry) }),
      response: tokenResponse,
      async run({ db }, { body, caller, params }) {
        const user = await actingUser(db, caller)
        const id = params.id
        if (body.expires_at) {
          assertFuture(body.expires_at, clock.now(), (await findApiToken(db, user.id, id)).expires_at)
        }
        const { scope } = await findApiToken(db, user.id, id)
        const expiry = withinLogin(caller, body.expires_at)
        const expiresAt = expiry === undefined ? undefined : withinScope(scope, expiry, clock.now())
        const patch = {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        }
        const token = await updateApiToken(db, user.id, id, patch)
        return (await presentTokens(db, user.id, [token]))[0]
      },
    }),
    defineRoute('DELETE /api/tokens/:id', {
      access: 'signed_in',
      // A program that signs out ends its own token.
      isOperation: true,
      summary: 'Delete an API token; it becomes invalid immediately',
      response: v.object({ status: v.literal('deleted') }),
      async run({ db }, { caller, params }) {
        const user = await actingUser(db, caller)
        const own = apiTokenOf(caller)
        if (own?.scope === 'operate' && own.id !== params.id) throw notFound()
        await removeApiToken(db, user.id, params.id)
        return { status: 'deleted' }
      },
    }),
  ]
}
