import { toTimestamp } from '../../src/base/index.ts'
import type { Draw, Sent } from './draw.ts'
import { idOf } from './values.ts'

/** Bookings and the schedule. */
export function book(draw: Draw): Sent {
  const { random } = draw
  const as = draw.role()
  const start = draw.start + (2 + random.below(400)) * 1_800_000
  const times = {
    start_time: toTimestamp(start),
    end_time: toTimestamp(start + 1_800_000 * (1 + random.below(3))),
  }
  const more = {
    ...(random.chance(0.5) && { qpu: random.of(['alpha', 'Beta', 'none']) }),
    ...(random.chance(0.2) && { weeks: 1 + random.below(4) }),
  }
  const path = `/api/bookings/${draw.id('booking', 's', 12)}`
  const following = random.chance(0.3) ? { following: 'true' } : {}
  return random.of<Sent>([
    { as, method: 'POST', path: '/api/bookings', body: { ...times, ...more }, makes: 'booking' },
    { as, method: 'DELETE', path, query: following },
    {
      as,
      method: 'GET',
      path: '/api/schedule',
      query: draw.given({ from: () => draw.time(), to: () => draw.time(9) }),
    },
  ])
}

/** API tokens. */
export function useTokens(draw: Draw): Sent {
  const { random } = draw
  const as = draw.role()
  const path = `/api/tokens/${draw.id('token', 'zz', 3)}`
  const body = { name: random.text(), ...(random.chance(0.4) && { expires_at: draw.time(20) }) }
  return random.of<Sent>([
    { as, method: 'POST', path: '/api/tokens', body, makes: 'token' },
    {
      as,
      method: 'GET',
      path: '/api/tokens',
      query: draw.given({ sort: () => random.of(['name', '-created']), limit: () => '5' }),
    },
    { as, method: 'GET', path },
    { as, method: 'PATCH', path, body },
    { as, method: 'DELETE', path },
  ])
}

/** QPUs, balances, accounting, audit log and charts. */
export function readFigures(draw: Draw): Sent {
  const { random } = draw
  const as = draw.role()
  const [qpu, days] = [idOf('q', random.below(3)), () => draw.time(40).slice(0, 10)]
  return random.of<Sent>([
    {
      as,
      method: 'GET',
      path: '/api/qpus',
      query: draw.given({ sort: () => random.of(['name', '-num_qubits']), limit: () => '2' }),
    },
    { as, method: 'GET', path: `/api/qpus/${random.of(['alpha', 'gamma_1', qpu, 'ALPHA'])}` },
    { as, method: 'GET', path: `/api/qpus/${qpu}/queue`, query: draw.given({ limit: () => '10' }) },
    { as, method: 'GET', path: '/api/op/qpus/availability' },
    { as, method: 'GET', path: '/api/accounting', query: draw.given({ from: days, to: days }) },
    {
      as,
      method: 'GET',
      path: '/api/ledger',
      query: draw.given({ user: () => idOf('u', random.below(4)), limit: () => '5' }),
    },
    {
      as,
      method: 'GET',
      path: '/api/op/user-activity',
      query: { users: [0, 1, 2].map((each) => idOf('u', each)).join(',') },
    },
    { as, method: 'GET', path: '/api/me' },
    {
      as,
      method: 'GET',
      path: '/api/op/audit',
      query: draw.given({
        action: () => random.of(['job.hold', 'user.create', 'none']),
        limit: () => '5',
      }),
    },
    {
      as,
      method: 'PATCH',
      path: `/api/admin/users/${idOf('u', random.below(4))}`,
      body: { qpu_seconds: random.number() },
    },
    {
      as,
      method: 'GET',
      path: '/api/events/series',
      query: {
        driver: idOf(`m${random.below(3)}`, 0),
        ...draw.given({
          from: () => draw.time(1),
          to: () => draw.time(1),
          points: () => '20',
          channel: () => 'tmc',
        }),
      },
    },
  ])
}

/** Links, webhooks, notifications and calendar feeds. */
export function useLinks(draw: Draw): Sent {
  const { random } = draw
  const as = draw.role()
  const hook = `/api/webhooks/${draw.id('webhook', 'zz', 2)}`
  return random.of<Sent>([
    {
      as,
      method: 'POST',
      path: '/api/shares',
      body: { kind: 'job', record: draw.id('job', 'j', 120) },
      makes: 'share',
    },
    { as, method: 'GET', path: '/api/shares' },
    { as, method: 'DELETE', path: `/api/shares/${draw.id('share', 'zz', 2)}` },
    {
      as,
      method: 'POST',
      path: '/api/webhooks',
      body: { url: 'https://1.1.1.1/', kinds: ['calibration.ended'], description: random.text() },
      makes: 'webhook',
    },
    { as, method: 'GET', path: '/api/webhooks' },
    { as, method: 'PATCH', path: hook, body: { description: random.text(), enabled: random.chance(0.5) } },
    { as, method: 'DELETE', path: hook },
    { as, method: 'POST', path: `/api/notifications/${idOf('i', random.below(12))}/dismiss` },
    { as, method: 'POST', path: '/api/calendar-feed', body: { qpu: random.of(['', 'alpha', 'none']) } },
    { as, method: 'GET', path: '/api/calendar-feed' },
    { as, method: 'DELETE', path: '/api/calendar-feed' },
  ])
}
