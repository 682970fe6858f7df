import * as v from 'valibot'
import { changeUserAccount, listUserActivity, MAX_QPU_SECONDS, users } from '../../db/store/accounts/index.ts'
import { callerName } from '../http/caller.ts'
import { recordId } from '../http/request/fields.ts'
import { userResponse } from '../http/response/account-responses.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { meRoute } from './me.ts'

const MAX_USERS = 100

/** What a superuser sees of users besides their records. */
const userActivityRoute: Route = defineRoute('GET /api/op/user-activity', {
  access: 'superuser',
  summary: 'Retrieve when users last logged in, and their QPU time in the last 30 days',
  query: v.object({
    users: described(
      v.pipe(
        v.string(),
        v.transform((text) => text.split(',').filter((id) => id !== '')),
        v.maxLength(MAX_USERS),
      ),
      `Ids of users, at most ${MAX_USERS}, separated by commas`,
    ),
  }),
  response: v.object({
    items: v.array(
      v.object({
        user: v.string(),
        last_login: described(v.string(), "UTC; '' = none is known"),
        last_seen: described(v.string(), "UTC; '' = never; may be some hours old"),
        qpu_seconds: described(v.number(), 'QPU time of the last 30 days'),
      }),
    ),
  }),
  async run({ db }, { query }) {
    const activity = await db.read((tx) => listUserActivity(tx, query.users))
    const items = activity.map(({ user, lastLogin, lastSeen, recentMs }) => ({
      user,
      last_login: lastLogin,
      last_seen: lastSeen,
      qpu_seconds: recentMs / 1_000,
    }))
    return { items }
  },
})

const balance = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(MAX_QPU_SECONDS))

/**
 * The own account, and the routes by which superusers change balance and tokens of users; accounts
 * themselves are ordinary records.
 */
export const userRoutes: Route[] = [
  meRoute,
  userActivityRoute,
  defineRoute('PATCH /api/admin/users/:id', {
    access: 'superuser',
    summary: "Set a user's balance of QPU time or list of API tokens",
    body: v.object({ qpu_seconds: v.optional(balance), api_tokens: v.optional(v.array(recordId)) }),
    response: userResponse,
    async run({ db }, { body, caller, params }) {
      const row = await changeUserAccount(db, callerName(caller), params.id, {
        qpuSeconds: body.qpu_seconds,
        apiTokens: body.api_tokens,
      })
      return presentRecord(users, row, db.names, { isSuperuser: true })
    },
  }),
]
