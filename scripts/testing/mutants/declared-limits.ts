import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COUNTS, RATES } from '../../../src/server/admission/limits.ts'
import type { LimitedFile } from './limit-mutants.ts'

const FILE = 'src/server/admission/limits.ts'
const SOURCE = readFileSync(join(import.meta.dir, '../../..', FILE), 'utf8')

/** The file of tests that has to fail without a limit, or the reason why none could see it. */
type Guard = string | { reason: string }

/** Limits whose value settings or other limits state: what enforces them has mutants of its own. */
const STATED_ELSEWHERE = { reason: 'its value is not in the declaration' }
const SERIAL = { reason: 'without it the work is only done in another order, with more memory' }
const INBOUND = { reason: 'InboundBudget has mutants of its own' }
const SIMPLE = { reason: 'RateLimiter has mutants of its own; its number is not tested' }

const OF_RATES: Record<keyof typeof RATES, Guard> = {
  guestRequests: STATED_ELSEWHERE,
  userRequests: STATED_ELSEWHERE,
  signUps: STATED_ELSEWHERE,
  submissions: STATED_ELSEWHERE,
  driverEvents: STATED_ELSEWHERE,
  failedLogins: STATED_ELSEWHERE,
  failedLoginsOfAccount: STATED_ELSEWHERE,
  failedLoginsOfAddress: STATED_ELSEWHERE,
  mailedLinks: SIMPLE,
  apiTokens: 'tests/server/tokens/scopes.test.ts',
  auditedUses: 'tests/server/auth/access-audit.test.ts',
  countedUses: SIMPLE,
  emptyLists: SIMPLE,
  slots: 'tests/server/bookings/booking-routes.test.ts',
  calendarChanges: SIMPLE,
  calendarReads: SIMPLE,
  webhookChanges: 'tests/server/webhooks/routes.test.ts',
  driverConnections: 'tests/server/drivers/connections.test.ts',
  driverMessages: INBOUND,
  driverBytes: INBOUND,
}

const OF_COUNTS: Record<keyof typeof COUNTS, Guard> = {
  bodyBytes: 'tests/server/http/limits/memory-budget.test.ts',
  waitingBodies: 'tests/server/http/limits/memory-budget.test.ts',
  responseBytes: 'tests/server/http/limits/memory-budget.test.ts',
  waitingResponses: 'tests/server/http/limits/memory-budget.test.ts',
  encodedChunks: SERIAL,
  hashedValues: SERIAL,
  pipelined: 'tests/server/http/limits/pipelining.test.ts',
  waitingRequests: 'tests/server/waiting/waits.test.ts',
  awaitedJobs: 'tests/server/waiting/waits.test.ts',
  hashedPasswords: SERIAL,
  checkedJobs: 'tests/server/programs/submission-thread.test.ts',
  uncheckedJobs: 'tests/server/programs/submission-thread.test.ts',
  waitingReads: 'tests/db/readers/waiting.test.ts',
  driverMessages: 'tests/server/drivers/receive.test.ts',
  driverBytes: 'tests/server/drivers/receive.test.ts',
  parsedEvents: SERIAL,
  logTails: 'tests/server/admin/logs/routes.test.ts',
  unreadLogBytes: {
    reason: 'the runtime bounds the queue of the stream; the attack superuser-log-tails reaches it',
  },
  unstoredLogBytes: 'tests/server/admin/logs/log-store.test.ts',
  mails: 'tests/server/mail/mailer.test.ts',
  attempts: 'tests/server/webhooks/lanes.test.ts',
  strainedAttempts: { reason: 'a loop of tests/server/webhooks/lanes.test.ts never ends without it' },
  attemptsOfUser: 'tests/server/webhooks/lanes.test.ts',
  streams: 'tests/server/realtime/streams.test.ts',
  guestStreams: STATED_ELSEWHERE,
  streamTopics: { reason: 'also in the shape of the request, which the OpenAPI document shows' },
  topics: 'tests/server/realtime/topic-use.test.ts',
  streamOptions: 'tests/server/realtime/topic-use.test.ts',
  options: 'tests/server/realtime/topic-use.test.ts',
  unreadEventBytes: 'tests/server/realtime/streams.test.ts',
  queuedChanges: 'tests/server/realtime/broadcast.test.ts',
  queuedForOptions: 'tests/server/realtime/broadcast.test.ts',
}

/** Each declared limit without its value. */
export const DECLARED_LIMITS: readonly LimitedFile[] = [
  ...without('RATES', RATES, OF_RATES, /\brate: \{[^}]*\}/, 'rate: { perSecond: 1e9, burst: 1e9 }'),
  ...without('COUNTS', COUNTS, OF_COUNTS, /\bbounds: \{[^}]*\}/, 'bounds: {}'),
]

function without(
  table: string,
  limits: Readonly<Record<string, { readonly row: readonly string[] }>>,
  guards: Readonly<Record<string, Guard>>,
  value: RegExp,
  nothing: string,
): LimitedFile[] {
  const start = SOURCE.indexOf(`export const ${table} =`)
  return Object.entries(limits).flatMap(([name, { row }]) => {
    const test = guards[name]
    if (typeof test !== 'string') return []
    const at = SOURCE.indexOf(`\n  ${name}: `, start)
    const check = SOURCE.slice(at, SOURCE.indexOf('}),\n', at))
    const limit = { limit: row[0] ?? name, check, without: check.replace(value, nothing) }
    return [{ file: FILE, test, limits: [limit] }]
  })
}
