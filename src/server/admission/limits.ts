import { AppError, DAY_S, KIB, MIB } from '../../base/index.ts'
import {
  bodySize,
  computed,
  count,
  type Excess,
  fixed,
  ofSetting,
  refusedAsBusy,
  refusedAtOnce,
} from './declare.ts'

export type { BodySize, Count, Rate } from './declare.ts'

/** The largest body of each kind. */
export const BODIES = {
  job: bodySize('Body of `POST /api/jobs` and of a job record', { user: 16 * MIB, superuser: 16 * MIB }, '–'),
  record: bodySize('Body of another record', { user: MIB, superuser: 16 * MIB }),
  other: bodySize('Body of another route', { user: MIB, superuser: MIB }),
  // Parsed on the event loop.
  form: bodySize('Form, URL-encoded or multipart', { user: MIB, superuser: MIB }),
} as const

/** Every limit on the rate of requests, connections and messages. */
export const RATES = {
  guestRequests: ofSetting({
    what: 'Requests without login, of an address',
    of: 'address',
    setting: 'anonymousRate',
    refusal: '429',
  }),
  userRequests: ofSetting({
    what: 'Requests of a user',
    of: 'account',
    setting: 'userRate',
    refusal: '429',
  }),
  signUps: ofSetting({
    what: 'Sign-ups from an address',
    of: 'address',
    setting: 'signupRate',
    refusal: '429',
  }),
  submissions: ofSetting({
    what: 'Jobs that a user submits',
    of: 'account',
    setting: 'submitRate',
    refusal: '429',
  }),
  driverEvents: computed({
    what: 'Rate-limited events (readings, progress, hellos)',
    of: 'driver',
    text: '`--event-rate-limit`, 100 per second; one above 4 KiB counts once per 4 KiB',
    refusal: 'dropped',
  }),
  failedLogins: computed({
    what: 'Failed logins of an account from an address',
    of: 'address',
    text: '`--login-rate` at once, then after 1, 2, 4, 8 and each 16 minutes, per account and address',
    refusal: '429',
  }),
  failedLoginsOfAccount: computed({
    what: 'Failed logins of an account from all addresses',
    of: 'account',
    text: '10 times `--login-rate` at once and in each hour; addresses of earlier logins are free',
    refusal: '429',
  }),
  failedLoginsOfAddress: computed({
    what: 'Failed logins from an address to all accounts',
    of: 'address',
    text: '10 times `--login-rate` at once and in each hour',
    refusal: '429',
  }),
  mailedLinks: fixed({
    what: 'Mails with a link of one purpose',
    of: 'account',
    rate: { perSecond: 1 / 120, burst: 2 },
    refusal: 'none is sent; the response is the same',
  }),
  apiTokens: fixed({
    what: 'New API tokens, and new links to jobs and reports',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 60 },
    refusal: '429',
  }),
  auditedUses: fixed({
    what: 'Entries of the audit log about the use of an account',
    of: 'account',
    rate: { perSecond: 100 / DAY_S, burst: 100 },
    text: '100 per day and account',
    refusal: 'counted',
  }),
  countedUses: fixed({
    what: 'Counted entries of the audit log',
    of: 'everybody',
    rate: { perSecond: 1_000 / DAY_S, burst: 1_000 },
    text: '1,000 per day',
    refusal: 'one entry per hour has their number',
  }),
  emptyLists: fixed({
    what: 'Filtered lists without a result, where a rule hides records',
    of: 'address',
    rate: { perSecond: 1, burst: 3 },
    text: '1 per second, 3 at once, per address and collection',
    refusal: 'delayed by up to 500 ms',
  }),
  slots: fixed({
    what: 'Slots that a user books or moves, each slot of a repetition; sessions that a user opens or extends',
    of: 'account',
    rate: { perSecond: 0.5, burst: 60 },
    refusal: '429',
  }),
  calendarChanges: fixed({
    what: 'New addresses and changes of a calendar',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 10 },
    refusal: '429',
  }),
  calendarReads: fixed({
    what: 'Reads of a calendar',
    of: 'secret address',
    rate: { perSecond: 0.1, burst: 10 },
    refusal: '429',
  }),
  webhookChanges: fixed({
    what: 'Changes, rotations and test deliveries of webhooks',
    of: 'account',
    rate: { perSecond: 0.1, burst: 20 },
    refusal: '429',
  }),
  driverConnections: fixed({
    what: 'Connections of one address to the ports of all drivers',
    of: 'address',
    rate: { perSecond: 50, burst: 200 },
    refusal: 'refused before TLS',
  }),
  driverMessages: fixed({
    what: 'Messages of one driver',
    of: 'driver',
    rate: { perSecond: 2_000, burst: 4_000 },
    refusal: 'the server reads more slowly',
  }),
  driverBytes: fixed({
    what: 'Bytes of one driver',
    of: 'driver',
    // The burst is also the largest message that can pass.
    rate: { perSecond: 8 * MIB, burst: 64 * MIB },
    text: '8 MiB per second, 64 MiB at once',
    refusal: 'the server reads more slowly',
  }),
} as const

const JOB_WAITS = {
  reason: 'too_many_waiting_requests',
  remedy: 'ask for many jobs with one POST /api/jobs/changes',
  retryAfterS: 5,
}

const TURNS = { bounds: { all: 1 }, refusal: 'waits; callers take turns' } as const

const LARGE_BODIES = refusedAsBusy('too_many_large_bodies', 'The server is processing other large requests')
const LARGE_RESPONSES = refusedAsBusy(
  'too_many_large_responses',
  'The server is sending other large responses',
)

/** Refuses topics of a client with 429, those beyond what there is for all with 503. */
const topics = (things: string, advice = '') => ({
  refusal: '429; in all 503, after guests made room for an account',
  refuse: ({ bound, most, amount, isGuest }: Excess) =>
    bound === 'all'
      ? new AppError(
          'unavailable',
          `All ${most} ${things} are in use${advice}, or ${isGuest ? 'log in' : 'try again later'}`,
          { retryAfter: 60 },
        )
      : new AppError(
          'limited',
          `${amount} ${things} ${isGuest ? 'from one address without login' : 'per account'}, more than the limit of ${most}; ${FEWER_TOPICS}`,
          { retryAfter: 60 },
        ),
})

const FEWER_TOPICS = 'subscribe to fewer topics, or to whole collections without options'

/** Every limit on a number of things, or of bytes, at the same time. */
export const COUNTS = {
  // Two jobs with the largest programs. While a body is read, checked and stored it takes about 7 times its
  // size (measured: 128 MiB for two of 9 MB); a server needs 100 MiB for itself.
  bodyBytes: count({
    what: 'Bodies above 1 MiB that are read and stored at once',
    bounds: { account: 10 * MIB, all: 20 * MIB },
    unit: 'bytes',
    refusal: 'waits up to 20 s, then 503 `too_many_large_bodies`',
  }),
  // More are not admitted within 20 s.
  waitingBodies: count({ what: 'Such bodies that wait', bounds: { all: 64 }, ...LARGE_BODIES }),
  responseBytes: count({
    what: 'Responses and files above 512 KiB that are sent at once',
    bounds: { account: 8 * MIB, all: 32 * MIB },
    text: '16, in 2 MiB of memory each; 4 per guest address or account',
    refusal: 'waits up to 20 s, then 503 `too_many_large_responses`',
  }),
  waitingResponses: count({
    what: 'Responses above 512 KiB that wait',
    bounds: { account: 16, all: 64 },
    ...LARGE_RESPONSES,
  }),
  encodedChunks: count({ what: 'Chunks of such responses that are encoded at once', ...TURNS }),
  hashedValues: count({
    what: 'Programs and results above 64 KiB that are hashed at once, for receipts',
    ...TURNS,
  }),
  pipelined: count({
    what: 'Requests of one connection that arrive together (pipelined)',
    bounds: { account: 32 },
    per: 'connection',
    refusal: '429 `too_many_pipelined`; the connection ends',
  }),
  waitingRequests: count({
    what: 'Requests that wait for a job, or for a session (`?wait=`)',
    bounds: { account: 250, all: 5_000 },
    ...refusedAtOnce({ things: 'waiting requests', ...JOB_WAITS }),
  }),
  awaitedJobs: count({
    what: 'Jobs that requests wait for',
    bounds: { account: 5_000, all: 50_000 },
    ...refusedAtOnce({ things: 'jobs that requests wait for', ...JOB_WAITS }),
  }),
  hashedPasswords: count({
    what: 'Passwords that are hashed at once',
    // One processor core remains for the event loop, which everybody else waits for.
    bounds: { all: Math.max(1, Math.min(4, navigator.hardwareConcurrency - 1)) },
    text: '4, and one less than the machine has cores',
    refusal: 'waits',
  }),
  checkedJobs: count({
    what: 'Jobs with expensive programs that are checked at once',
    bounds: { all: 1 },
    refusal: 'waits; accounts take turns',
  }),
  // More would wait longer than 30 s, after which idle connections are closed.
  uncheckedJobs: count({
    what: 'Jobs with expensive programs that wait for their check',
    bounds: { account: 20, all: 100 },
    ...refusedAsBusy('too_many_large_programs', 'The server is checking other large programs'),
  }),
  waitingReads: count({
    what: 'Such lists that wait',
    bounds: { account: 20, all: 200 },
    text: '20 per guest address or account, 200 in all',
    refusal: '429, 503 `too_many_reads`',
    refuse: ({ bound, most }) =>
      bound === 'account'
        ? new AppError(
            'limited',
            `${most} of your lists wait for the database already; send them one after another`,
            { reason: 'too_many_reads', retryAfter: 2 },
          )
        : new AppError('unavailable', `${most} lists wait for the database; try again later`, {
            reason: 'too_many_reads',
            retryAfter: 5,
          }),
  }),
  driverMessages: count({
    what: 'Messages received and not processed',
    bounds: { all: 64 },
    refusal: 'the socket is paused',
  }),
  driverBytes: count({
    what: 'Bytes of messages received and not processed',
    bounds: { all: MIB },
    unit: 'bytes',
    refusal: 'the socket is paused',
  }),
  parsedEvents: count({
    what: 'Events above 64 KiB that are parsed at once',
    bounds: { all: 1 },
    refusal: 'waits',
  }),
  logTails: count({
    what: 'Clients that follow the log',
    bounds: { all: 10 },
    text: '10; each for 10 minutes',
    ...refusedAtOnce({
      things: 'clients that follow the log',
      reason: 'too_many_tails',
      remedy: 'end one of them',
      retryAfterS: 10,
    }),
  }),
  unreadLogBytes: count({
    what: 'Bytes that such a client has not read',
    bounds: { all: 256 * KIB },
    unit: 'bytes',
    refusal: 'dropped; an event `dropped` has their number',
  }),
  unstoredLogBytes: count({
    what: 'Log lines in memory that wait for the disk',
    bounds: { all: MIB },
    text: '1 MiB; lines above 64 KiB are stored without their fields',
    refusal: 'dropped; a line has their number',
  }),
  mails: count({
    what: 'Mails without a stored copy that wait to be sent',
    bounds: { all: 500 },
    refusal: 'dropped, with a line of the log',
  }),
  attempts: count({
    what: 'Attempts at once to receivers that respond well',
    bounds: { all: 32 },
    refusal: 'waits',
  }),
  strainedAttempts: count({
    what: 'Attempts at once to receivers whose last attempt failed or was slow',
    bounds: { account: 1, all: 16 },
    per: 'webhook',
    refusal: 'waits',
  }),
  attemptsOfUser: count({
    what: 'Attempts at once to all receivers of a user',
    bounds: { account: 4 },
    refusal: 'waits',
  }),
  streams: count({
    what: 'Event streams',
    bounds: { account: 5, all: 2_000 },
    refusal: '429; in all the oldest stream of a guest ends, without guests 503',
    refuse: ({ bound, most }) =>
      bound === 'account'
        ? new AppError('limited', `A user can have at most ${most} streams; close another page first`, {
            retryAfter: 60,
          })
        : new AppError('unavailable', `All ${most} streams are in use`, { retryAfter: 60 }),
  }),
  guestStreams: count({
    what: 'Event streams from an address without login',
    bounds: { account: 50 },
    text: '`--guest-streams`, 50',
    refusal: '429',
    refuse: ({ most }) =>
      new AppError(
        'limited',
        `An address can have at most ${most} event streams without login; close another page, or send a login or API token with the request that opens the stream`,
        { retryAfter: 60 },
      ),
  }),
  // Each with the name of a collection and possibly a record.
  streamTopics: count({
    what: 'Topics of one event stream',
    bounds: { account: 1_000 },
    per: 'stream',
    refusal: '400 `invalid`',
  }),
  topics: count({
    what: 'Topics of all event streams',
    bounds: { account: 5_000, all: 100_000 },
    text: '5,000 per account or guest address, 100,000 in all',
    ...topics('topics'),
  }),
  streamOptions: count({
    what: 'Topics with options of one event stream',
    bounds: { account: 50 },
    per: 'stream',
    refusal: '429',
    refuse: ({ most, amount }) =>
      new AppError(
        'limited',
        `${amount} topics with options on one stream, more than the limit of ${most}; ${FEWER_TOPICS}`,
        { retryAfter: 60 },
      ),
  }),
  // The server evaluates and encodes these on their own for each change. The total counts evaluations: topics
  // with the same text count once, unless their options depend on the caller.
  options: count({
    what: 'Distinct topics with options of all event streams',
    bounds: { account: 100, all: 500 },
    text: '100 per account or guest address, 500 in all',
    ...topics('topics with options', '; subscribe without filter, expand and fields'),
  }),
  // A single event may exceed the limit.
  unreadEventBytes: count({
    what: 'Bytes that a client of an event stream has not read',
    bounds: { account: MIB, all: 128 * MIB },
    unit: 'bytes',
    per: 'stream',
    refusal: 'the stream ends; in all those with the most',
  }),
  // With more, reloading is cheaper for the clients.
  queuedChanges: count({
    what: 'Changes that wait to be published',
    bounds: { all: 10_000 },
    refusal: 'all event streams end',
  }),
  queuedForOptions: count({
    what: 'Changes that wait mostly because of topics with options',
    bounds: { all: 1_000 },
    refusal: 'the streams of the client with most of these end',
  }),
} as const
