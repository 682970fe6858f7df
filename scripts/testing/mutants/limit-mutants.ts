/** A limit on the cost of requests or messages, and how it is taken away. */
export interface LimitMutant {
  /** The limit, in the words of `docs/reference/limits.md`. */
  limit: string
  /** The text of its check, which the file contains once. */
  check: string
  /** What stands there without the limit. */
  without: string
}

/** A source file that checks limits, and the file of tests that has to fail without any one of them. */
export interface LimitedFile {
  file: string
  test: string
  limits: readonly LimitMutant[]
}

/** The limits of other layers, and what enforces the declared ones. */
export const OTHER_LIMITS: readonly LimitedFile[] = [
  {
    file: 'src/server/http/request/form-body.ts',
    test: 'tests/server/http/request/form-body.test.ts',
    limits: [
      mutant('fields of a form, parameters of a query', 'if (count <= MAX_FIELDS) return', 'return'),
      mutant('size of a form', "Math.min(maxBytes, BODIES.form.of({ kind: 'superuser' }))", 'maxBytes'),
    ],
  },
  {
    file: 'src/server/http/limits/json-shape.ts',
    test: 'tests/server/http/limits/json-shape.test.ts',
    limits: [
      mutant('JSON: nested lists and objects', 'depth > limits.depth', 'depth > 1e9'),
      mutant('JSON: keys of one object', '?? 0) > limits.keys', '?? 0) > 1e9'),
      mutant('JSON: texts, keys, lists and objects', 'parts > limits.parts', 'parts > 1e9'),
      mutant('JSON: values', 'values > limits.values', 'values > 1e9'),
    ],
  },
  {
    file: 'src/server/http/coding/decode-request.ts',
    test: 'tests/server/http/coding/decode-request.test.ts',
    limits: [
      mutant('window of a zstd body', 'windowLogMax]: MAX_WINDOW_LOG', 'windowLogMax]: 31'),
      mutant('memory of a body that grows when decoded', 'bytes > UNCOUNTED_BYTES', 'bytes > 1e12'),
    ],
  },
  {
    file: 'src/server/http/limits/memory-budget.ts',
    test: 'tests/server/http/limits/memory-budget.test.ts',
    limits: [mutant('time for which a large body waits', 'ms: MAX_WAIT_MS', 'ms: 1e9')],
  },
  {
    file: 'src/base/admission/turns.ts',
    test: 'tests/base/admission/turns.test.ts',
    limits: [
      mutant('requests that start at once', '&& !this.#slice.isOver', ''),
      mutant('waiting requests that start in one turn', 'if (!this.#slice.isOver) ', ''),
      mutant('time of others after bookings', 'if (this.#rest > 0 && this.#slice.isOver)', 'if (false)'),
    ],
  },
  {
    file: 'src/server/http/limits/pipelining.ts',
    test: 'tests/server/http/limits/pipelining.test.ts',
    limits: [
      mutant(
        'pipelined requests of a connection',
        '.takeFree(connection(), 1) !== undefined',
        ' !== undefined',
      ),
    ],
  },
  {
    file: 'src/server/admission/places.ts',
    test: 'tests/server/waiting/waits.test.ts',
    limits: [mutant('every declared number', 'if (bound !== undefined)', 'if (false)')],
  },
  {
    file: 'src/server/jobs/submission/read-submission.ts',
    test: 'tests/server/jobs/submission/read-submission.test.ts',
    limits: [mutant('executions of a job', 'executions > JOB_LIMITS.executions', 'executions > 1e9')],
  },
  {
    file: 'src/server/jobs/chip/job-extents.ts',
    test: 'tests/server/jobs/chip/job-extents.test.ts',
    limits: [mutant('executions that are judged', 'return this.#left < 0', 'return this.#left < -1e9')],
  },
  {
    file: 'src/server/programs/submission-thread.ts',
    test: 'tests/server/programs/submission-thread.test.ts',
    limits: [
      mutant('processor time to check the programs of a job', 'maxMs: MAX_CHECK_MS', 'maxMs: 1e9'),
      mutant(
        'time until the programs of a job are checked',
        'maxWallMs: MAX_CHECK_WALL_MS',
        'maxWallMs: 1e9',
      ),
    ],
  },
  {
    file: 'src/qasm/syntax/parse.ts',
    test: 'tests/qasm/limits.test.ts',
    limits: [
      mutant('tokens of a statement', 'remaining = p.limits.tokens', 'remaining = 1e12'),
      mutant('names of a program', 'p.names <= p.limits.names', 'p.names <= 1e12'),
    ],
  },
  {
    file: 'src/db/store/accounts/stored-bytes.ts',
    test: 'tests/server/jobs/submission/quota.test.ts',
    limits: [mutant('bytes that a user stores', 'used + bytes <= limit', 'used <= 1e18')],
  },
  {
    file: 'src/server/admission/inbound-budget.ts',
    test: 'tests/server/admission/inbound-budget.test.ts',
    limits: [
      mutant('bytes of a driver', 'if (wait > 0) return wait', ''),
      mutant('messages of a driver', 'if (messages > 0) return messages', ''),
      mutant('time of a driver without a turn of others', 'if (this.#slice.isOver)', 'if (false)'),
    ],
  },
  {
    file: 'src/server/drivers/receive.ts',
    test: 'tests/server/drivers/receive.test.ts',
    limits: [
      mutant('messages of a driver that wait', "this.#messages.exceeded('') ||", ''),
      mutant('bytes of a driver that wait', "|| this.#bytes.exceeded('', body.length)", ''),
      mutant(
        'size of an event',
        'body.byteLength > EVENT_LIMITS.acknowledgedBytes',
        'body.byteLength > 1e12',
      ),
      mutant('rate of events', 'count) === 0) return undefined', 'count) >= 0) return undefined'),
    ],
  },
  {
    file: 'src/base/log-sum.ts',
    test: 'tests/server/drivers/receive.test.ts',
    limits: [mutant('log lines about dropped events', 'if (this.#isWaiting) return', '')],
  },
  {
    file: 'src/protocol/zmtp/listen/unready-peers.ts',
    test: 'tests/protocol/zmtp/listen/unready-peers.test.ts',
    limits: [mutant('connections without handshake', 'this.#peers.size > this.#max', 'this.#max < 0')],
  },
  {
    file: 'src/server/drivers/hub.ts',
    test: 'tests/server/drivers/connections.test.ts',
    limits: [
      mutant(
        'connections of one address to ports',
        'RateLimiter(RATES.driverConnections, dependencies.clock',
        'RateLimiter(RATES.driverMessages, dependencies.clock',
      ),
    ],
  },
  {
    file: 'src/driver/connection/orphaned.ts',
    test: 'tests/driver/connection/orphaned.test.ts',
    limits: [
      mutant('files of unknown jobs', 'count < ORPHANED_LIMITS.files &&', ''),
      mutant('bytes of unknown jobs', 'bytes <= ORPHANED_LIMITS.bytes &&', ''),
      mutant('age of unknown jobs', '&& file.mtimeMs >= oldest', ''),
    ],
  },
  {
    file: 'src/db/readers/reader-pool.ts',
    test: 'tests/db/readers/reader-pool.test.ts',
    limits: [
      mutant('processor time of a list', '? superuserTimeoutMs : timeoutMs', '? superuserTimeoutMs : 1e9'),
      mutant('time until a list is read', 'Math.max(MIN_WALL_MS,', 'Math.max(1e9,'),
    ],
  },
  {
    file: 'src/server/http/response/text-file.ts',
    test: 'tests/server/http/response/text-file.test.ts',
    limits: [mutant('lines of a file that are written in one turn', "(text === '' || !isLate())", 'true')],
  },
  {
    file: 'src/server/bookings/booking-routes.ts',
    test: 'tests/server/bookings/booking-routes.test.ts',
    limits: [mutant('slots that a user books', 'slots.take(own.id, times.length)', 'slots.take(own.id)')],
  },
  {
    file: 'src/server/records/behaviors/time_slots.ts',
    test: 'tests/server/bookings/booking-routes.test.ts',
    limits: [
      mutant('slots that a user books by records', 'service.slots.take(caller.user.id)', 'return undefined'),
    ],
  },
  {
    file: 'src/db/query/access-path.ts',
    test: 'tests/db/query/read-page.test.ts',
    limits: [
      mutant('lists on the event loop', 'otherTerms === 0)', 'otherTerms >= 0)'),
      mutant('pages on the event loop', 'page * perPage <= MAX_PASSED', 'true'),
      mutant('small tables on the event loop', '?? 0) < MAX_SMALL_ROWS', '?? 0) < 1e12'),
      mutant('searches on the event loop', '&& matches.length === 0', ''),
    ],
  },
  {
    file: 'src/db/query/own-jobs.ts',
    test: 'tests/db/query/own-jobs.test.ts',
    limits: [mutant('own jobs on the event loop', 'isBySubmission ? user : undefined', 'user')],
  },
  {
    file: 'src/db/filter/language/parser.ts',
    test: 'tests/db/filter/language/parser.test.ts',
    limits: [
      mutant('characters of a filter', 'text.length > MAX_FILTER_CHARACTERS', 'text.length > 1e9'),
      mutant('comparisons of a filter', 'cursor.comparisons > MAX_COMPARISONS', 'cursor.comparisons > 1e9'),
      mutant('brackets of a filter', 'depth >= MAX_BRACKETS', 'depth >= 1e9'),
    ],
  },
  {
    file: 'src/db/filter/compile.ts',
    test: 'tests/server/records/read/list-and-view.test.ts',
    limits: [
      mutant('text right of ~', 'text.length > MAX_PATTERN_CHARACTERS', 'text.length > 1e9'),
      mutant('wildcards right of ~', 'wildcards > MAX_WILDCARDS', 'wildcards > 1e9'),
      mutant('all texts right of ~', 'sum <= MAX_PATTERNS_CHARACTERS', 'sum <= 1e9'),
    ],
  },
  {
    file: 'src/db/filter/resolve/last-field.ts',
    test: 'tests/server/records/read/list-and-view.test.ts',
    limits: [
      mutant('comparisons of large fields', '> MAX_LARGE_READS', '> 1e9'),
      mutant('large fields for the owner only', 'ownerKind !== authCollection?.name', 'false'),
    ],
  },
  {
    file: 'src/db/filter/resolve/path.ts',
    test: 'tests/db/filter/fuzz.test.ts',
    limits: [mutant('relations of a path', 'index >= MAX_HOPS', 'index >= 1e9')],
  },
  {
    file: 'src/db/filter/sort.ts',
    test: 'tests/db/filter/callers.test.ts',
    limits: [mutant('sort keys', 'keys.length > MAX_SORT_KEYS', 'keys.length > 1e9')],
  },
  {
    file: 'src/db/query/expand.ts',
    test: 'tests/db/query/query.test.ts',
    limits: [mutant('levels of expand', '.slice(0, MAX_DEPTH)', '')],
  },
  {
    file: 'src/db/query/expand.ts',
    test: 'tests/db/query/expand.test.ts',
    limits: [
      mutant('names of expand', '++names > MAX_NAMES', '++names > 1e9'),
      mutant('different records of expand', 'read.records > MAX_READ)', 'read.records > 1e9)'),
      mutant('records of an expanded response', 'budget.records < 0 ||', ''),
    ],
  },
  {
    file: 'src/db/query/expand.ts',
    test: 'tests/server/records/read/expand-size.test.ts',
    limits: [mutant('bytes of an expanded response', '|| budget.bytes < 0', '')],
  },
  {
    file: 'src/db/records/page-size.ts',
    test: 'tests/server/records/read/list-and-view.test.ts',
    limits: [mutant('large values of a page', 'sum > maxBytes) {', 'sum > 1e12) {')],
  },
  {
    file: 'src/server/realtime/topic-use.ts',
    test: 'tests/server/realtime/topic-use.test.ts',
    limits: [mutant('room for accounts', '!isGuest && this', 'false && this')],
  },
  {
    file: 'src/server/http/limits/login-throttle.ts',
    test: 'tests/server/auth/guessing.test.ts',
    limits: [
      mutant(
        'failed logins of an account from an address',
        'Math.max(...this.#byPair.map((limiter) => take(limiter, pair))) || ',
        '',
      ),
      mutant('failed logins from an address', ' || take(this.#byAddress, address)', ''),
      mutant('failed logins of an account', "account === '' ? 0 : take(this.#byAccount, account)", '0'),
    ],
  },
  {
    file: 'src/server/auth/access-audit.ts',
    test: 'tests/server/auth/access-audit.test.ts',
    limits: [mutant('counted uses audited at once', '.slice(0, MAX_FLUSHED)', '')],
  },
]

function mutant(limit: string, check: string, without: string): LimitMutant {
  return { limit, check, without }
}
