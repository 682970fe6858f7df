import type { Api } from '../../api/api.ts'
import { type UserActivity, userActivity } from '../../api/model/users.ts'

/** When users were last seen and what they used recently, by id; up to 100 users. */
export async function readActivity(
  api: Api,
  users: readonly string[],
  abort: AbortSignal,
): Promise<ReadonlyMap<string, UserActivity>> {
  if (users.length === 0) return new Map()
  const ids = [...new Set(users)].join(',')
  const { items } = await api.get(`/api/op/user-activity?users=${ids}`, userActivity, abort)
  return new Map(items.map((each) => [each.user, each]))
}
