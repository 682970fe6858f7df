import * as v from 'valibot'
import { changeUserAccount, MAX_QPU_SECONDS, users } from '../../db/store/accounts/index.ts'
import { callerName } from '../http/caller.ts'
import { recordId } from '../http/request/fields.ts'
import { userResponse } from '../http/response/account-responses.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { userActivityRoute } from './activity-route.ts'
import { meRoute } from './me.ts'

const balance = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(MAX_QPU_SECONDS))

/**
 * The own account, and the routes by which superusers change balance and tokens of users; accounts
 * themselves are ordinary records.
 */
export const userRoutes: Route[] = [
  meRoute,
  userActivityRoute,
  defineRoute({
    method: 'PATCH',
    path: '/api/admin/users/:id',
    access: 'superuser',
    summary: "Set a user's balance of QPU time or list of API tokens",
    body: v.object({ qpu_seconds: v.optional(balance), api_tokens: v.optional(v.array(recordId)) }),
    statuses: [200, 404],
    response: userResponse,
    async run({ db }, { body, caller, params }) {
      const row = await changeUserAccount(db, callerName(caller), params['id'] ?? '', {
        qpuSeconds: body.qpu_seconds,
        apiTokens: body.api_tokens,
      })
      return presentRecord(users, row, db.names, { isSuperuser: true })
    },
  }),
]
