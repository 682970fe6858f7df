import { COLLECTIONS } from '../../../../src/db/index.ts'
import { all, fresh, PROGRAM, PUBLIC, type Row, type Statuses, SUPERUSER } from './row.ts'

const SUPERUSER_RECORDS: Statuses = [403, 403, 403, 403, 200]
/** Creating a record here submits a job. */
export const JOBS = '/api/collections/quantum_jobs/records'
const HIDDEN = ['_superusers', 'api_tokens', 'cluster_accounts', 'webhooks']

/** The routes of records, for each kind of rule; their contents are tested in records/rules.test.ts. */
export const RECORD_ROWS: readonly Row[] = [
  ...COLLECTIONS.map(({ publicName }) => ({
    route: 'GET /api/collections/:collection/records',
    statuses: HIDDEN.includes(publicName) ? SUPERUSER_RECORDS : PUBLIC,
    call: () => ({ path: `/api/collections/${publicName}/records` }),
  })),
  ...COLLECTIONS.flatMap(({ publicName, rules }) => {
    const path = `/api/collections/${publicName}/records/aaaaaaaaaaaaaaa`
    const statuses = (rule: string | null): Statuses => (rule === null ? [403, 403, 403, 403, 404] : all(404))
    return [
      {
        route: 'GET /api/collections/:collection/records/:id',
        statuses: statuses(rules.view),
        call: () => ({ path }),
      },
      {
        route: 'PATCH /api/collections/:collection/records/:id',
        statuses: statuses(rules.update),
        call: () => ({ path, body: {} }),
      },
      {
        route: 'DELETE /api/collections/:collection/records/:id',
        statuses: statuses(rules.remove),
        call: () => ({ path }),
      },
    ]
  }),
  {
    route: 'GET /api/collections/:collection/records/:id',
    statuses: [404, 200, 404, 200, 200],
    call: ({ owner }) => ({ path: `/api/collections/users/records/${owner.id}` }),
  },
  {
    route: 'POST /api/collections/:collection/records',
    statuses: [400, 400, 400, 400, 200],
    call: () => ({
      path: '/api/collections/users/records',
      body: { email: `${fresh('new')}@example.org`, password: 'some password' },
    }),
  },
  {
    route: 'POST /api/collections/:collection/records',
    statuses: SUPERUSER_RECORDS,
    call: () => ({ path: '/api/collections/notifications/records', body: { title: 'Tea' } }),
  },
  {
    route: 'POST /api/collections/:collection/records',
    statuses: [400, 200, 200, 200, 200],
    call: ({ qpu }) => ({
      path: JOBS,
      body: { qpu_target: qpu.id, payload: { circuits: [{ circuit: PROGRAM }] } },
    }),
  },
  { route: 'GET /api/collections', statuses: SUPERUSER },
  {
    route: 'GET /api/collections/:collection',
    statuses: SUPERUSER,
    call: () => ({ path: '/api/collections/users' }),
  },
  ...[
    'POST /api/collections',
    'PATCH /api/collections/:collection',
    'DELETE /api/collections/:collection',
  ].map((route) => ({ route, statuses: [401, 403, 403, 403, 403] as const })),
  { route: 'POST /api/batch', statuses: all(403) },
]
