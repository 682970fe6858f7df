import * as v from 'valibot'
import { toTimestamp } from '../../base/index.ts'
import {
  type AccountKind,
  countIssued,
  storedBytesLimit,
  storedBytesOf,
  superusers,
  TOKEN_SCOPES,
  users,
} from '../../db/store/accounts/index.ts'
import { pendingJobsOf } from '../../db/store/jobs/index.ts'
import type { ServerContext } from '../context.ts'
import { apiTokenOf, type Caller, type User } from '../http/caller.ts'
import { issuedAccess, superuserResponse, userResponse } from '../http/response/account-responses.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const rate = described(
  v.nullable(shape('RateLimit', { per_second: v.number(), burst: v.number() })),
  'null = no limit',
)
const usage = shape('UsageLimit', {
  used: v.number(),
  max: described(v.nullable(v.number()), 'null = no limit'),
})

const response = shape('Me', {
  role: v.picklist(['user', 'superuser']),
  account: v.union([userResponse, superuserResponse]),
  balance: described(
    v.nullable(v.object({ qpu_seconds: v.number(), unlimited: v.boolean() })),
    'null for superusers',
  ),
  credentials: v.object({
    via: v.picklist(['login', 'api_token']),
    id: described(v.string(), "Id of the API token; '' for a login"),
    name: described(v.string(), 'Name of the API token'),
    scope: v.picklist(TOKEN_SCOPES),
    expires_at: described(v.string(), "UTC; '' = never"),
  }),
  issued_access: described(issuedAccess, 'What the account has given out and is still valid'),
  limits: described(
    v.nullable(v.object({ requests: rate, submissions: rate, pending_jobs: usage, stored_bytes: usage })),
    'null for superusers, who have none',
  ),
})

/** The caller's own account, credentials and limits. */
export const meRoute: Route = defineRoute('GET /api/me', {
  access: 'signed_in',
  isOperation: true,
  summary: 'Retrieve the own account, its balance, the credentials in use and the limits that apply',
  response,
  async run(context, { caller }) {
    const credentials = credentialsOf(caller)
    if (caller.kind !== 'user') {
      const account = caller.kind === 'superuser' ? caller.superuser : undefined
      const shown = account && presentRecord(superusers, account, context.db.names, { isSuperuser: true })
      const issued_access = await issuedBy(context, 'superusers', account?.id ?? '')
      return { role: 'superuser', account: shown, balance: null, credentials, issued_access, limits: null }
    }
    const { user } = caller
    return {
      role: 'user',
      account: presentRecord(users, user, context.db.names, { isSuperuser: false, self: user.id }),
      balance: { qpu_seconds: user.qpu_seconds, unlimited: user.unlimited },
      credentials,
      issued_access: await issuedBy(context, 'users', user.id),
      limits: await limitsOf(context, user),
    }
  },
})

function credentialsOf(caller: Caller) {
  const token = apiTokenOf(caller)
  if (token) {
    const { id, name, scope, expires_at } = token
    return { via: 'api_token', id, name, scope, expires_at }
  }
  const expiresAt = 'login' in caller ? caller.login.expiresAt : 0
  return { via: 'login', id: '', name: '', scope: 'all', expires_at: toTimestamp(expiresAt) }
}

function issuedBy({ db }: ServerContext, kind: AccountKind, id: string) {
  return db.read((tx) => countIssued(tx, { kind, id }))
}

async function limitsOf({ db, live, config }: ServerContext, user: User) {
  const used = await db.read((tx) => ({
    jobs: tx.read(pendingJobsOf(user.id)),
    bytes: tx.read(storedBytesOf(user.id)),
  }))
  const maxBytes = storedBytesLimit(user, config.maxUserBytes)
  return {
    requests: rateOf(live.current.userRate),
    submissions: rateOf(live.current.submitRate),
    pending_jobs: { used: used.jobs, max: config.maxPendingJobs },
    stored_bytes: { used: used.bytes, max: maxBytes === 0 ? null : maxBytes },
  }
}

function rateOf({ perSecond, burst }: { perSecond: number; burst: number }) {
  return burst === 0 ? null : { per_second: perSecond, burst }
}
