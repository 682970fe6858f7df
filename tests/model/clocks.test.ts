import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/index.ts'
import { COLLECTIONS } from '../../src/db/index.ts'
import { INTERNAL_TABLES } from '../../src/db/schema/internal/index.ts'
import { BOUNDED_TIMES } from '../../src/db/store/maintenance/index.ts'
import { part } from '../support/whole.ts'
import { course, type WrongClock } from './clock-course.ts'

/** Times that are not bounded, and why a clock that was ahead does no harm by them. */
const NOT_BOUNDED: Record<string, readonly string[]> = {
  'somebody sets them': [
    ...['api_tokens.expires_at', 'job_deadlines.at', 'notes.at', 'notifications.end_time'],
    ...['notifications.start_time', 'qpus.maintenance_until', 'recalls.from_at', 'recalls.to_at'],
    ...['session_holders.ends_at', 'sessions.holders_end'],
    ...['shares.expires_at', 'time_slots.end_time', 'time_slots.start_time'],
  ],
  'they are only shown, or compared with each other': [
    ...['audit_log.at', 'calendar_feeds.created', 'calibration_requests.started_at', 'drivers.last_seen'],
    ...['calibration_results.values_stored_at', 'job_attempts.claimed_at', 'job_attempts.ended_at'],
    ...['job_attempts.started_at', 'leases.granted_at', 'maintenance_times.began'],
    ...['migrations.at', 'qpu_descriptions.described_at', 'qpu_ledger.at', 'qpus.closed_since'],
    ...['qpus.described_at', 'qpus.silent_since'],
    ...[
      'quantum_jobs.quote_start_from',
      'quantum_jobs.quote_start_to',
      'recalled_jobs.finished_at',
      'recalls.created',
      'recalls.undone_at',
    ],
    ...['removed_users.at', 'shares.created', 'thresholds.breached_at', 'tuner_runs.started_at'],
    ...['session_holders.created', 'session_holders.ended_at'],
  ],
  'what ends with them is only kept for longer': [
    'tuner_runs.defers_until',
    ...['calibration_requests.finished_at', 'events.ts', 'maintenance_times.ended', 'reading_buckets.start'],
  ],
  'they begin again when it is set back': ['session_holders.awaited_until'],
  'they are no times': [
    'quantum_jobs.quote_run_from',
    'quantum_jobs.run_next',
    'sessions.end',
    'users.mail_slot_start',
  ],
  'those who read them bound them': [
    ...[
      'quantum_jobs.finished_at',
      'quantum_jobs.not_before',
      'quantum_jobs.started_at',
      'recalls.cursor_at',
    ],
    'recent_use.minute',
    ...['sessions.activated_at', 'sessions.active_since', 'sessions.charged_to', 'sessions.ends_at'],
    'sessions.stopped_at',
  ],
}

test('every stored time is bounded, or harmless for a known reason', () => {
  const bounded = new Set(BOUNDED_TIMES.map(({ table, column }) => `${table}.${column}`))
  const isTime = (name: string) =>
    /(^|_)(at|until|time|date|day|ts|minute|since|last|seen|before|began|ended|created|updated|written|start|end|expires|expiry|deadline|due|next|valid|from)$/.test(
      name,
    )
  const stored = [
    ...COLLECTIONS.flatMap(({ name, fields }) =>
      Object.entries(fields)
        .filter(([field, { kind }]) => kind.publicType === 'date' || isTime(field))
        .map(([field]) => `${name}.${field}`),
    ),
    ...INTERNAL_TABLES.flatMap(({ name, columns }) =>
      columns.filter((column) => isTime(column.name)).map((column) => `${name}.${column.name}`),
    ),
  ]
  expect(stored.filter((time) => !bounded.has(time)).toSorted()).toEqual(
    Object.values(NOT_BOUNDED).flat().toSorted(),
  )
})

/** No whole minutes: a report would end in the same millisecond as one of the wrong clock. */
const SHORT_MS = MINUTE_MS + 1_000
/** Longer than an hour only where nothing is given up after a day. */
const wrongClock = fc.record({
  who: fc.constantFrom<WrongClock['who'][]>('server', 'driver', 'both'),
  byMs: fc.constantFrom(SHORT_MS, -SHORT_MS, HOUR_MS, -HOUR_MS, 10 * HOUR_MS),
  minute: fc.integer({ min: 1, max: 29 }),
  restarts: fc.boolean(),
})

const KNOWN: readonly WrongClock[] = [
  { who: 'driver', byMs: 3_650 * DAY_MS, minute: 25, restarts: false },
  // The limit is exceeded from this minute on.
  { who: 'driver', byMs: HOUR_MS, minute: 12, restarts: false },
  { who: 'server', byMs: 10 * HOUR_MS, minute: 10, restarts: true },
  // A backup is made in this minute.
  { who: 'server', byMs: 10 * HOUR_MS, minute: 9, restarts: false },
  { who: 'both', byMs: HOUR_MS, minute: 28, restarts: false },
  // The last reading is of this minute.
  { who: 'driver', byMs: HOUR_MS, minute: 29, restarts: false },
  { who: 'both', byMs: HOUR_MS, minute: 29, restarts: false },
  { who: 'server', byMs: -HOUR_MS, minute: 29, restarts: false },
  // A slot begins in the minute after.
  { who: 'server', byMs: HOUR_MS, minute: 24, restarts: false },
]

test('a minute of a wrong clock, then a right one, ends as if it had always been right', async () => {
  const right = await course({ who: 'nobody', byMs: 0, minute: -1, restarts: false })
  expect(right).toEqual({
    ...{ stale: [false, true], isAbove: false, breaches: { above: 1, stale: 1 } },
    ...{ slotMails: 9, delivered: 1, failures: 0, lag: 0, usedMs: 110_000, backups: 4, kept: 2 },
  })
  for (const wrong of KNOWN) expect([wrong, await course(wrong)]).toEqual([wrong, right])
  await fc.assert(
    fc.asyncProperty(wrongClock, async (wrong) => expect(await course(wrong)).toEqual(right)),
    { numRuns: part(60, 2), interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)
