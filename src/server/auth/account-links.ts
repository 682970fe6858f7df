import { AppError, messageOf } from '../../base/index.ts'
import { type Account, type AccountKind, findAccountByEmail } from '../../db/store/accounts/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { ServerContext } from '../context.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import type { Accounts } from './accounts.ts'
import { LINK_SECONDS, type LinkPurpose } from './jwt.ts'

interface AccountLinksDependencies {
  context: ServerContext
  accounts: Accounts
  /** Undefined when no mail server is configured. */
  mailer: Mailer | undefined
  /** Base URL under which users reach the server. */
  publicUrl: () => string
}

/** Path of the page that each kind of link opens. */
export const LINK_PATHS: Readonly<Record<LinkPurpose, `/${string}`>> = {
  verification: '/api/account-links/verification',
  passwordReset: '/api/account-links/password-reset',
  emailChange: '/api/account-links/email-change',
}

/** Links that prove access to the mailbox of an account. */
export class AccountLinks {
  readonly #dependencies: AccountLinksDependencies
  readonly #limit: RateLimiter

  constructor(dependencies: AccountLinksDependencies) {
    this.#dependencies = dependencies
    this.#limit = new RateLimiter(RATES.mailedLinks, dependencies.context.clock)
  }

  /** Creates a link; `expiresAt` is in ms since the epoch, `newEmail` is for a change of address only. */
  async create(
    kind: AccountKind,
    account: Account,
    purpose: LinkPurpose,
    newEmail?: string,
  ): Promise<{ link: string; expiresAt: number }> {
    const { accounts, publicUrl, context } = this.#dependencies
    const token = await accounts.issueLink(kind, account, purpose, newEmail)
    const expiresAt = context.clock.now() + LINK_SECONDS[purpose] * 1_000
    return { link: `${publicUrl()}${LINK_PATHS[purpose]}?token=${token}`, expiresAt }
  }

  /**
   * Sends a link to the account with this address, if there is one. Returns immediately and without a result:
   * neither the response nor its time reveals whether the account exists.
   */
  request(kind: AccountKind, purpose: 'verification' | 'passwordReset', email: string): void {
    this.#inBackground(async () => {
      const account = await findAccountByEmail(this.#dependencies.context.db, kind, email)
      if (!account || ('disabled' in account && account.disabled)) return
      if (purpose === 'verification' && account.verified) return
      await this.#send(kind, account, purpose, account.email)
    })
  }

  /** Sends the link to the new address, unless another account has this address. Returns immediately. */
  requestEmailChange(kind: AccountKind, account: Account, newEmail: string): void {
    this.#inBackground(async () => {
      if (await findAccountByEmail(this.#dependencies.context.db, kind, newEmail)) return
      await this.#send(kind, account, 'emailChange', newEmail)
    })
  }

  async #send(kind: AccountKind, account: Account, purpose: LinkPurpose, to: string): Promise<void> {
    const { context, mailer, publicUrl } = this.#dependencies
    if (!this.#mayMail(`${kind} ${account.id} ${purpose}`)) return
    if (!mailer) {
      // The link itself is not logged: more people can read the log than may access the account.
      context.log.warn('link not sent: no mail server is configured; create the link for the user', {
        route: 'POST /api/op/account-links',
        purpose,
        collection: kind === 'users' ? 'users' : '_superusers',
        id: account.id,
      })
      return
    }
    const newEmail = purpose === 'emailChange' ? to : undefined
    const { link } = await this.create(kind, account, purpose, newEmail)
    mailer.send(linkEmail(purpose, { to, account: account.email, server: publicUrl(), link }))
  }

  #mayMail(key: string): boolean {
    try {
      this.#limit.take(key)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  #inBackground(work: () => Promise<void>): void {
    // The response is sent first, so that its time does not depend on this work.
    setImmediate(() => {
      work().catch((error: unknown) =>
        this.#dependencies.context.log.error('link not sent', { error: messageOf(error) }),
      )
    })
  }
}

interface LinkEmail {
  to: string
  /** E-mail address of the account. */
  account: string
  /** Base URL of the server. */
  server: string
  link: string
}

const TEXTS: Record<LinkPurpose, { subject: string; reason: string; instruction: string }> = {
  verification: {
    subject: 'Confirm your e-mail address',
    reason: 'This address was entered for an account',
    instruction: 'If it is your address, confirm it by opening',
  },
  passwordReset: {
    subject: 'Choose a new password',
    reason: 'A new password was requested for the account',
    instruction: 'To choose a new password, open',
  },
  emailChange: {
    subject: 'Confirm your new e-mail address',
    reason: 'A change to this e-mail address was requested for the account',
    instruction: 'To confirm the change with your password, open',
  },
}

/** Composes the e-mail that contains a link. */
function linkEmail(purpose: LinkPurpose, { to, account, server, link }: LinkEmail): Mail {
  const { subject, reason, instruction } = TEXTS[purpose]
  const minutes = LINK_SECONDS[purpose] / 60
  const within = minutes > 120 ? `${minutes / 60} hours` : `${minutes} minutes`
  const occasion = purpose === 'verification' ? reason : `${reason} ${account}`
  return {
    to,
    subject,
    text: `${occasion} at ${server}.

${instruction}

${link}

within ${within}. If you did not request this, ignore this e-mail: nothing will change.
`,
  }
}
