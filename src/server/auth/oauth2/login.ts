import * as v from 'valibot'
import { AppError, badField, messageOf, newSecret } from '../../../base/index.ts'
import type { Rules, Tx } from '../../../db/index.ts'
import type { RecordQueries, RequestInfo } from '../../../db/query/index.ts'
import { signInExternally, type User, users } from '../../../db/store/accounts/index.ts'
import { FORM_OR_JSON } from '../../http/media.ts'
import { userResponse } from '../../http/response/account-responses.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { described, shape } from '../../http/schema.ts'
import { clientOf } from '../access-audit.ts'
import type { Logins } from '../logins.ts'
import { type ExternalAccount, exchange } from './exchange.ts'

const word = (max: number) => v.pipe(v.string(), v.nonEmpty(), v.maxLength(max))

const body = v.object({
  provider: word(63),
  code: word(4_096),
  codeVerifier: v.optional(v.pipe(v.string(), v.maxLength(128)), ''),
  redirectURL: v.pipe(word(2_000), v.url()),
  /** Values of a new user besides the address. */
  createData: v.nullish(v.record(v.string(), v.unknown())),
})
type Body = v.InferOutput<typeof body>

const newUser = v.object({
  username: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(150)), ''),
  emailVisibility: v.optional(v.boolean(), false),
})

const meta = v.object({
  id: v.string(),
  name: v.string(),
  username: v.string(),
  email: described(v.string(), "'' unless the provider has verified it"),
  avatarURL: v.string(),
  isNew: v.boolean(),
  accessToken: v.string(),
  refreshToken: v.string(),
  expiry: described(v.string(), "'' when the provider does not report it"),
  rawUser: v.looseObject({}),
})

/** What decides whether a login may create a user: the same rules as those of the record routes. */
export interface UserCreation {
  readonly queries: Pick<RecordQueries, 'test'>
  rulesOf(collection: typeof users): Rules
}

/** `POST …/auth-with-oauth2`: exchanges the code that the provider's window has returned for a login. */
export function oauth2LoginRoute({ queries, rulesOf }: UserCreation, logins: Logins): Route {
  /** @throws AppError `invalid` when the create rule or the values do not allow it. */
  function createUser(tx: Tx, createData: Body['createData'], email: string): User {
    const given = createData ?? {}
    const requestInfo: RequestInfo = {
      method: 'POST',
      context: 'oauth2',
      query: {},
      headers: {},
      body: given,
    }
    const { create: rule } = rulesOf(users)
    const values = v.safeParse(newUser, given)
    const allowed = queries.test(users, { rule, requestInfo }).values(tx, { ...given, email }, requestInfo)
    if (!allowed || !values.success) throw new AppError('invalid', 'Failed to create record')
    return tx.insert(users, { ...values.output, email, verified: email !== '', tokenKey: newSecret() })
  }

  return defineRoute('POST /api/collections/users/auth-with-oauth2', {
    access: 'public',
    summary: 'Log in with the code of an OAuth2 provider; a logged-in user links the account',
    body,
    bodyMedia: FORM_OR_JSON,
    errors: { oauth2_token_failed: 400, oauth2_user_failed: 400, provider_unavailable: 503 },
    response: shape('OAuth2Login', { token: v.string(), record: userResponse, meta }),
    async run({ config, db, clock, log }, { body, caller, ...call }) {
      const provider = config.oauth2Providers.find(({ name }) => name === body.provider)
      if (!provider) throw unknownProvider(config.oauth2Providers.map(({ name }) => name))
      if (provider.pkce && body.codeVerifier === '') {
        throw badField('Cannot be blank.', 'codeVerifier', 'Cannot be blank.', {
          code: 'validation_required',
        })
      }
      const signedIn = caller.kind === 'user' && caller.via === 'login' ? caller.user.id : undefined
      const { user, account, isNew } = await logins.attempt(
        `oauth2 ${provider.name}`,
        clientOf(call),
        async () => {
          const account = await exchange(provider, body, clock).catch((error: unknown) => {
            log.warn('oauth2 login failed', { provider: provider.name, reason: messageOf(error) })
            throw error
          })
          const { id, email } = account.profile
          const signIn = await signInExternally(db, {
            identity: { provider: provider.name, providerId: id, email },
            signedIn,
            create: (tx) => createUser(tx, body.createData, email),
          })
          return { ...signIn, account }
        },
      )
      return { ...(await logins.response('users', user)), meta: metaOf(account, isNew) }
    },
  })
}

function metaOf({ profile, ...rest }: ExternalAccount, isNew: boolean) {
  return { ...profile, isNew, ...rest }
}

function unknownProvider(names: readonly string[]): AppError {
  const available = names.length === 0 ? 'none is configured' : `available are ${names.join(', ')}`
  const message = `Unknown provider; ${available}.`
  return badField(message, 'provider', message, { code: 'validation_in_invalid' })
}
