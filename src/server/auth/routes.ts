import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import {
  type AccountKind,
  findSuperuserByEmail,
  findUserByIdentity,
  superusers,
  users,
} from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
import { authMethodsAnswer, loginAnswer, superuserAnswer, userAnswer } from '../http/account-answers.ts'
import type { Caller, Superuser, User } from '../http/caller.ts'
import { presentRecord } from '../http/present.ts'
import { LoginThrottle } from '../http/rate-limit.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Accounts } from './accounts.ts'
import type { Passwords } from './password.ts'

const credentials = v.object({
  identity: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
  password: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
  identityField: v.optional(v.string()),
})
type Credentials = v.InferOutput<typeof credentials>

interface AuthParts {
  accounts: Accounts
  passwords: Passwords
}

/** Login routes of users and superusers, in the record-store form. */
export function authRoutes(context: ServerContext, { accounts, passwords }: AuthParts): Route[] {
  const throttle = new LoginThrottle(context.config.loginRate, context.clock)

  /** One way in for both kinds of account: throttled, with equal text and time for every refusal. */
  async function login<Account extends User | Superuser>(
    kind: AccountKind,
    { identity, password }: Credentials,
    address: string,
    find: (identity: string) => Promise<Account | undefined>,
  ): Promise<Account> {
    const account = await throttle.run(`${kind} ${identity.trim().toLowerCase()} ${address}`, async () => {
      const found = await find(identity)
      const matches = await passwords.verify(password, found?.password)
      const isDisabled = found !== undefined && 'disabled' in found && found.disabled
      return matches && !isDisabled ? found : undefined
    })
    if (!account) throw new AppError('invalid', 'Failed to authenticate')
    return account
  }

  const userLogin = async (account: User) => ({
    token: await accounts.issue('users', account),
    record: presentRecord(users, account, context.db.names, { isSuperuser: false, isSelf: true }),
  })
  const superuserLogin = async (account: Superuser) => ({
    token: await accounts.issue('superusers', account),
    record: presentRecord(superusers, account, context.db.names, { isSuperuser: true }),
  })

  return [
    defineRoute({
      method: 'GET',
      path: '/api/collections/users/auth-methods',
      access: 'public',
      summary: 'How users can log in',
      answer: authMethodsAnswer,
      run: async ({ config }) => authMethods(!config.disableEmailPasswordAuth),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/collections/_superusers/auth-methods',
      access: 'public',
      summary: 'How superusers can log in',
      answer: authMethodsAnswer,
      run: async () => authMethods(true),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/collections/users/auth-with-password',
      access: 'public',
      summary: 'Log in as a user with e-mail (or user name) and password',
      body: credentials,
      statuses: [200, 400, 403, 429],
      answer: loginAnswer(userAnswer),
      async run({ config, db }, { body, address }) {
        if (config.disableEmailPasswordAuth) {
          throw new AppError('forbidden', 'Password login is switched off; use one of the OAuth2 providers')
        }
        return userLogin(await login('users', body, address, (identity) => findUserByIdentity(db, identity)))
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/collections/_superusers/auth-with-password',
      access: 'public',
      summary: 'Log in as a superuser with e-mail and password',
      body: credentials,
      statuses: [200, 400, 429],
      answer: loginAnswer(superuserAnswer),
      async run({ db }, { body, address }) {
        return superuserLogin(
          await login('superusers', body, address, (identity) => findSuperuserByEmail(db, identity)),
        )
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/collections/users/auth-refresh',
      access: 'signed_in',
      summary: 'A new login token for the current user',
      statuses: [200, 401, 403],
      answer: loginAnswer(userAnswer),
      async run(_, { caller }) {
        return userLogin(expectLogin(caller, 'user').user)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/collections/_superusers/auth-refresh',
      access: 'signed_in',
      summary: 'A new login token for the current superuser',
      statuses: [200, 401, 403],
      answer: loginAnswer(superuserAnswer),
      async run(_, { caller }) {
        return superuserLogin(expectLogin(caller, 'superuser').superuser)
      },
    }),
  ]
}

/** Only a login of that collection can be refreshed: an API token must not turn into one. */
function expectLogin<Kind extends 'user' | 'superuser'>(
  caller: Caller,
  kind: Kind,
): Extract<Caller, { kind: Kind }> {
  const isLogin = caller.kind !== 'user' || caller.via === 'login'
  if (caller.kind !== kind || !isLogin) {
    throw new AppError('forbidden', 'The authorized record is not allowed to perform this action')
  }
  return caller as Extract<Caller, { kind: Kind }>
}

function authMethods(password: boolean) {
  return {
    password: { enabled: password, identityFields: ['email', 'username'] },
    oauth2: { enabled: false, providers: [] },
    mfa: { enabled: false, duration: 0 },
    otp: { enabled: false, duration: 0 },
  }
}
