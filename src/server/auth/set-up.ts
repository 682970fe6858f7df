import * as v from 'valibot'
import { AppError, type Clock, MINUTE_MS, newSecret } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { listSuperusers, type Superuser, saveSuperuser } from '../../db/store/accounts/index.ts'
import { hashToken } from '../access-token.ts'
import { emailAddress } from '../http/request/fields.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { checkPassword, type Passwords } from './password.ts'

const VALID_MS = 30 * MINUTE_MS

/**
 * The set-up of a new installation: the one-time token that the server prints creates the first superuser.
 */
export class SetUp {
  readonly #db: Database
  readonly #clock: Clock
  readonly #passwords: Passwords
  /**
   * SHA-256 of the token, so that the time of the comparison does not depend on the number of correct
   * characters.
   */
  #tokenHash: string | undefined
  #until = 0

  constructor(dependencies: { db: Database; clock: Clock; passwords: Passwords }) {
    this.#db = dependencies.db
    this.#clock = dependencies.clock
    this.#passwords = dependencies.passwords
  }

  /** Lines to print at the start: how to create the first superuser; empty when there is one. */
  async notice(url: string): Promise<string[]> {
    if ((await listSuperusers(this.#db)).length > 0) return []
    const token = newSecret()
    this.#tokenHash = hashToken(token)
    this.#until = this.#clock.monotonic() + VALID_MS
    return [
      '',
      'There is no superuser yet. Create the first one within 30 minutes at',
      // Browsers do not send what follows the #, so the token is in no log of a proxy.
      `  ${url}/_/setup#${token}`,
      'or with',
      `  curl -X POST ${url}/api/op/setup -H 'Content-Type: application/json' \\`,
      `    -d '{"token": "${token}", "email": "you@example.org", "password": "..."}'`,
      'or stop the server and run: svc superuser upsert EMAIL PASSWORD',
    ]
  }

  routes(): Route[] {
    return [
      defineRoute('POST /api/op/setup', {
        access: 'public',
        summary:
          'Create the first superuser with the one-time token that the server prints at its first start',
        body: v.object({
          token: v.pipe(v.string(), v.maxLength(100)),
          email: emailAddress,
          password: v.string(),
        }),
        statuses: [201],
        response: v.object({ id: v.string(), email: v.string() }),
        run: async (_, { body }) => {
          const { id, email } = await this.#create(body)
          return new Reply(201, { id, email })
        },
      }),
    ]
  }

  async #create(body: { token: string; email: string; password: string }): Promise<Superuser> {
    checkPassword(body.password)
    // Invalidated before the first await, so that two requests cannot both use it.
    const isValid = hashToken(body.token) === this.#tokenHash && this.#clock.monotonic() < this.#until
    if (!isValid) {
      throw new AppError(
        'forbidden',
        'The set-up token is invalid, used or expired; stop the server and run svc superuser upsert',
      )
    }
    this.#tokenHash = undefined
    const passwordHash = await this.#passwords.hash(body.password)
    return saveSuperuser(this.#db, { email: body.email, passwordHash, mode: 'create', actor: 'set-up' })
  }
}
