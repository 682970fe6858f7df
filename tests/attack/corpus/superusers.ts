import { type Attack, type AttackRequest, defineAttacks, type Target } from '../attack.ts'
import { ADMIN } from '../harness/seed.ts'

/** The route, or a refusal that names the remedy. */
const RESULTS = [200, 201, 202, 204, 206, 400, 403, 404, 409, 413, 422, 429, 503]
const JOBS = '/api/collections/quantum_jobs/records'
const EVENTS = '/api/collections/events/records'
const USERS = '/api/collections/users/records'
const LOGIN = '/api/collections/_superusers/auth-with-password'
const COMPRESSED = { 'accept-encoding': 'zstd' }
const QPU = 'superuser_attacked'

/** One request of a superuser by the route that it is for. */
type Routes = Readonly<Record<string, AttackRequest>>

/** Routes of superusers that read, with the parameters that make them read most. */
export const READ_ROUTES: Routes = {
  'GET /api/op/version': { path: '/api/op/version' },
  'GET /api/op/service': { path: '/api/op/service' },
  'GET /api/op/utilization': { path: '/api/op/utilization?days=31' },
  'GET /api/op/config': { path: '/api/op/config' },
  'GET /api/op/audit': { path: '/api/op/audit?limit=1000&action=none' },
  'GET /api/op/audit/verify': { path: '/api/op/audit/verify' },
  'GET /api/op/backups': { path: '/api/op/backups' },
  'GET /api/op/backups/operation': { path: '/api/op/backups/operation' },
  'GET /api/op/backups/:name/file': { path: '/api/op/backups/attack.db/file' },
  'GET /api/op/tasks': { path: '/api/op/tasks' },
  'GET /api/op/logs': { path: '/api/op/logs?limit=1000&text=none' },
  'GET /api/op/logs/histogram': { path: '/api/op/logs/histogram?buckets=240' },
  'GET /api/op/user-activity': { path: '/api/op/user-activity' },
  'GET /api/op/drivers/activity': { path: '/api/op/drivers/activity' },
  'GET /api/collections': { path: '/api/collections?perPage=500' },
  'GET /api/collections/:collection': { path: '/api/collections/quantum_jobs' },
}

const post = (path: string, body: object = {}): AttackRequest => ({ path, body: JSON.stringify(body) })

/** Routes of superusers that write; none of them changes what the other users work with. */
export const WRITE_ROUTES: Routes = {
  'POST /api/op/backups/restore': post('/api/op/backups/restore', { name: 'attack.db', confirm: 'no' }),
  'POST /api/op/backups/:name/verify': post('/api/op/backups/attack.db/verify'),
  'DELETE /api/op/backups/:name': { method: 'DELETE', path: '/api/op/backups/none.db' },
  'POST /api/op/tasks/:id/run': post('/api/op/tasks/retention/run'),
  'POST /api/op/config/reload': post('/api/op/config/reload'),
  'PATCH /api/op/config': {
    method: 'PATCH',
    ...post('/api/op/config', { name: 'serviceLimits', value: 'x'.repeat(10_000), before: '' }),
  },
  'POST /api/collections/users/impersonate/:id': post('/api/collections/users/impersonate/none'),
  'POST /api/collections/_superusers/impersonate/:id': post('/api/collections/_superusers/impersonate/none'),
  'POST /api/op/account-links': post('/api/op/account-links', { id: 'none', purpose: 'password_reset' }),
  'PATCH /api/admin/users/:id': { method: 'PATCH', ...post('/api/admin/users/none', { qpu_seconds: 1 }) },
  'POST /api/op/qpus/create': post('/api/op/qpus/create', { name: QPU, num_qubits: 1_000_000 }),
  'POST /api/op/qpu/toggle': post('/api/op/qpu/toggle', { name: QPU, enabled: true }),
  'GET /api/op/qpu/delete': { path: `/api/op/qpu/delete?name=${QPU}` },
  'POST /api/op/qpu/delete': post('/api/op/qpu/delete', { name: QPU }),
  'POST /api/op/qpu/maintenance': post('/api/op/qpu/maintenance', { id: 'none', maintenance: true }),
  'POST /api/op/qpu/drain': post('/api/op/qpu/drain', { name: QPU, drain: true }),
  'POST /api/op/drivers/create': post('/api/op/drivers/create', {
    ...{ name: 'attack', qpu: 'none', operation: 'monitor' },
  }),
  'POST /api/op/drivers/token': post('/api/op/drivers/token', { id: 'none' }),
  'POST /api/op/drivers/toggle': post('/api/op/drivers/toggle', { id: 'none', enabled: true }),
  'POST /api/op/jobs/:id/cancel': post('/api/op/jobs/none/cancel'),
  'POST /api/op/jobs/:id/hold': post('/api/op/jobs/none/hold'),
  'POST /api/op/jobs/:id/release': post('/api/op/jobs/none/release'),
  'POST /api/op/jobs/:id/run-next': post('/api/op/jobs/none/run-next'),
  'POST /api/op/jobs/:id/requeue': post('/api/op/jobs/none/requeue'),
  'POST /api/op/jobs/:id/move': post('/api/op/jobs/none/move', { qpu: QPU }),
  'POST /api/op/calibrate/dispatch': post('/api/op/calibrate/dispatch', { driver_id: 'none', mode: 'full' }),
  'POST /api/op/recalls': post('/api/op/recalls', { report: 'none', reason: 'attack' }),
  'POST /api/op/recalls/:id/undo': post('/api/op/recalls/none/undo', { reason: 'attack' }),
  'POST /api/collections': post('/api/collections'),
  'PATCH /api/collections/:collection': { method: 'PATCH', ...post('/api/collections/users') },
  'DELETE /api/collections/:collection': { method: 'DELETE', path: '/api/collections/users' },
}

/** Routes of superusers with an attack of their own. */
export const OWN_ATTACKS: Readonly<Record<string, string>> = {
  'POST /api/op/backups': 'superuser-backups',
  'GET /api/op/logs/tail': 'superuser-log-tails',
}

interface SuperuserAttack extends Pick<Attack, 'name' | 'input' | 'cap' | 'width' | 'shots'> {
  readonly requests: readonly AttackRequest[]
}

/** Sends the requests in turn, signed in as the superuser. */
function superuser({ requests, ...attack }: SuperuserAttack): Attack {
  return {
    ...{ ...attack, who: 'superuser', expect: RESULTS },
    async prepare(target) {
      const token = await signIn(target)
      let number = 0
      return () => {
        const { path, ...request } = requests[number++ % requests.length] ?? { path: LOGIN }
        return target.send({ ...request, path, token })
      }
    },
  }
}

async function signIn(target: Target): Promise<string> {
  const { text } = await target.send(post(LOGIN, { identity: ADMIN.email, password: ADMIN.password }))
  return (JSON.parse(text) as { token: string }).token
}

const files = (path: string, query: string, headers = {}): AttackRequest => ({
  ...{ path: `${path}?${query}`, headers },
})

/** Every route of superusers, and their exports of everything. */
export const superusers = defineAttacks([
  superuser({
    ...{
      name: 'superuser-export-jsonl',
      input: 'all jobs as JSON lines',
      cap: 'no limit; a page of 256 KiB',
    },
    requests: [files(JOBS, 'format=jsonl')],
  }),
  superuser({
    ...{ name: 'superuser-export-fields', input: 'the ids of all jobs as JSON lines, four files at once' },
    ...{ cap: '500 records per page', width: 4 },
    requests: [files(JOBS, 'format=jsonl&fields=id')],
  }),
  superuser({
    ...{
      name: 'superuser-exports',
      input: 'jobs and events in both formats, compressed, four files at once',
    },
    ...{ cap: '4 large responses per account', width: 4 },
    requests: [JOBS, EVENTS].flatMap((path) =>
      ['jsonl', 'csv'].map((format) => files(path, `format=${format}`, COMPRESSED)),
    ),
  }),
  superuser({
    ...{
      name: 'superuser-exports-small',
      input: '20 small CSV files at once',
      cap: '20 waiting reads',
      width: 20,
    },
    requests: [files(USERS, 'format=csv'), files(JOBS, 'format=csv&filter=status%3D"failed"')],
  }),
  superuser({
    ...{ name: 'superuser-accounting', input: 'accounting files of 120 months, 20 at once' },
    ...{ cap: '120 months; 1,000 rows per page', width: 20 },
    requests: [files('/api/accounting', 'format=csv'), files('/api/accounting', 'limit=1000')],
  }),
  superuser({
    ...{ name: 'superuser-audit', input: 'the audit log as a file and filtered by an address, 20 at once' },
    ...{ cap: '20,000 entries per response', width: 20 },
    requests: [files('/api/op/audit', 'format=csv'), files('/api/op/audit', 'address=192.0.2.1&limit=1000')],
  }),
  superuser({
    ...{
      name: 'superuser-lists',
      input: 'pages of 1,000 jobs of everybody, sorted, deep and expanded',
      width: 4,
    },
    cap: '1,000 records; 30 s of processor time',
    requests: [
      files(JOBS, 'perPage=1000&sort=name&fields=id,name'),
      files(JOBS, 'perPage=1000&page=90&fields=id'),
      files(JOBS, 'perPage=1000&expand=user_id,qpu_target&fields=id,expand'),
      files('/api/jobs', 'user=*&limit=1000&sort=name&fields=id'),
      files('/api/jobs/count', 'user=*&text=absent'),
    ],
  }),
  superuser({
    ...{ name: 'superuser-reads', input: 'every other route that reads, 10 at once', cap: '–', width: 10 },
    requests: Object.values(READ_ROUTES),
  }),
  superuser({
    ...{ name: 'superuser-writes', input: 'every other route that writes, 4 at once', cap: '–', width: 4 },
    requests: Object.values(WRITE_ROUTES),
  }),
  superuser({
    ...{ name: 'superuser-backups', input: 'a backup of everything', cap: 'one operation at once', shots: 2 },
    requests: [post('/api/op/backups', { name: 'attack.db' }), { path: '/api/op/backups/attack.db/file' }],
  }),
  superuser({
    ...{ name: 'superuser-log-tails', input: '12 clients that follow the log', cap: '10 clients', width: 12 },
    ...{ shots: 12, requests: [{ path: '/api/op/logs/tail' }] },
  }),
])
