import type { Draw, Sent } from './draw.ts'
import { idOf, PROGRAM } from './values.ts'

/** A list of jobs, or their number. */
export function listJobs(draw: Draw): Sent {
  const { random } = draw
  const filters = () =>
    draw.given({
      status: () => random.of(['pending', 'completed,failed', 'cancelled', 'none']),
      qpu: () => random.of(['alpha', 'Beta', idOf('q', 2)]),
      qpu_target: () => random.of(['alpha', 'gamma_1']),
      tag: () => random.of(['a', 'B', 'ä', 'a%']),
      text: () => random.text(),
      before: () => draw.id('job', 'j', 120),
      user: () => random.of([idOf('u', 0), 'ada', 'nobody']),
      created_from: () => draw.time(),
      created_to: () => draw.time(),
    })
  if (random.chance(0.3)) return { as: draw.role(), method: 'GET', path: '/api/jobs/count', query: filters() }
  const query = {
    ...filters(),
    ...draw.given({
      sort: () => random.of(['-created', 'created', 'name', '-duration', 'status', '-finished_at', 'none']),
      skip: () => random.of(['0', '1', '10']),
      limit: () => random.of(['1', '5', '50']),
    }),
  }
  return { as: draw.role(), method: 'GET', path: '/api/jobs', query }
}

/** A new job, or one of the calls of its owner. */
export function useJob(draw: Draw): Sent {
  const { random } = draw
  const as = draw.role()
  const path = `/api/jobs/${draw.id('job', 'j', 120)}`
  return random.of<() => Sent>([
    () => submission(draw),
    () => submission(draw),
    () => ({ as, method: 'GET', path }),
    () => ({ as, method: 'GET', path: `${path}/partial-results` }),
    () => ({ as, method: 'POST', path: `${path}/cancel` }),
    () => ({
      as,
      method: 'PATCH',
      path,
      body: { name: random.text(), tags: random.some(['a', 'B', 'ä']) },
    }),
    () => ({ as, method: 'DELETE', path }),
    () => ({
      ...{ as, method: 'POST', path: '/api/jobs/changes' },
      body: { known: [0, 1, 2].map(() => ({ id: draw.id('job', 'j', 120), status: 'pending' })) },
    }),
    () => ({ as, method: 'GET', path: `/api/jobs/by-key/key-${random.below(60)}` }),
  ])()
}

function submission(draw: Draw): Sent {
  const { random } = draw
  const key = random.chance(0.4) ? { 'idempotency-key': `key-${random.below(60)}` } : undefined
  const body = {
    circuits: [{ circuit: random.chance(0.9) ? PROGRAM : 'OPENQASM 3.0; wrong' }],
    ...(random.chance(0.7) && { qpu_target: random.of(['alpha', 'Beta', 'gamma_1', 'none']) }),
    ...(random.chance(0.5) && { shots: random.of([1, 100, 1_000_000, 0]) }),
    ...(random.chance(0.5) && { name: random.text(), tags: random.some(['a', 'B', 'ä', 'a%']) }),
  }
  const query = random.chance(0.2) ? { dry_run: 'true' } : {}
  const as = draw.role()
  return { as, method: 'POST', path: '/api/jobs', query, body, makes: 'job', ...(key && { headers: key }) }
}

/** What superusers do with jobs and QPUs. */
export function operate(draw: Draw): Sent {
  const { random } = draw
  const action = random.of(['hold', 'cancel', 'release', 'run-next', 'requeue', 'move'])
  const to = action === 'move' ? { qpu: random.of(['alpha', 'Beta', 'none']) } : {}
  const reason = random.chance(0.5) ? { reason: random.text() } : {}
  const as = random.chance(0.9) ? 'root' : draw.role()
  const path = `/api/op/jobs/${draw.id('job', 'j', 120)}/${action}`
  const state = { id: idOf('q', random.below(3)), maintenance: random.chance(0.3), ...reason }
  return random.of<Sent>([
    { as, method: 'POST', path, body: { ...to, ...reason } },
    { as, method: 'POST', path, body: { ...to, ...reason } },
    { as, method: 'POST', path: '/api/op/qpu/maintenance', body: state },
    {
      as,
      method: 'POST',
      path: '/api/op/qpu/drain',
      body: { id: state.id, drain: random.chance(0.3), ...reason },
    },
    { as, method: 'POST', path: '/api/op/qpu/toggle', body: { id: state.id, enabled: random.chance(0.8) } },
  ])
}

/** Calibrations, their values, and recalls. */
export function calibrate(draw: Draw): Sent {
  const { random } = draw
  const as = random.chance(0.6) ? 'root' : draw.role()
  const qpu = idOf('q', random.below(3))
  const reason = random.text() || 'x'
  return random.of<Sent>([
    {
      as,
      method: 'POST',
      path: '/api/op/calibrate/dispatch',
      body: { driver_id: idOf(`c${random.below(3)}`, 0), mode: random.of(['full', 'partial']) },
    },
    {
      as,
      method: 'GET',
      path: '/api/calibration/values',
      query: { qpu, ...draw.given({ at: () => draw.time(1) }) },
    },
    {
      as,
      method: 'GET',
      path: '/api/calibration/history',
      query: {
        qpu,
        element: 'q0',
        parameter: 't1',
        ...draw.given({ from: () => draw.time(1), limit: () => '3' }),
      },
    },
    { as, method: 'GET', path: '/api/calibration/medians', query: { qpu } },
    { as, method: 'GET', path: '/api/recalls', query: draw.given({ qpu: () => qpu, limit: () => '5' }) },
    {
      as,
      method: 'POST',
      path: '/api/op/recalls',
      body: { report: idOf('k', random.below(15)), reason },
      makes: 'recall',
    },
    {
      as,
      method: 'POST',
      path: '/api/op/recalls',
      body: { qpu, from: draw.time(1), to: draw.time(1), reason },
      makes: 'recall',
    },
    { as, method: 'POST', path: `/api/op/recalls/${draw.id('recall', 'zz', 2)}/undo`, body: { reason } },
  ])
}
