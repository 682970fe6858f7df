import type { ServerContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import type { AccountLinks } from './account-links.ts'
import type { Accounts } from './accounts.ts'
import { Confirmations } from './confirm.ts'
import { linkPages } from './link-pages.ts'
import { linkRoutes } from './link-routes.ts'
import type { Logins } from './logins.ts'
import { oauth2LoginRoute, type UserCreation } from './oauth2/login.ts'
import { type LoginRelay, oauth2RedirectRoutes } from './oauth2/redirect.ts'
import type { Passwords } from './password.ts'
import { authRoutes } from './routes.ts'

/** The services that login and account routes use. */
export interface AccountDependencies {
  context: ServerContext
  accounts: Accounts
  passwords: Passwords
  logins: Logins
  links: AccountLinks
  loginRelay: LoginRelay
  userCreation: UserCreation
}

/** All routes for logins and accounts. */
export function accountRoutes(dependencies: AccountDependencies): Route[] {
  const { context, accounts, passwords, logins, links, loginRelay, userCreation } = dependencies
  const confirmations = new Confirmations({ context, accounts, passwords, logins })
  return [
    ...authRoutes(context, logins),
    oauth2LoginRoute(userCreation, logins),
    ...oauth2RedirectRoutes(context.clock, loginRelay),
    ...linkRoutes(context, { links, confirmations }),
    ...linkPages(confirmations),
  ]
}
