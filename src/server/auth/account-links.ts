import { AppError, messageOf } from '../../base/index.ts'
import { type Account, type AccountKind, findAccountByEmail } from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
import { RateLimiter } from '../http/limits/rate-limit.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Accounts } from './accounts.ts'
import { LINK_SECONDS, type LinkPurpose } from './jwt.ts'
import { linkEmail } from './link-email.ts'

interface AccountLinksDependencies {
  context: ServerContext
  accounts: Accounts
  /** Undefined without mail settings. */
  mailer: Mailer | undefined
  /** Address of the server as users reach it. */
  publicUrl: () => string
}

/** Where the page of each kind of link is. */
export const LINK_PATHS: Readonly<Record<LinkPurpose, string>> = {
  verification: '/api/account-links/verification',
  passwordReset: '/api/account-links/password-reset',
  emailChange: '/api/account-links/email-change',
}

/** Two mails of a kind to an account at once, then one each two minutes: nobody's mailbox is to be flooded. */
const MAILS = { perSecond: 1 / 120, burst: 2 }

/** Links by which somebody proves to read the mail of an account. */
export class AccountLinks {
  readonly #dependencies: AccountLinksDependencies
  readonly #limit: RateLimiter

  constructor(parts: AccountLinksDependencies) {
    this.#dependencies = parts
    this.#limit = new RateLimiter(MAILS, parts.context.clock)
  }

  /** A new link; `expiresAt` in ms since the epoch. `newEmail` only for a change of address. */
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
   * Sends a link to the account with this address, if there is one. Returns at once and says nothing: neither
   * the answer nor its time tells who has an account.
   */
  request(kind: AccountKind, purpose: 'verification' | 'passwordReset', email: string): void {
    this.#inBackground(async () => {
      const account = await findAccountByEmail(this.#dependencies.context.db, kind, email)
      if (!account || ('disabled' in account && account.disabled)) return
      if (purpose === 'verification' && account.verified) return
      await this.#send(kind, account, purpose, account.email)
    })
  }

  /** Sends the link to the new address, unless somebody has that already. Returns at once. */
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
      // Not the link itself: logs are read and copied by more people than may enter the account.
      context.log.warn('a link is wanted, but there is no mail server; make it for the user', {
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
    // The answer leaves first, so that its time is the same whatever there is to do.
    setImmediate(() => {
      work().catch((error: unknown) =>
        this.#dependencies.context.log.error('a link was not made', { error: messageOf(error) }),
      )
    })
  }
}
