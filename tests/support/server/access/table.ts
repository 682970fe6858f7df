import { toTimestamp } from '../../../../src/base/index.ts'
import { notifications } from '../../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../../src/db/store/bookings/index.ts'
import { webhooks } from '../../../../src/db/store/webhooks/index.ts'
import { accountRows } from './account-rows.ts'
import { LINK_ROWS } from './link-rows.ts'
import { RECALL_ROWS } from './recall-rows.ts'
import { RECORD_ROWS } from './record-rows.ts'
import {
  all,
  fresh,
  OWNER,
  OWNER_OR_SUPERUSER,
  PROGRAM,
  PUBLIC,
  type Row,
  SIGNED_IN,
  SUPERUSER,
  SUPERUSER_CREATES,
  SUPERUSER_MISSES,
  type World,
} from './row.ts'
import { SESSION_ROWS } from './session-rows.ts'

const ownToken = async (world: World) => ({ path: `/api/tokens/${await world.token()}` })
const ownJob = async (world: World) => `/api/jobs/${await world.job()}`
const viewOwnJob = async (world: World) => ({ path: await ownJob(world) })
const ofOwnJob = (part: string) => async (world: World) => ({ path: `${await ownJob(world)}/${part}` })

/** A webhook of the owner to an address that is refused; `suffix` continues its path. */
const ownWebhook =
  (suffix = '') =>
  async ({ server, owner }: World) => {
    const row = { user: owner.id, url: 'https://127.0.0.1/', kinds: ['job.ended'], secret: 'whsec_AAAA' }
    const { id } = await server.db.write('webhook', (tx) => tx.insert(webhooks, row))
    return { path: `/api/webhooks/${id}${suffix}` }
  }
let hours = 0
/** An hour that nobody has booked. */
const nextSlot = () => {
  hours += 2
  const at = (hour: number) => toTimestamp(Date.now() + hour * 3_600_000)
  return { start_time: at(hours), end_time: at(hours + 1) }
}

/** A coming slot of the owner; `suffix` continues its path. */
const ownSlot =
  (suffix = '') =>
  async ({ server, owner }: World) => {
    const row = { ...nextSlot(), booked_by: owner.id }
    const { id } = await server.db.write('slot', (tx) => tx.insert(timeSlots, row))
    return { path: `/api/bookings/${id}${suffix}` }
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
  {
    route: 'GET /api/oauth2-redirect/return',
    statuses: all(303),
    call: () => ({ path: '/api/oauth2-redirect/return?outcome=unknown' }),
  },
  { route: 'POST /api/oauth2-redirect/deliver', statuses: all(400) },
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
  { route: 'GET /api/op/service', statuses: SUPERUSER },
  { route: 'GET /api/op/utilization', statuses: SUPERUSER },
  { route: 'GET /api/op/config', statuses: SUPERUSER },
  { route: 'POST /api/op/config/reload', statuses: SUPERUSER },
  {
    route: 'PATCH /api/op/config',
    // This server has no config file.
    statuses: [401, 403, 403, 403, 409],
    call: () => ({ body: { name: 'logLevel', value: 'warn', before: 'info' } }),
  },
  { route: 'GET /api/op/audit', statuses: SUPERUSER },
  { route: 'GET /api/op/audit/verify', statuses: SUPERUSER },
  { route: 'GET /api/op/logs', statuses: SUPERUSER_MISSES },
  {
    route: 'GET /api/op/logs/histogram',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/logs/histogram?from=2026-01-01&to=2026-01-02' }),
  },
  { route: 'GET /api/op/logs/tail', statuses: SUPERUSER_MISSES },
  { route: 'GET /api/op/tasks', statuses: SUPERUSER },
  {
    route: 'POST /api/op/tasks/:id/run',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/tasks/none/run' }),
  },
  { route: 'GET /api/op/backups', statuses: SUPERUSER },
  { route: 'GET /api/op/backups/operation', statuses: SUPERUSER_MISSES },
  {
    route: 'POST /api/op/backups',
    statuses: [401, 403, 403, 403, 400],
    call: () => ({ body: { name: '../svc.db' } }),
  },
  {
    route: 'POST /api/op/backups/restore',
    statuses: SUPERUSER_MISSES,
    call: () => ({ body: { name: 'none.db', confirm: 'none.db' } }),
  },
  {
    route: 'POST /api/op/backups/:name/verify',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/backups/none.db/verify' }),
  },
  {
    route: 'GET /api/op/backups/:name/file',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/backups/none.db/file' }),
  },
  {
    route: 'DELETE /api/op/backups/:name',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/backups/none.db' }),
  },
  {
    route: 'POST /api/op/setup',
    statuses: all(403),
    call: () => ({ body: { token: 'x', email: 'a@b.cd', password: 'long enough' } }),
  },
  { route: 'POST /api/collections/users/auth-refresh', statuses: [401, 200, 200, 403, 403] },
  { route: 'POST /api/collections/_superusers/auth-refresh', statuses: SUPERUSER },
  ...RECORD_ROWS,
  {
    route: 'PATCH /api/admin/users/:id',
    statuses: SUPERUSER,
    call: ({ owner }) => ({ path: `/api/admin/users/${owner.id}`, body: { qpu_seconds: 1_000 } }),
  },
  { route: 'POST /api/tokens', statuses: [401, 201, 201, 201, 201], call: () => ({ body: { name: 'lab' } }) },
  { route: 'GET /api/tokens', statuses: SIGNED_IN },
  { route: 'GET /api/me', statuses: SIGNED_IN },
  { route: 'GET /api/tokens/:id', statuses: OWNER, call: ownToken },
  {
    route: 'PATCH /api/tokens/:id',
    statuses: OWNER,
    call: async (world) => ({ ...(await ownToken(world)), body: { name: 'changed' } }),
  },
  { route: 'DELETE /api/tokens/:id', statuses: OWNER, call: ownToken },
  {
    route: 'POST /api/webhooks',
    statuses: [401, 201, 201, 201, 201],
    call: () => ({ body: { url: 'https://1.1.1.1/', kinds: ['job.ended'] } }),
  },
  { route: 'GET /api/webhooks', statuses: SIGNED_IN },
  { route: 'GET /api/webhooks/:id', statuses: OWNER, call: ownWebhook() },
  {
    route: 'PATCH /api/webhooks/:id',
    statuses: OWNER,
    call: async (world) => ({ ...(await ownWebhook()(world)), body: { description: 'lab' } }),
  },
  { route: 'DELETE /api/webhooks/:id', statuses: OWNER, call: ownWebhook() },
  { route: 'POST /api/webhooks/:id/rotate', statuses: OWNER, call: ownWebhook('/rotate') },
  {
    route: 'POST /api/webhooks/:id/test',
    statuses: [401, 202, 404, 202, 404],
    call: ownWebhook('/test'),
  },
  { route: 'GET /api/webhooks/:id/deliveries', statuses: OWNER, call: ownWebhook('/deliveries') },
  { route: 'GET /api/qpus', statuses: PUBLIC },
  {
    route: 'GET /api/qpus/:name',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ path: `/api/qpus/${qpu.name}` }),
  },
  {
    route: 'GET /api/qpus/:name/queue',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ path: `/api/qpus/${qpu.name}/queue` }),
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
    route: 'GET /api/op/qpu/delete',
    statuses: SUPERUSER,
    call: ({ qpu }) => ({ path: `/api/op/qpu/delete?id=${qpu.id}` }),
  },
  {
    route: 'POST /api/op/qpu/delete',
    statuses: SUPERUSER_MISSES,
    call: () => ({ body: { name: 'no_such_qpu' } }),
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
  ...['hold', 'cancel', 'run-next'].map((act) => ({
    route: `POST /api/op/jobs/:id/${act}`,
    statuses: SUPERUSER,
    call: async (world: World) => ({ path: `/api/op/jobs/${await world.job()}/${act}` }),
  })),
  // A pending job is neither held nor running.
  {
    route: 'POST /api/op/jobs/:id/move',
    statuses: [401, 403, 403, 403, 409],
    call: async (world) => ({
      path: `/api/op/jobs/${await world.job()}/move`,
      body: { qpu: world.qpu.name },
    }),
  },
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
  ...RECALL_ROWS,
  ...SESSION_ROWS,
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
  { route: 'GET /api/op/drivers/activity', statuses: SUPERUSER },
  {
    route: 'POST /api/op/drivers/token',
    statuses: SUPERUSER_MISSES,
    call: () => ({ body: { id: 'nobody' } }),
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
  { route: 'GET /api/jobs/count', statuses: SIGNED_IN },
  {
    route: 'GET /api/jobs/by-key/:key',
    statuses: [401, 404, 404, 404, 404],
    call: async () => ({ path: '/api/jobs/by-key/unused' }),
  },
  { route: 'GET /api/jobs/:id', statuses: OWNER_OR_SUPERUSER, call: viewOwnJob },
  // Pending, so that it has no receipt yet.
  { route: 'GET /api/jobs/:id/receipt', statuses: [401, 409, 404, 409, 409], call: ofOwnJob('receipt') },
  {
    route: 'GET /api/jobs/:id/partial-results',
    statuses: OWNER_OR_SUPERUSER,
    call: ofOwnJob('partial-results'),
  },
  { route: 'POST /api/jobs/changes', statuses: SIGNED_IN, call: () => ({ body: { known: [{ id: 'x' }] } }) },
  {
    route: 'POST /api/jobs/:id/cancel',
    statuses: OWNER_OR_SUPERUSER,
    call: async (world) => ({ path: `${await ownJob(world)}/cancel` }),
  },
  {
    route: 'PATCH /api/jobs/:id',
    statuses: OWNER_OR_SUPERUSER,
    call: async (world) => ({ path: await ownJob(world), body: { name: 'calibrated', tags: ['x'] } }),
  },
  {
    // Pending, so that nobody may delete it yet.
    route: 'DELETE /api/jobs/:id',
    statuses: [401, 409, 404, 409, 409],
    call: viewOwnJob,
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
  { route: 'GET /api/accounting', statuses: SIGNED_IN },
  { route: 'GET /api/ledger', statuses: SIGNED_IN },
  {
    route: 'GET /api/op/user-activity',
    statuses: SUPERUSER,
    call: ({ owner }) => ({ path: `/api/op/user-activity?users=${owner.id}` }),
  },
  {
    route: 'GET /api/calibration/values',
    statuses: PUBLIC,
    call: ({ qpu }) => ({ path: `/api/calibration/values?qpu=${qpu.id}` }),
  },
  {
    route: 'GET /api/calibration/history',
    statuses: SIGNED_IN,
    call: ({ qpu }) => ({ path: `/api/calibration/history?qpu=${qpu.id}&element=q0&parameter=t1` }),
  },
  {
    route: 'GET /api/calibration/medians',
    statuses: SIGNED_IN,
    call: ({ qpu }) => ({ path: `/api/calibration/medians?qpu=${qpu.id}` }),
  },
  { route: 'GET /api/devices', statuses: SIGNED_IN },
  { route: 'GET /api/schedule', statuses: PUBLIC },
  {
    route: 'POST /api/bookings',
    statuses: [401, 201, 201, 201, 201],
    call: () => ({ body: nextSlot() }),
  },
  { route: 'DELETE /api/bookings/:id', statuses: OWNER_OR_SUPERUSER, call: ownSlot() },
  {
    route: 'POST /api/bookings/:id/end',
    statuses: [401, 409, 404, 409, 409],
    call: ownSlot('/end'),
  },
  ...LINK_ROWS,
  {
    route: 'GET /api/events/series',
    statuses: SIGNED_IN,
    call: ({ qpu }) => ({ path: `/api/events/series?driver=${qpu.driver}` }),
  },
  { route: 'POST /api/reads', statuses: PUBLIC, call: () => ({ body: { paths: ['/api/me'] } }) },
  { route: 'GET /api/realtime', statuses: PUBLIC },
  {
    route: 'POST /api/realtime',
    statuses: all(404),
    call: () => ({ body: { clientId: 'nobody', subscriptions: ['qpus/*'] } }),
  },
  // The last row, since it ends the logins of the callers; API tokens stay.
  { route: 'POST /api/auth/logout-everywhere', statuses: SIGNED_IN, call: () => ({ body: {} }) },
]
