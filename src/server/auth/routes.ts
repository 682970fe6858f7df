import * as v from 'valibot'
import { AppError, badField, notFound } from '../../base/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import {
  type AccountKind,
  endIssued,
  findAccount,
  type IdentityField,
} from '../../db/store/accounts/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName, impersonationOf, type Login } from '../http/caller.ts'
import { FORM_OR_JSON } from '../http/media.ts'
import {
  authMethodsResponse,
  issuedAccess,
  loginResponse,
  superuserResponse,
  userResponse,
} from '../http/response/account-responses.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { clientOf } from './access-audit.ts'
import { assertPasswordsAllowed } from './confirm.ts'
import { MAX_ISSUERS, TOKEN_SECONDS } from './jwt.ts'
import { ACCOUNT_KINDS } from './link-routes.ts'
import { expectLogin, type Logins } from './logins.ts'
import { offerOf } from './oauth2/offer.ts'

/** The fields that identify an account at a login, by kind, in the order of the search. */
const IDENTITY_FIELDS: Readonly<Record<AccountKind, readonly IdentityField[]>> = {
  users: ['email', 'username'],
  superusers: ['email'],
}

const credentialsOf = (kind: AccountKind) =>
  v.object({
    identity: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
    password: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
    identityField: described(
      v.optional(v.picklist(['', ...IDENTITY_FIELDS[kind]])),
      'The field to search for `identity`; all when empty',
    ),
  })

/** Maximum lifetime of an impersonation token: one year. */
const MAX_IMPERSONATION_SECONDS = 365 * 86_400

/** Login routes of users and superusers, in the record-store form. */
export function authRoutes(context: ServerContext, logins: Logins): Route[] {
  return [...ACCOUNT_KINDS.flatMap((each) => routesOf(context, logins, each)), logoutEverywhere]
}

const logoutEverywhere = defineRoute('POST /api/auth/logout-everywhere', {
  access: 'signed_in',
  summary: "End all of the caller's logins and mailed links, this one included",
  body: v.object({
    api_tokens: described(
      v.optional(v.boolean(), false),
      'Also end API tokens, links to jobs and reports, and the address of the calendar, and disable webhooks',
    ),
    logins: described(
      v.optional(v.boolean(), true),
      'false: keep logins, mailed links and event streams; end the rest only',
    ),
  }),
  response: v.object({
    status: v.picklist(['logged_out', 'ended']),
    api_tokens: described(v.number(), 'Number of deleted API tokens'),
    issued_access: issuedAccess,
  }),
  async run({ db }, { body, caller, ...call }) {
    const actor = callerName(caller)
    const personal = { ...clientOf(call) }
    const which = !body.logins ? 'all_but_logins' : body.api_tokens ? 'all' : 'logins'
    const { ended, remaining } = await endIssued(db, accountOfCaller(caller), { actor, personal, which })
    const status = body.logins ? 'logged_out' : 'ended'
    return { status, api_tokens: ended.api_tokens, issued_access: remaining }
  },
})

/** @throws AppError `unauthorized` for a guest. */
function accountOfCaller(caller: Caller): { kind: AccountKind; id: string } {
  if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  if (caller.kind === 'user') return { kind: 'users', id: caller.user.id }
  return { kind: 'superusers', id: caller.superuser.id }
}

function routesOf(
  context: ServerContext,
  logins: Logins,
  { kind, collection, who }: (typeof ACCOUNT_KINDS)[number],
): Route[] {
  const path = `/api/collections/${collection}` as const
  const response =
    kind === 'users'
      ? loginResponse('UserLogin', userResponse)
      : loginResponse('SuperuserLogin', superuserResponse)
  return [
    defineRoute(`GET ${path}/auth-methods`, {
      access: 'public',
      summary: `List the ways in which ${who}s can log in`,
      response: authMethodsResponse,
      run: () => authMethods(context, kind === 'users'),
    }),
    defineRoute(`POST ${path}/auth-with-password`, {
      access: 'public',
      summary:
        kind === 'users'
          ? 'Log in as a user with e-mail (or user name) and password'
          : 'Log in as a superuser with e-mail and password',
      body: credentialsOf(kind),
      bodyMedia: FORM_OR_JSON,
      // While a replicator is away, administrators have to be able to log in.
      isReplicated: false,
      response,
      async run(_, { body, ...call }) {
        if (kind === 'users') assertPasswordsAllowed(context)
        return logins.response(kind, await logins.byPassword(kind, body, clientOf(call)))
      },
    }),
    ...['request-otp', 'auth-with-otp'].map((name) =>
      defineRoute(`POST ${path}/${name}`, {
        access: 'public',
        summary: 'Refused: one-time passwords are not supported',
        statuses: [403],
        async run() {
          throw new AppError('forbidden', 'The collection is not configured to allow OTP authentication')
        },
      }),
    ),
    defineRoute(`POST ${path}/auth-refresh`, {
      access: 'signed_in',
      summary: `Refresh the login token of the current ${who}; an impersonation token is returned unchanged`,
      response,
      async run(_, { caller, request }) {
        const account = expectLogin(caller, kind)
        if (!impersonationOf(caller)) return logins.response(kind, account)
        return { token: bearerOf(request), record: logins.present(account) }
      },
    }),
    defineRoute(`POST ${path}/impersonate/:id`, {
      access: 'superuser',
      summary: `Issue a login token for another ${who}; it cannot be refreshed`,
      body: v.object({
        /** Lifetime in seconds; 0 = that of an ordinary login. */
        duration: v.optional(
          v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_IMPERSONATION_SECONDS)),
          0,
        ),
      }),
      response,
      async run({ db, clock }, { body, caller, params, ...call }) {
        const account = await findAccount(db, kind, params.id)
        if (!account) throw notFound()
        const seconds = lifetimeOf(body.duration, kind, impersonationOf(caller), clock.now())
        const by = issuersOf(caller)
        const options = { seconds, refreshable: false, by }
        const login = await logins.response(kind, account, options)
        await db.write('audit impersonation', (tx) =>
          appendAudit(tx, {
            actor: callerName(caller),
            action: 'account.impersonate',
            subject: account.id,
            detail: { collection, seconds },
            personal: { ...clientOf(call) },
          }),
        )
        return login
      },
    }),
  ]
}

/**
 * The superusers with whose logins one that the caller issues ends.
 * @throws AppError `invalid` for a chain of more than `MAX_ISSUERS`.
 */
function issuersOf(caller: Caller): string[] {
  if (caller.kind !== 'superuser') return []
  const issuers = [...new Set([...(caller.login.by ?? []), caller.superuser.id])]
  if (issuers.length <= MAX_ISSUERS) return issuers
  const message = `This login was issued through ${MAX_ISSUERS} superusers and cannot issue another one`
  throw new AppError('invalid', `${message}; log in with a password`)
}

/**
 * The lifetime of an impersonation token in seconds; 0 = that of an ordinary login, at most that of the
 * caller if it is itself an impersonation.
 * @throws AppError `invalid` when an impersonation requests a longer one.
 */
function lifetimeOf(duration: number, kind: AccountKind, caller: Login | undefined, now: number): number {
  const wanted = duration || (kind === 'users' ? TOKEN_SECONDS.users : TOKEN_SECONDS._superusers)
  if (!caller) return wanted
  const rest = Math.max(0, Math.floor((caller.expiresAt - now) / 1_000))
  if (duration <= rest) return Math.min(wanted, rest)
  const message = `This login was issued by impersonation and ends in ${rest} s; request at most that.`
  throw badField('The impersonation would outlast this login', 'duration', message, {
    code: 'validation_max_number_constraint',
  })
}

function bearerOf(request: Request): string {
  return (request.headers.get('authorization') ?? '').replace(/^Bearer\s+/i, '').trim()
}

async function authMethods({ config }: ServerContext, isForUsers: boolean) {
  const providers = isForUsers ? await Promise.all(config.oauth2Providers.map(offerOf)) : []
  return {
    password: {
      enabled: !isForUsers || !config.disableEmailPasswordAuth,
      identityFields: [...IDENTITY_FIELDS[isForUsers ? 'users' : 'superusers']],
    },
    oauth2: { enabled: providers.length > 0, providers },
    mfa: { enabled: false, duration: 0 },
    otp: { enabled: false, duration: 0 },
  }
}
