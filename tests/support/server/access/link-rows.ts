import { users } from '../../../../src/db/store/accounts/index.ts'
import { saveCalendarFeed } from '../../../../src/db/store/bookings/index.ts'
import { createShare } from '../../../../src/db/store/shares/index.ts'
import { all, fresh, OWNER_OR_SUPERUSER, type Row, SIGNED_IN, type World } from './row.ts'

/** A link of the owner to a report. */
const ownShare = async ({ server, owner }: World) => {
  const share = {
    kind: 'report',
    record: 'any',
    user: owner.id,
    expires_at: '9999',
    hash: fresh('hash'),
  } as const
  const { id } = await server.db.write('share', (tx) =>
    createShare(tx, share, { actor: 'test', personal: {} }),
  )
  return { path: `/api/shares/${id}` }
}

/** A calendar feed of every caller. */
const ownFeeds = async ({ server }: World) => {
  await server.db.write('feeds', (tx) => {
    for (const { id } of tx.list(users, {})) saveCalendarFeed(tx, { user: id, hash: fresh('hash'), qpu: '' })
  })
  return {}
}
/** Routes of secret addresses: the calendar of a user, and links to jobs and reports. */
export const LINK_ROWS: readonly Row[] = [
  { route: 'GET /api/calendar-feed', statuses: SIGNED_IN },
  { route: 'POST /api/calendar-feed', statuses: [401, 201, 201, 201, 201], call: () => ({ body: {} }) },
  { route: 'PATCH /api/calendar-feed', statuses: SIGNED_IN, call: () => ({ body: { qpu: '' } }) },
  { route: 'DELETE /api/calendar-feed', statuses: [401, 200, 200, 200, 200], call: ownFeeds },
  { route: 'GET /api/calendar/:file', statuses: all(404), call: () => ({ path: '/api/calendar/none.ics' }) },
  {
    route: 'POST /api/shares',
    statuses: [401, 201, 404, 201, 201],
    call: async (world) => ({ body: { kind: 'job', record: await world.job() } }),
  },
  {
    route: 'GET /api/shares',
    statuses: SIGNED_IN,
    call: () => ({ path: '/api/shares?kind=job&record=none' }),
  },
  { route: 'DELETE /api/shares/:id', statuses: OWNER_OR_SUPERUSER, call: ownShare },
  { route: 'GET /api/shared/:secret', statuses: all(404), call: () => ({ path: '/api/shared/none' }) },
]
