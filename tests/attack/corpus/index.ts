import type { Attack } from '../attack.ts'
import { accounts } from './accounts.ts'
import { bookings } from './bookings.ts'
import { codings } from './codings.ts'
import { connections } from './connections.ts'
import { drivers } from './drivers.ts'
import { forms } from './forms.ts'
import { jsonBodies } from './json.ts'
import { lists } from './lists.ts'
import { programs } from './programs.ts'
import { sessions } from './sessions.ts'
import { eventStreams } from './streams.ts'
import { superusers } from './superusers.ts'
import { webhooks } from './webhooks.ts'

/** All attacks, in the order in which they are measured. */
export const ATTACKS: readonly Attack[] = [
  ...forms,
  ...jsonBodies,
  ...codings,
  ...lists,
  ...programs,
  ...eventStreams,
  ...accounts,
  ...connections,
  ...drivers,
  ...webhooks,
  ...bookings,
  ...sessions,
  ...superusers,
]
