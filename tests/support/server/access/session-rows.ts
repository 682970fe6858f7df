import { sessions } from '../../../../src/db/store/sessions/index.ts'
import { OWNER_OR_SUPERUSER, type Row, SIGNED_IN, type World } from './row.ts'

/** A session of the owner that has ended. */
const ownSession = async ({ server, owner, qpu }: World) => {
  const row = {
    user: owner.id,
    qpu: qpu.id,
    seconds: 60,
    idle_seconds: 5,
    state: 'closed',
    end: 'ended',
  } as const
  const { id } = await server.db.write('session', (tx) => tx.insert(sessions, row))
  return { path: `/api/sessions/${id}` }
}

/** An open one, which the same user has once. */
const openSession = async (world: World) => {
  const { server, owner } = world
  await server.db.write('close sessions', (tx) =>
    tx.run(`UPDATE sessions SET state = 'closed' WHERE "user" = $user`, { user: owner.id }),
  )
  const { path } = await ownSession(world)
  await server.db.write('open session', (tx) =>
    tx.update(sessions, path.slice(path.lastIndexOf('/') + 1), { state: 'queued', end: '' }),
  )
  return { path, body: { seconds: 30 } }
}

/** Who opens, sees, extends and ends sessions. */
export const SESSION_ROWS: readonly Row[] = [
  {
    route: 'POST /api/sessions',
    statuses: [401, 201, 201, 200, 201],
    call: ({ qpu }) => ({ body: { qpu_target: qpu.name, seconds: 60, holder: { id: 'same' } } }),
  },
  { route: 'GET /api/sessions', statuses: SIGNED_IN },
  { route: 'GET /api/sessions/:id', statuses: OWNER_OR_SUPERUSER, call: ownSession },
  { route: 'PATCH /api/sessions/:id', statuses: OWNER_OR_SUPERUSER, call: openSession },
  { route: 'DELETE /api/sessions/:id', statuses: OWNER_OR_SUPERUSER, call: ownSession },
]
