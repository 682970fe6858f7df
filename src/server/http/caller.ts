import type { ApiToken, RecordOf, superusers, users } from '../../db/index.ts'

export type User = RecordOf<typeof users>
export type Superuser = RecordOf<typeof superusers>

/** Who makes a request. A request with expired or unknown credentials is treated as a guest. */
export type Caller =
  | { kind: 'guest' }
  | { kind: 'user'; user: User; via: 'login'; refreshable: boolean }
  | { kind: 'user'; user: User; via: 'api_token'; refreshable: false; token: ApiToken }
  | { kind: 'superuser'; superuser: Superuser; refreshable: boolean }

/** Identifies the caller in logs, limits and the audit: `user:<id>`, `superuser:<id>` or `guest`. */
export function callerName(caller: Caller): string {
  if (caller.kind === 'user') return `user:${caller.user.id}`
  if (caller.kind === 'superuser') return `superuser:${caller.superuser.id}`
  return 'guest'
}
