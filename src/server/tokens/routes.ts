import * as v from 'valibot'
import { fromTimestamp, toTimestamp } from '../../base/index.ts'
import {
  type ApiToken,
  createApiToken,
  findApiToken,
  listApiTokens,
  removeApiToken,
  updateApiToken,
} from '../../db/index.ts'
import { hashToken, newApiToken } from '../access-token.ts'
import { actingUser } from '../auth/acting-user.ts'
import { listQuery } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'

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

const tokenFields = v.object({
  id: v.string(),
  name: v.string(),
  expires_at: v.string(),
  created: v.string(),
  updated: v.string(),
})
const tokenResponse = v.pipe(tokenFields, v.title('ApiToken'))

function presentToken(token: ApiToken) {
  const { id, name, expires_at, created, updated } = token
  return { id, name, expires_at, created, updated }
}

/** API tokens of the caller. The token itself is returned once, when it is created. */
export const tokenRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/tokens',
    access: 'signed_in',
    summary: 'Create an API token',
    body: v.object({ name: v.optional(name, ''), expires_at: v.optional(expiry, '') }),
    statuses: [201, 400, 401],
    response: v.object({ ...tokenFields.entries, token: v.string() }),
    async run({ db }, { body, caller }) {
      const user = await actingUser(db, caller)
      const token = newApiToken()
      const row = await createApiToken(db, {
        user: user.id,
        name: body.name,
        expiresAt: body.expires_at,
        hash: hashToken(token),
      })
      return new Reply(201, { ...presentToken(row), token })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/tokens',
    access: 'signed_in',
    summary: "List the caller's API tokens",
    query: listQuery(['created', 'updated', 'name', 'expires_at'], '-created'),
    statuses: [200, 400, 401],
    response: v.array(tokenResponse),
    async run({ db }, { caller, query }) {
      const user = await actingUser(db, caller)
      return (await listApiTokens(db, user.id, query)).map(presentToken)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/tokens/:id',
    access: 'signed_in',
    summary: 'Retrieve an API token',
    statuses: [200, 401, 404],
    response: tokenResponse,
    async run({ db }, { caller, params }) {
      const user = await actingUser(db, caller)
      return presentToken(await findApiToken(db, user.id, params['id'] ?? ''))
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/tokens/:id',
    access: 'signed_in',
    summary: 'Rename an API token or change its expiry',
    body: v.object({ name: v.optional(name), expires_at: v.optional(expiry) }),
    statuses: [200, 400, 401, 404],
    response: tokenResponse,
    async run({ db }, { body, caller, params }) {
      const user = await actingUser(db, caller)
      const patch = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.expires_at === undefined ? {} : { expires_at: body.expires_at }),
      }
      return presentToken(await updateApiToken(db, user.id, params['id'] ?? '', patch))
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: 'signed_in',
    summary: 'Delete an API token; it becomes invalid at once',
    statuses: [200, 401, 404],
    response: v.object({ status: v.literal('deleted') }),
    async run({ db }, { caller, params }) {
      const user = await actingUser(db, caller)
      await removeApiToken(db, user.id, params['id'] ?? '')
      return { status: 'deleted' }
    },
  }),
]
