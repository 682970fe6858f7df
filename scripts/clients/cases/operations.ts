import { CLOSED, failure, type Lab, type PlannedCase } from './plan.ts'

const as = 'superuser'
const ofQpu = (name: string, more: object) => (lab: Lab) => ({ body: { id: lab.ids[name], ...more } })
const ofJob = (more: object) => (lab: Lab) => ({ id: lab.ids['operated'], ...more })

/** What superusers do. */
export const OPERATIONS: readonly PlannedCase[] = [
  {
    name: 'a QPU is registered',
    call: 'admin.create_qpu',
    args: { body: { name: 'spare', num_qubits: 3 } },
    as,
  },
  { name: 'a QPU is registered twice', call: 'admin.create_qpu', args: { body: { name: 'silent' } }, as },
  { name: 'a user registers no QPU', call: 'admin.create_qpu', args: { body: { name: 'mine' } } },
  { name: 'a QPU is switched off', call: 'admin.toggle_qpu', args: ofQpu('bench', { enabled: false }), as },
  {
    name: 'a change of a QPU is repeated after 429',
    call: 'admin.toggle_qpu',
    args: ofQpu('bench', { enabled: true }),
    failures: { responses: [failure(429, 'limited', 'Too many requests', { 'retry-after': '1' })] },
    as,
  },
  {
    name: 'a change of a QPU is not repeated after a lost connection',
    call: 'admin.toggle_qpu',
    args: ofQpu('bench', { enabled: false }),
    failures: { responses: [CLOSED] },
    as,
  },
  {
    name: 'maintenance begins',
    call: 'admin.set_maintenance',
    args: ofQpu('bench', { maintenance: true, reason: 'warm' }),
    as,
  },
  {
    name: 'a QPU is drained',
    call: 'admin.drain',
    args: ofQpu('bench', { drain: true, reason: 'warm' }),
    as,
  },
  {
    name: 'a driver is registered',
    call: 'admin.create_driver',
    args: { body: { name: 'cryo', qpu: 'bench', operation: 'monitor' } },
    as,
  },
  {
    name: 'a driver is disabled',
    call: 'admin.toggle_driver',
    args: ({ ids }) => ({ body: { id: ids['driver'], enabled: false } }),
    as,
  },
  {
    name: 'a calibration is queued',
    call: 'admin.calibrate',
    args: ({ ids }) => ({
      body: { driver_id: ids['tuner'], mode: 'full', target_qubits: ['q00'] },
      idempotency_key: 'b3a41e0a-5e2f-4a57-8f5c-0d1c7cf52a10',
    }),
    as,
  },
  {
    name: 'a calibration by a driver that does not exist',
    call: 'admin.calibrate',
    args: { body: { driver_id: 'aaaaaaaaaaaaaaa', mode: 'full' } },
    as,
  },
  { name: 'a QPU is deleted', call: 'admin.delete_qpu', args: ofQpu('bench', {}), as },
  { name: 'a job is held', call: 'admin.hold', args: ofJob({ reason: 'wait' }), as },
  { name: 'a job is released', call: 'admin.release', args: ofJob({}), as },
  { name: 'a job runs next', call: 'admin.run_next', args: ofJob({}), as },
  { name: 'a job is moved', call: 'admin.move', args: ofJob({ body: { qpu: 'second' } }), as },
  { name: 'a pending job is not queued again', call: 'admin.requeue', args: ofJob({ body: {} }), as },
  {
    name: 'a balance is set',
    call: 'admin.set_balance',
    args: ({ user }) => ({ user: user.id, qpu_seconds: 5_000 }),
    as,
  },
]
