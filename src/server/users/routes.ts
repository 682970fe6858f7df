import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import { changeUserAccount, createUser, findUser, users } from '../../db/index.ts'
import { checkPassword, type Passwords } from '../auth/password.ts'
import { userAnswer } from '../http/account-answers.ts'
import { callerName } from '../http/caller.ts'
import { emailAddress, recordId } from '../http/fields.ts'
import { presentRecord } from '../http/present.ts'
import { defineRoute, type Route } from '../http/route.ts'

const MAX_SECONDS = 1e12
const balance = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(MAX_SECONDS))

const newUser = v.object({
  id: v.optional(recordId),
  email: emailAddress,
  password: v.string(),
  passwordConfirm: v.optional(v.string()),
  username: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(150)), ''),
  emailVisibility: v.optional(v.boolean(), false),
  verified: v.optional(v.boolean(), true),
  qpu_seconds: v.optional(balance, 0),
})

/** User accounts as superusers handle them. */
export function userRoutes(passwords: Passwords): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/collections/users/records',
      access: 'superuser',
      summary: 'Create a user',
      body: newUser,
      statuses: [200, 400, 401, 403],
      answer: userAnswer,
      async run({ db }, { body }) {
        checkPassword(body.password)
        if (body.passwordConfirm !== undefined && body.passwordConfirm !== body.password) {
          const refusal = { code: 'validation_values_mismatch', message: "Values don't match." }
          throw new AppError('invalid', 'Failed to create record', { fields: { passwordConfirm: refusal } })
        }
        const row = await createUser(db, {
          id: body.id,
          email: body.email,
          username: body.username,
          passwordHash: await passwords.hash(body.password),
          verified: body.verified,
          emailVisibility: body.emailVisibility,
          qpuSeconds: body.qpu_seconds,
        })
        return presentRecord(users, row, db.names, { isSuperuser: true })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/collections/users/records/:id',
      access: 'signed_in',
      summary: 'Retrieve a user: the own account, or any for superusers',
      statuses: [200, 401, 404],
      answer: userAnswer,
      async run({ db }, { caller, params }) {
        const isSuperuser = caller.kind === 'superuser'
        const isSelf = caller.kind === 'user' && caller.user.id === params['id']
        const row = isSuperuser || isSelf ? await findUser(db, params['id'] ?? '') : undefined
        if (!row) throw new AppError('not_found', "The requested resource wasn't found")
        return presentRecord(users, row, db.names, { isSuperuser, isSelf })
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/admin/users/:id',
      access: 'superuser',
      summary: "Set a user's balance of QPU time or the list of API tokens",
      body: v.object({ qpu_seconds: v.optional(balance), api_tokens: v.optional(v.array(recordId)) }),
      statuses: [200, 400, 401, 403, 404],
      answer: userAnswer,
      async run({ db }, { body, caller, params }) {
        const row = await changeUserAccount(db, callerName(caller), params['id'] ?? '', {
          qpuSeconds: body.qpu_seconds,
          apiTokens: body.api_tokens,
        })
        return presentRecord(users, row, db.names, { isSuperuser: true })
      },
    }),
  ]
}
