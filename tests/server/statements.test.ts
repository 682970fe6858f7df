import { Database as Sqlite } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { onlySqlite } from '../support/postgres/only-sqlite.ts'
import { PAYLOAD } from '../support/server/job-lab.ts'
import { openTestServer, startDriverProcess, type TestServer } from '../support/server/server.ts'
import { until } from '../support/until.ts'

/**
 * Tables that grow with use. Without `quantum_jobs_large`, which contains the few large programs and is read
 * once an hour.
 */
const GROWING = [
  ...['quantum_jobs', 'quantum_jobs_tags', 'job_attempts', 'qpu_ledger', 'qpu_usage', 'recent_use'],
  ...[
    'audit_log',
    'events',
    'reading_buckets',
    'calibration_requests',
    'calibration_results',
    'notifications',
  ],
  ...['calibration_values', 'calibration_latest', 'time_slots', 'users', 'webhook_deliveries', 'mail_items'],
]
const SCAN = new RegExp(`^SCAN (?:${GROWING.join('|')})\\b(?! USING (?:COVERING )?INDEX)`)
const LAST_ROW = /ORDER BY seq DESC LIMIT 1$/
/** One number of each account, for a scrape: an index of it would cost each job a page. */
const BYTES_OF_ALL = /^SELECT coalesce\(sum\(job_bytes\), 0\) AS bytes FROM users$/

interface Task {
  id: string
  running: boolean
  last_run: string
}

/** Runs each background task once more, to its end. */
async function runTasks({ admin }: TestServer): Promise<void> {
  const list = async () => (await admin.get('/api/op/tasks')).get('tasks') as Task[]
  const isIdle = async () => (await list()).every(({ running }) => !running)
  await until('the first runs to end', isIdle)
  const before = new Map((await list()).map(({ id, last_run }) => [id, last_run]))
  expect(before.size).toBeGreaterThan(8)
  for (const id of before.keys()) {
    const { status } = await admin.post(`/api/op/tasks/${encodeURIComponent(id)}/run`)
    // Refused while it runs, which is as good.
    expect([202, 409]).toContain(status)
  }
  await until('each task to run', async () =>
    (await list()).every(({ id, running, last_run }) => !running && last_run !== before.get(id)),
  )
}

/** Runs a job to its end, cancels another, and runs every background task. */
async function useServer(test: TestServer): Promise<void> {
  const qpu = await test.createQpu()
  const user = test.as(await test.createUser({ qpuSeconds: 100 }))
  await using _driver = await startDriverProcess(test, { token: qpu.token })
  const job = await user.post('/api/jobs', { ...PAYLOAD, qpu_target: qpu.id })
  const done = await user.get(`/api/jobs/${job.text('id')}?wait=30`)
  expect(done.text('status')).toBe('completed')
  await test.admin.post(`/api/op/qpus/${qpu.name}/drain`, { reason: 'service' })
  const waiting = await user.post('/api/jobs', { ...PAYLOAD, qpu_target: qpu.id })
  await user.get(`/api/jobs/${waiting.text('id')}`)
  await user.get('/api/jobs?limit=20')
  await user.post(`/api/jobs/${waiting.text('id')}/cancel`)
  await runTasks(test)
}

test.skipIf(onlySqlite('its plans'))(
  'neither the way of a job nor a background task reads a growing table from end to end',
  async () => {
    const spy = spyOn(Sqlite.prototype, 'prepare')
    await using test = await openTestServer()
    const statements = new Set<string>()
    try {
      await useServer(test)
      for (const [sql] of spy.mock.calls) statements.add(sql)
    } finally {
      spy.mockRestore()
    }
    await test.close()
    using file = new Sqlite(join(test.folder, 'svc_data/svc.db'), { readonly: true })
    // Tables of the connection that writes, which are not in the file.
    for (const sql of statements) if (sql.startsWith('CREATE TEMP TABLE')) file.run(sql)
    const scans = [...statements]
      .filter(
        (sql) =>
          /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(sql) &&
          !LAST_ROW.test(sql) &&
          !BYTES_OF_ALL.test(sql),
      )
      .flatMap((sql) =>
        file
          .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .filter(({ detail }) => SCAN.test(detail))
          .map(({ detail }) => `${detail}: ${sql}`),
      )
    expect(statements.size).toBeGreaterThan(60)
    expect(scans).toEqual([])
  },
)
