import { COLLECTIONS, notifications, type TokenScope } from '../../../src/db/index.ts'
import type { TestAccount, TestClient, TestQpu, TestServer } from './server.ts'

/** The callers. The records in the paths belong to `owner`; `program` is the owner's API token. */
export const ROLES = ['guest', 'owner', 'other', 'program', 'superuser'] as const

/** The server that the table is tested on. */
export interface World {
  server: TestServer
  owner: TestAccount
  qpu: TestQpu
  /** Id of a calibrate driver. */
  tuner: string
  clients: Record<(typeof ROLES)[number], TestClient>
  /** API tokens of the owner, by scope. */
  scoped: Record<TokenScope, TestClient>
  /** A pending job of the owner. */
  job(): Promise<string>
  /** An API token of the owner. */
  token(): Promise<string>
}

type Statuses = readonly [guest: number, owner: number, other: number, program: number, superuser: number]
/** The expected statuses of one route. */
export interface Row {
  route: string
  statuses: Statuses
  /** Path and body of a valid request, created for each role. */
  call?(world: World): { path?: string; body?: object } | Promise<{ path?: string; body?: object }>
}

const PUBLIC: Statuses = [200, 200, 200, 200, 200]
const SUPERUSER: Statuses = [401, 403, 403, 403, 200]
const SUPERUSER_CREATES: Statuses = [401, 403, 403, 403, 201]
const SIGNED_IN: Statuses = [401, 200, 200, 200, 200]
/** Only the owner; a superuser acts as its proxy user here. */
const OWNER: Statuses = [401, 200, 404, 200, 404]
const OWNER_OR_SUPERUSER: Statuses = [401, 200, 404, 200, 200]
/** The routes that need less than the scope `all`, besides GET routes, which need `read`. */
const SCOPES: Readonly<Record<string, TokenScope>> = {
  'POST /api/jobs': 'submit',
  'POST /api/jobs/:id/cancel': 'submit',
  // For jobs only; the rows of other collections expect 403.
  'POST /api/collections/:collection/records': 'submit',
  'POST /api/realtime': 'read',
}
export const scopeOf = (route: string): TokenScope =>
  SCOPES[route] ?? (route.startsWith('GET ') ? 'read' : 'all')

const all = (status: number): Statuses => [status, status, status, status, status]

const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'
let names = 0
/** A name that no other record has. */
export const fresh = (prefix: string) => {
  names += 1
  return `${prefix}_${names}`
}
const wrongPassword = () => ({ body: { identity: fresh('nobody'), password: 'wrong password' } })
const ownToken = async (world: World) => ({ path: `/api/tokens/${await world.token()}` })
const ownJob = async (world: World) => `/api/jobs/${await world.job()}`

const SUPERUSER_RECORDS: Statuses = [403, 403, 403, 403, 200]
/** Creating a record here submits a job. */
export const JOBS = '/api/collections/quantum_jobs/records'
const HIDDEN = ['_superusers', 'api_tokens']

/** The routes of records, for each kind of rule; their contents are tested in records/rules.test.ts. */
const recordRows: readonly Row[] = [
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

const BAD_TOKEN = { token: 'none', password: 'some password', passwordConfirm: 'some password' }

/** Routes of both kinds of account. Anybody can request links, which are valid only with their token. */
function accountRows(collection: 'users' | '_superusers'): Row[] {
  const route = (name: string) => `POST /api/collections/${collection}/${name}`
  const mine: Statuses = collection === 'users' ? [401, 204, 204, 403, 403] : [401, 403, 403, 403, 204]
  const body = (value: object) => () => ({ body: value })
  return [
    { route: `GET /api/collections/${collection}/auth-methods`, statuses: PUBLIC },
    { route: route('auth-with-password'), statuses: all(400), call: wrongPassword },
    {
      route: route('request-password-reset'),
      statuses: all(204),
      call: body({ email: 'nobody@example.org' }),
    },
    { route: route('request-otp'), statuses: all(403) },
    { route: route('auth-with-otp'), statuses: all(403) },
    { route: route('confirm-password-reset'), statuses: all(400), call: body(BAD_TOKEN) },
    { route: route('request-verification'), statuses: all(204), call: body({ email: 'nobody@example.org' }) },
    { route: route('confirm-verification'), statuses: all(400), call: body(BAD_TOKEN) },
    { route: route('request-email-change'), statuses: mine, call: body({ newEmail: 'nobody@example.org' }) },
    { route: route('confirm-email-change'), statuses: all(400), call: body(BAD_TOKEN) },
    {
      route: route('impersonate/:id'),
      statuses: SUPERUSER,
      call: ({ owner, server }) => ({
        path: `/api/collections/${collection}/impersonate/${collection === 'users' ? owner.id : server.superuser.id}`,
      }),
    },
  ]
}

/** The statuses of every route by caller. */
export const TABLE: readonly Row[] = [
  ...accountRows('users'),
  ...accountRows('_superusers'),
  {
    route: 'POST /api/collections/users/auth-with-oauth2',
    statuses: all(400),
    call: () => ({ body: { provider: 'none', code: 'x', redirectURL: 'http://127.0.0.1/' } }),
  },
  { route: 'GET /api/oauth2-redirect', statuses: all(307) },
  { route: 'POST /api/oauth2-redirect', statuses: all(303) },
  { route: 'GET /api/oauth2-redirect/done', statuses: PUBLIC },
  { route: 'GET /api/oauth2-redirect/failed', statuses: PUBLIC },
  {
    route: 'POST /api/op/account-links',
    statuses: SUPERUSER,
    call: ({ owner }) => ({ body: { id: owner.id, purpose: 'password_reset' } }),
  },
  ...['verification', 'password-reset', 'email-change'].flatMap((name) => [
    { route: `GET /api/account-links/${name}`, statuses: PUBLIC },
    { route: `POST /api/account-links/${name}`, statuses: all(400) },
  ]),
  { route: 'GET /api/health', statuses: PUBLIC },
  { route: 'GET /api/ui/config', statuses: PUBLIC },
  { route: 'GET /api/openapi.json', statuses: PUBLIC },
  { route: 'GET /api/pub/root-ca.pem', statuses: PUBLIC },
  // From this machine; through a proxy the route is for superusers, see the test of the metrics.
  { route: 'GET /metrics', statuses: PUBLIC },
  { route: 'GET /api/op/version', statuses: SUPERUSER },
  {
    route: 'POST /api/op/setup',
    statuses: all(403),
    call: () => ({ body: { token: 'x', email: 'a@b.cd', password: 'long enough' } }),
  },
  { route: 'POST /api/collections/users/auth-refresh', statuses: [401, 200, 200, 403, 403] },
  { route: 'POST /api/collections/_superusers/auth-refresh', statuses: SUPERUSER },
  ...recordRows,
  {
    route: 'PATCH /api/admin/users/:id',
    statuses: SUPERUSER,
    call: ({ owner }) => ({ path: `/api/admin/users/${owner.id}`, body: { qpu_seconds: 1_000 } }),
  },
  { route: 'POST /api/tokens', statuses: [401, 201, 201, 201, 201], call: () => ({ body: { name: 'lab' } }) },
  { route: 'GET /api/tokens', statuses: SIGNED_IN },
  { route: 'GET /api/tokens/:id', statuses: OWNER, call: ownToken },
  {
    route: 'PATCH /api/tokens/:id',
    statuses: OWNER,
    call: async (world) => ({ ...(await ownToken(world)), body: { name: 'changed' } }),
  },
  { route: 'DELETE /api/tokens/:id', statuses: OWNER, call: ownToken },
  { route: 'GET /api/qpus', statuses: PUBLIC },
  {
    route: 'GET /api/qpus/:name',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ path: `/api/qpus/${qpu.name}` }),
  },
  { route: 'GET /api/op/qpus/availability', statuses: PUBLIC },
  {
    route: 'POST /api/op/qpus/create',
    statuses: SUPERUSER_CREATES,
    call: () => ({ body: { name: fresh('qpu') } }),
  },
  {
    route: 'POST /api/op/qpu/toggle',
    statuses: SUPERUSER,
    call: ({ qpu }) => ({ body: { name: qpu.name, enabled: true } }),
  },
  {
    route: 'POST /api/op/qpu/maintenance',
    statuses: SUPERUSER,
    call: ({ qpu }) => ({ body: { id: qpu.id, maintenance: false } }),
  },
  {
    route: 'POST /api/op/qpu/drain',
    statuses: SUPERUSER,
    call: ({ qpu }) => ({ body: { name: qpu.name, drain: false } }),
  },
  ...['hold', 'run-next'].map((act) => ({
    route: `POST /api/op/jobs/:id/${act}`,
    statuses: SUPERUSER,
    call: async (world: World) => ({ path: `/api/op/jobs/${await world.job()}/${act}` }),
  })),
  // A pending job is neither held nor running.
  ...['release', 'requeue'].map((act) => ({
    route: `POST /api/op/jobs/:id/${act}`,
    statuses: [401, 403, 403, 403, 409] as const,
    call: async (world: World) => ({ path: `/api/op/jobs/${await world.job()}/${act}` }),
  })),
  {
    route: 'POST /api/op/calibrate/dispatch',
    statuses: SUPERUSER_CREATES,
    call: ({ tuner }) => ({ body: { driver_id: tuner, mode: 'full' } }),
  },
  {
    route: 'POST /api/op/drivers/create',
    statuses: SUPERUSER_CREATES,
    call: ({ qpu }) => ({ body: { name: fresh('driver'), qpu: qpu.name, operation: 'monitor' } }),
  },
  {
    route: 'POST /api/op/drivers/toggle',
    statuses: SUPERUSER,
    call: ({ qpu }) => ({ body: { id: qpu.driver, enabled: true } }),
  },
  // The access token in the body decides here, regardless of other credentials.
  {
    route: 'POST /api/op/drivers/connect',
    statuses: all(401),
    call: () => ({ body: { token: 'svc_dt_0' } }),
  },
  {
    route: 'POST /api/op/drivers/connect',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ body: { token: qpu.token, instance: 'one-process' } }),
  },
  {
    route: 'POST /api/op/qpus/connect',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ body: { token: qpu.token, instance: 'one-process' } }),
  },
  {
    route: 'POST /api/jobs',
    statuses: [401, 201, 201, 201, 201],
    call: ({ qpu }) => ({ body: { circuits: [{ circuit: PROGRAM }], qpu_target: qpu.name } }),
  },
  { route: 'GET /api/jobs', statuses: SIGNED_IN },
  {
    route: 'GET /api/jobs/:id',
    statuses: OWNER_OR_SUPERUSER,
    call: async (world) => ({ path: await ownJob(world) }),
  },
  {
    route: 'POST /api/jobs/:id/cancel',
    statuses: OWNER_OR_SUPERUSER,
    call: async (world) => ({ path: `${await ownJob(world)}/cancel` }),
  },
  {
    route: 'POST /api/notifications/:id/dismiss',
    statuses: [401, 200, 403, 200, 403],
    call: async ({ server, owner }) => {
      const { id } = await server.db.write('t', (tx) =>
        tx.insert(notifications, { title: 'for the owner', target_users: [owner.id] }),
      )
      return { path: `/api/notifications/${id}/dismiss` }
    },
  },
  { route: 'GET /api/schedule', statuses: PUBLIC },
  {
    route: 'GET /api/events/series',
    statuses: SIGNED_IN,
    call: ({ qpu }) => ({ path: `/api/events/series?driver=${qpu.driver}` }),
  },
  { route: 'GET /api/realtime', statuses: PUBLIC },
  {
    route: 'POST /api/realtime',
    statuses: all(404),
    call: () => ({ body: { clientId: 'nobody', subscriptions: ['qpus/*'] } }),
  },
  // The last row, since it ends the logins of the callers; API tokens stay.
  { route: 'POST /api/auth/logout-everywhere', statuses: SIGNED_IN, call: () => ({ body: {} }) },
]
