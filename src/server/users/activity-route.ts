import * as v from 'valibot'
import { listUserActivity } from '../../db/store/accounts/index.ts'
import { defineRoute, type Route } from '../http/route.ts'

const MAX_USERS = 100

/** What a superuser sees of users besides their records. */
export const userActivityRoute: Route = defineRoute({
  method: 'GET',
  path: '/api/op/user-activity',
  access: 'superuser',
  summary: 'Retrieve when users last logged in, and their QPU time in the last 30 days',
  query: v.object({
    users: v.pipe(
      v.string(),
      v.transform((text) => text.split(',').filter((id) => id !== '')),
      v.maxLength(MAX_USERS),
      v.description(`Ids of users, at most ${MAX_USERS}, separated by commas`),
    ),
  }),
  response: v.object({
    items: v.array(
      v.object({
        user: v.string(),
        last_login: v.pipe(v.string(), v.description("UTC; '' = none is known")),
        last_seen: v.pipe(v.string(), v.description("UTC; '' = never; may be some hours old")),
        qpu_seconds: v.pipe(v.number(), v.description('QPU time of the last 30 days')),
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
