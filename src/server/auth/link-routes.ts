import * as v from 'valibot'
import { AppError, toTimestamp } from '../../base/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { type AccountKind, findAccount } from '../../db/store/accounts/index.ts'
import type { ServerContext } from '../context.ts'
import { callerName } from '../http/caller.ts'
import { FORM_OR_JSON } from '../http/media.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { clientOf } from './access-audit.ts'
import type { AccountLinks } from './account-links.ts'
import { assertPasswordsAllowed, type Confirmations } from './confirm.ts'
import { assertMayChangeSuperusers, expectLogin } from './logins.ts'

/** An e-mail address in a request. */
export const emailAddress = v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email(), v.maxLength(254))
const token = v.pipe(v.string(), v.nonEmpty(), v.maxLength(4_096))
const password = v.pipe(v.string(), v.nonEmpty(), v.maxLength(255))

interface LinkRouteDependencies {
  links: AccountLinks
  confirmations: Confirmations
}

/** Public names of the collections of accounts. */
export const ACCOUNT_KINDS: readonly { kind: AccountKind; collection: string; who: string }[] = [
  { kind: 'users', collection: 'users', who: 'user' },
  { kind: 'superusers', collection: '_superusers', who: 'superuser' },
]

const NO_CONTENT = new Reply(204)

/**
 * Routes that send and apply links, in the record-store form, and the route that returns a link to a
 * superuser.
 */
export function linkRoutes(context: ServerContext, dependencies: LinkRouteDependencies): Route[] {
  return [
    ...ACCOUNT_KINDS.flatMap((each) => routesOf(context, dependencies, each)),
    createLinkRoute(dependencies.links),
  ]
}

function routesOf(
  context: ServerContext,
  { links, confirmations }: LinkRouteDependencies,
  { kind, collection, who }: (typeof ACCOUNT_KINDS)[number],
): Route[] {
  const path = `POST /api/collections/${collection}` as const
  const post = { access: 'public', bodyMedia: FORM_OR_JSON, statuses: [204] } as const
  return [
    defineRoute(`${path}/request-password-reset`, {
      ...post,
      summary: `Send a password reset link, if a ${who} has the address`,
      body: v.object({ email: emailAddress }),
      async run(_, { body }) {
        if (kind === 'users') assertPasswordsAllowed(context)
        links.request(kind, 'passwordReset', body.email)
        return NO_CONTENT
      },
    }),
    defineRoute(`${path}/confirm-password-reset`, {
      ...post,
      summary: `Set a new password for a ${who} with the token of a mailed link`,
      body: v.object({ token, password: v.string(), passwordConfirm: v.string() }),
      async run(_, { body }) {
        await confirmations.passwordReset({ ...body, kind })
        return NO_CONTENT
      },
    }),
    defineRoute(`${path}/request-verification`, {
      ...post,
      summary: `Send a verification link, if a ${who} has the address and it is not verified`,
      body: v.object({ email: emailAddress }),
      async run(_, { body }) {
        links.request(kind, 'verification', body.email)
        return NO_CONTENT
      },
    }),
    defineRoute(`${path}/confirm-verification`, {
      ...post,
      summary: `Verify the address of a ${who} with the token of a mailed link`,
      body: v.object({ token }),
      async run(_, { body }) {
        await confirmations.verification({ ...body, kind })
        return NO_CONTENT
      },
    }),
    defineRoute(`${path}/request-email-change`, {
      ...post,
      access: 'signed_in',
      summary: `Send a link that changes the address of the current ${who} to the new address`,
      body: v.object({ newEmail: emailAddress }),
      async run(_, { body, caller }) {
        links.requestEmailChange(kind, expectLogin(caller, kind), body.newEmail)
        return NO_CONTENT
      },
    }),
    defineRoute(`${path}/confirm-email-change`, {
      ...post,
      summary: `Change the address of a ${who} with the token of a mailed link and the password`,
      body: v.object({ token, password }),
      async run(_, { body, ...call }) {
        await confirmations.emailChange({ ...body, kind }, clientOf(call))
        return NO_CONTENT
      },
    }),
  ]
}

const PURPOSES = { verification: 'verification', password_reset: 'passwordReset' } as const

/** For servers without mail, and for mails that do not arrive: a superuser passes the link on. */
function createLinkRoute(links: AccountLinks): Route {
  return defineRoute('POST /api/op/account-links', {
    access: 'superuser',
    summary: 'Create a link that resets the password or verifies the address, to be passed on to its user',
    body: v.object({
      collection: v.optional(v.picklist(['users', '_superusers']), 'users'),
      id: v.string(),
      purpose: v.picklist(['password_reset', 'verification']),
    }),
    statuses: [200, 404],
    errors: { impersonated: 403 },
    response: v.object({ link: v.string(), expires_at: v.string() }),
    async run({ db }, { body, caller }) {
      const kind = body.collection === 'users' ? 'users' : 'superusers'
      if (kind === 'superusers') assertMayChangeSuperusers(caller)
      const account = await findAccount(db, kind, body.id)
      if (!account || ('unlimited' in account && account.unlimited)) {
        throw new AppError('not_found', `Account ${body.id} does not exist in ${body.collection}`)
      }
      const { link, expiresAt } = await links.create(kind, account, PURPOSES[body.purpose])
      await db.write('audit account link', (tx) =>
        appendAudit(tx, {
          actor: callerName(caller),
          action: `account.link.${body.purpose}`,
          subject: account.id,
          detail: { collection: body.collection },
        }),
      )
      return { link, expires_at: toTimestamp(expiresAt) }
    },
  })
}
