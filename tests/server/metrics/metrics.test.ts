import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { Histogram, metric, writeMetrics } from '../../../src/server/metrics/exposition.ts'
import { damageTable } from '../../support/faults/damage-table.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { openTestServer, startDriverProcess } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'

test('Histogram counts up to each bound, inclusive', () => {
  const histogram = new Histogram([1, 5])
  for (const value of [0.5, 1, 3, 9]) histogram.observe(value)
  expect(writeMetrics([histogram.read('wait', 'How long')]).split('\n')).toEqual([
    '# HELP wait How long',
    '# TYPE wait histogram',
    'wait_bucket{le="1"} 2',
    'wait_bucket{le="5"} 3',
    'wait_bucket{le="+Inf"} 4',
    'wait_sum 13.5',
    'wait_count 4',
    '',
  ])
})

test('writeMetrics() escapes the values of labels', () => {
  const text = writeMetrics([metric('a_total', 'Of a', [{ labels: { name: 'x"\\\n' }, value: 2 }])])
  expect(text).toBe('# HELP a_total Of a\n# TYPE a_total counter\na_total{name="x\\"\\\\\\n"} 2\n')
})

describe('GET /metrics', () => {
  test('counts the steps of jobs and the connected drivers', async () => {
    await using test = await openTestServer()
    const user = test.as(await test.createUser({ qpuSeconds: 100 }))
    const qpu = await test.createQpu('north')
    const submit = async () => {
      const body = { circuits: [{ circuit: BELL }], shots: 10, qpu_target: 'north' }
      return (await user.post('/api/jobs', body)).text('id')
    }
    const [first, second] = [await submit(), await submit()]
    expect((await user.post(`/api/jobs/${second}/cancel`)).status).toBe(200)
    await using _ = await startDriverProcess(test, { token: qpu.token })
    await until('the job to end', async () => {
      const job = await test.db.read((tx) => tx.find(quantumJobs, first))
      return job?.status === 'completed'
    })
    await test.db.write('edit', (tx) => tx.update(quantumJobs, first, { error_code: 'none' }))
    await until('an observation of the event loop', async () => {
      const text = await (await fetch(`${test.url}/metrics`)).text()
      return /^svc_event_loop_delay_seconds_count [1-9]/m.test(text)
    })
    const response = await fetch(`${test.url}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = (await response.text()).split('\n')
    expect(lines.filter((line) => line.startsWith('svc_job_steps_total'))).toEqual([
      'svc_job_steps_total{step="submitted"} 2',
      'svc_job_steps_total{step="dispatched"} 1',
      'svc_job_steps_total{step="requeued"} 0',
      'svc_job_steps_total{step="completed"} 1',
      'svc_job_steps_total{step="failed"} 0',
      'svc_job_steps_total{step="cancelled"} 1',
    ])
    expect(lines).toContain('svc_jobs{status="pending"} 0')
    expect(lines).toContain('svc_dispatch_seconds_count 1')
    expect(lines).toContain('svc_events_dropped_total{reason="rate_limit"} 0')
    expect(lines).toContain('svc_storage_refusals_total 0')
    const sizes = { svc_database_log_bytes: 0, svc_disk_free_bytes: 0, svc_database_bytes: 100_000 }
    for (const [name, least] of Object.entries(test.db.files ? sizes : {})) {
      const line = lines.find((each) => each.startsWith(`${name} `))
      expect(Number(line?.split(' ')[1])).toBeGreaterThan(least)
    }
    expect(lines).toContain('svc_drivers{operation="process",state="attached"} 1')
    expect(lines).toContain('svc_drivers{operation="monitor",state="attached"} 0')
    expect(lines).toContain('svc_event_streams 0')
    expect(lines).toContain('svc_job_wait_seconds_count 1')
    // Every line is a comment or a sample of the format.
    const wrong = lines.filter(
      (line) => line !== '' && !/^(# (HELP|TYPE) .+|\w+(\{.*\})? ([\d.e+-]+|\+Inf))$/.test(line),
    )
    expect(wrong).toEqual([])
  })

  test('counts a requeued job, but its wait only once', async () => {
    await using test = await openTestServer()
    const user = test.as(await test.createUser({ qpuSeconds: 100 }))
    const { driver } = await test.createQpu('north')
    const job = (await user.post('/api/jobs', { circuits: [{ circuit: BELL }], shots: 1 })).text('id')
    for (const attempt of [1, 2]) {
      await test.db.write('claim', (tx) =>
        tx.update(quantumJobs, job, { status: 'running', attempt, driver }),
      )
      await test.db.write('start', (tx) => tx.update(quantumJobs, job, { started_at: tx.at }))
      await test.db.write('lose', (tx) =>
        tx.update(quantumJobs, job, { status: 'pending', driver: '', started_at: '' }),
      )
    }
    // Actions of operators on a pending job do not requeue it.
    await test.admin.post(`/api/op/jobs/${job}/hold`)
    const text = await (await fetch(`${test.url}/metrics`)).text()
    expect(text).toContain(
      'svc_jobs{status="pending"} 0\nsvc_jobs{status="running"} 0\nsvc_jobs{status="held"} 1\n',
    )
    expect(text).toContain(
      'svc_job_steps_total{step="dispatched"} 2\nsvc_job_steps_total{step="requeued"} 2\n',
    )
    expect(text).toContain('svc_job_wait_seconds_count 1\n')
  })

  test.skipIf(onlySqlite('its file'))('names what a damaged table keeps it from counting', async () => {
    await using test = await openTestServer()
    await damageTable(join(test.folder, 'svc_data/svc.db'), 'mail_items')
    const lines = (await (await fetch(`${test.url}/metrics`)).text()).split('\n')
    expect(lines).toContain('svc_mail_items_waiting NaN')
    expect(lines).toContain('svc_unreadable_figures 1')
    expect(lines).toContain('svc_jobs{status="pending"} 0')
    expect((await test.admin.get('/api/op/service')).body).toMatchObject({
      unreadable: [{ metric: 'svc_mail_items_waiting', reason: expect.stringContaining('is damaged') }],
    })
  })

  test('is for superusers, and for local callers without a proxy', async () => {
    await using test = await openTestServer()
    const user = await test.createUser()
    const get = async (headers: Record<string, string>) =>
      (await fetch(`${test.url}/metrics`, { headers })).status
    expect(await get({})).toBe(200)
    const proxied = { 'x-forwarded-for': '203.0.113.7' }
    expect(await get(proxied)).toBe(401)
    expect(await get({ ...proxied, authorization: user.token })).toBe(403)
    expect(await get({ ...proxied, authorization: test.superuser.token })).toBe(200)
  })
})
