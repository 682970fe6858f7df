import { Database as Sqlite } from 'bun:sqlite'

/** Numbers of rows that a database is filled with. */
export interface Amounts {
  jobs: number
  events: number
}

/** Monitors that produced the events, one event per monitor every 5 s. */
const MONITORS = 20
const POLL_S = 5
const USERS = 1_000
const ROWS_AT_ONCE = 100_000
/** Length in s of the stored buckets, see `src/db/store/readings/reading-steps.ts`. */
const STEPS = [1, 15, 300, 7_200]
/** Two channels, as drivers send them. */
const PAYLOAD = `'{"readings":{"mapper.bf.tmixing":{"value":0.01' || (i % 10) || ',"unit":"K","status":"SYNCHRONIZED"},' ||
  '"mapper.bf.p1":{"value":0.5' || (i % 7) || ',"unit":"mbar","status":"SYNCHRONIZED"}}}'`

/**
 * Fills the database of a stopped server: completed jobs of many users, of which the first 1,500 and every
 * hundredth belong to `owner`, with all their rows; 20,000 jobs that are pending for a QPU without a driver;
 * and readings of 20 monitors up to now with their series. These are all the rows that a server would have
 * written, so that `svc doctor` accepts them, but written by bulk statements. Returns the id of one monitor.
 */
export function seed(
  path: string,
  { jobs, events }: Amounts,
  { owner, qpu }: { owner: string; qpu: string },
): string {
  using file = new Sqlite(path, { strict: true })
  file.run('PRAGMA synchronous = OFF')
  file.run('PRAGMA temp_store = MEMORY')
  file.run('PRAGMA cache_size = -200000')
  const now = Math.floor(Date.now() / 1_000)
  const run = (sql: string) => file.run(sql)
  const all = (count: number, sql: (numbers: string) => string) => {
    for (let first = 0; first < count; first += ROWS_AT_ONCE) {
      const last = Math.min(first + ROWS_AT_ONCE, count) - 1
      run(sql(`n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`))
    }
  }
  const at = `strftime('%Y-%m-%d %H:%M:%fZ', ${now - jobs} + i, 'unixepoch')`
  all(
    USERS,
    (numbers) => `WITH RECURSIVE ${numbers} INSERT INTO users (id, username, email, qpu_ms, created, updated)
      SELECT printf('user%011d', i), 'user' || i, 'user' || i || '@example.org', 1000000, ${at}, ${at} FROM n`,
  )
  run(
    `INSERT INTO qpus (id, name, num_qubits, created, updated) VALUES ('qpuwithoutdrive', 'idle', 24, '', '')`,
  )
  const job = `printf('job%012d', i)`
  const user = `CASE WHEN i % 100 = 0 OR i < 1500 THEN '${owner}' ELSE printf('user%011d', i % ${USERS}) END`
  all(
    jobs,
    (
      numbers,
    ) => `WITH RECURSIVE ${numbers} INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status,
        finished_at, duration, results, started_at, attempt, qubits, driver, qpu, claimed_at, epoch, history,
        created, updated)
      SELECT ${job}, ${user}, '${qpu}', '{"shots":100,"circuits":[{"circuit":"OPENQASM 3.0; qubit[2] q;"}]}',
        'completed', ${at}, 0.005, '{"counts":[{"00":50,"11":50}]}', ${at}, 1, 2, 'earlier', '${qpu}', ${at}, 1,
        ${historyOf(at, ['submitted', 'claimed', 'completed'])}, ${at}, ${at} FROM n`,
  )
  all(
    jobs,
    (numbers) => `WITH RECURSIVE ${numbers} INSERT INTO qpu_ledger (user, kind, source_id, delta_ms, at)
      SELECT ${user}, 'charge', ${job}, -5, ${at} FROM n`,
  )
  run(`INSERT INTO qpu_usage (user, month, qpu, jobs, used_ms, charged_ms)
       SELECT user, substr(at, 1, 7) AS month, '${qpu}', count(*), 5 * count(*), 5 * count(*) FROM qpu_ledger
       WHERE kind = 'charge' GROUP BY user, month`)
  const waiting = Math.min(20_000, jobs)
  all(
    waiting,
    (
      numbers,
    ) => `WITH RECURSIVE ${numbers} INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status, qubits,
        history, created, updated)
      SELECT printf('wait%011d', i), printf('user%011d', i % ${USERS}), 'qpuwithoutdrive', '{}', 'pending', 2,
        ${historyOf(at, ['submitted'])}, ${at}, ${at} FROM n`,
  )
  run(`INSERT INTO qpu_ledger (user, kind, source_id, delta_ms, at)
       SELECT id, 'opening', id, qpu_ms, created FROM users WHERE id LIKE 'user0%'`)
  run(`UPDATE users SET qpu_ms = coalesce((SELECT sum(delta_ms) FROM qpu_ledger WHERE user = users.id), 0)`)
  completeSums(file)
  seedEvents(run, all, { events, qpu, now })
  run('PRAGMA wal_checkpoint(TRUNCATE)')
  return monitorId(0)
}

/**
 * Marks the sums of all charges as written: by their position in the ledger, in a database of an executable
 * before migration 15 by the time of the last job.
 */
export function completeSums(file: Sqlite): void {
  const isByPosition = file
    .query("SELECT 1 FROM pragma_table_info('sums_watermark') WHERE name = 'position'")
    .get()
  file.run(
    isByPosition
      ? 'UPDATE sums_watermark SET position = (SELECT max(rowid) FROM qpu_ledger)'
      : 'UPDATE sums_watermark SET at = (SELECT max(finished_at) FROM quantum_jobs)',
  )
}

/** SQL for the events of a job, all at the time `at`. */
function historyOf(at: string, events: readonly string[]): string {
  const entries = events.map((event, step) => `json_array(${at}, '${event}', ${Math.min(step, 1)}, '')`)
  return entries.join(" || ',' || ")
}

const monitorId = (at: number) => `monitor${String(at).padStart(8, '0')}`
const MONITOR = `printf('monitor%08d', i % ${MONITORS})`

function seedEvents(
  run: (sql: string) => unknown,
  all: (count: number, sql: (numbers: string) => string) => void,
  { events, qpu, now }: { events: number; qpu: string; now: number },
): void {
  const first = now - Math.ceil(events / MONITORS) * POLL_S
  const seconds = `(${first} + i / ${MONITORS} * ${POLL_S})`
  const ts = `strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds}, 'unixepoch')`
  for (let at = 0; at < MONITORS; at += 1) {
    run(`INSERT INTO drivers (id, name, qpu, operation, token, created, updated)
         VALUES ('${monitorId(at)}', 'monitor_${at}', '${qpu}', 'monitor', 'token ${at}', '', '')`)
    run(`INSERT INTO reading_series (id, driver, channel, unit, last) VALUES
      (${2 * at + 1}, '${monitorId(at)}', 'mapper.bf.tmixing', 'K', ${now}),
      (${2 * at + 2}, '${monitorId(at)}', 'mapper.bf.p1', 'mbar', ${now})`)
  }
  all(
    events,
    (numbers) => `WITH RECURSIVE ${numbers}
      INSERT INTO events (id, source, driver, qpu, type, payload, ts, created, updated)
      SELECT printf('ev%013d', i), 'monitor_' || (i % ${MONITORS}), ${MONITOR}, '${qpu}', 'CryostatReading', ${PAYLOAD},
        ${ts}, ${ts}, ${ts} FROM n`,
  )
  // One monitor after the other, so that each part of the table is written in key order.
  const polls = Math.ceil(events / MONITORS)
  for (const step of STEPS) {
    const count = Math.max(1, Math.floor(step / POLL_S))
    const buckets = Math.ceil((polls * POLL_S) / Math.max(step, POLL_S))
    for (let at = 0; at < MONITORS; at += 1) {
      all(
        buckets,
        (numbers) => `WITH RECURSIVE ${numbers}
          INSERT INTO reading_buckets (driver, step, start, series, low, high, total, readings)
          SELECT '${monitorId(at)}', ${step}, (${first} / ${step} + i * ${Math.max(step, POLL_S) / step}) * ${step},
            ${2 * at + 1} + channel.value, 0.01, 0.02, 0.015 * ${count}, ${count} FROM n, json_each('[0, 1]') channel`,
      )
    }
  }
  run(`INSERT INTO meta (key, value) SELECT 'readings_rolled_up', max(seq) FROM events HAVING max(seq) IS NOT NULL
       ON CONFLICT DO UPDATE SET value = excluded.value`)
}
