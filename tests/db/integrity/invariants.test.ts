import { describe, expect, test } from 'bun:test'
import { checkInvariants, type Database, diagnose } from '../../../src/db/index.ts'
import { appendAudit } from '../../../src/db/journal/index.ts'
import { appendTimeline, type JobEvent } from '../../../src/db/journal/timeline.ts'
import { qpuTimeRequests, users } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { writeSums } from '../../../src/db/sums/write.ts'
import { openTestDatabase } from '../../support/database.ts'

/** Rows that satisfy every invariant: a completed, a running, a cancelled job and an approved request. */
async function seed(db: Database) {
  return db.write('seed', (tx) => {
    const user = tx.insert(users, { username: 'ada', qpu_seconds: 100 }).id
    const qpu = tx.insert(qpus, { name: 'north' }).id
    const driver = tx.insert(drivers, { name: 'one', qpu, operation: 'process', token: 'a' }).id
    tx.run("INSERT INTO leases (qpu, operation, driver, epoch) VALUES ($qpu, 'process', $driver, 3)", {
      qpu,
      driver,
    })
    const claim = (job: string) =>
      tx.run(
        'UPDATE quantum_jobs SET driver = $driver, qpu = $qpu, epoch = 3, claimed_at = $at WHERE id = $job',
        { job, driver, qpu, at: tx.at },
      )
    const book = (kind: string, source: string, delta: number) => {
      tx.run(
        `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at, qpu)
         VALUES ($user, $kind, $source, $delta, $at, $qpu)`,
        { user, kind, source, delta, at: tx.at, qpu },
      )
      tx.run('UPDATE users SET qpu_ms = qpu_ms + $delta WHERE id = $user', { user, delta })
    }
    const jobIn = (status: 'completed' | 'running' | 'cancelled', attempt: number) =>
      tx.insert(quantumJobs, {
        user_id: user,
        qpu_target: qpu,
        status,
        attempt,
        finished_at: status === 'running' ? '' : tx.at,
      }).id
    const addEvents = (job: string, ...events: JobEvent[]) => {
      for (const event of events) {
        appendTimeline(tx, job, { event, attempt: 0, detail: '' })
      }
    }
    const completed = jobIn('completed', 1)
    claim(completed)
    addEvents(completed, 'submitted', 'claimed', 'started', 'completed')
    book('charge', completed, -500)
    const running = jobIn('running', 1)
    claim(running)
    addEvents(running, 'submitted', 'claimed')
    const cancelled = jobIn('cancelled', 0)
    addEvents(cancelled, 'submitted', 'cancelled')
    const request = tx.insert(qpuTimeRequests, { user, seconds: 1.5 }).id
    tx.update(qpuTimeRequests, request, { status: 'approved' })
    book('grant', request, 1_500)
    writeSums(tx)
    return { user, qpu, driver, completed, running, cancelled, request }
  })
}

describe('checkInvariants()', () => {
  test('finds nothing when every invariant holds', async () => {
    await using test = await openTestDatabase()
    await seed(test.db)
    expect(await test.db.read((tx) => checkInvariants(tx))).toEqual([])
    expect(await test.db.read((tx) => diagnose(tx, { maxAttempts: 5 }))).toEqual([])
  })

  const breaks: [id: string, what: string, sql: string[]][] = [
    [
      'I1',
      'a job that continued after its end',
      ["UPDATE quantum_jobs SET history = replace(history, 'started', 'cancelled') WHERE id = $completed"],
    ],
    ['I3', 'a charge of a running job', ["UPDATE qpu_ledger SET source_id = $running WHERE kind = 'charge'"]],
    [
      'I14',
      'a change that the timeline does not know',
      ["UPDATE quantum_jobs SET history = replace(history, 'cancelled', 'held') WHERE id = $cancelled"],
    ],
    ['I2', 'a claim that was not counted', ['UPDATE quantum_jobs SET attempt = 2 WHERE id = $completed']],
    ['I3', 'a completed job without charge', ['DELETE FROM qpu_ledger WHERE source_id = $completed']],
    [
      'I4',
      'a completed job whose attempt was lost',
      ["UPDATE quantum_jobs SET claimed_at = '' WHERE id = $completed"],
    ],
    [
      'I4',
      'an accepted attempt of a cancelled job',
      [
        `INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
         VALUES ($cancelled, 1, '', '', 3, 'ok', '', '', '')`,
      ],
    ],
    ['I6', 'a cancelled job with results', ["UPDATE quantum_jobs SET results = '{}' WHERE id = $cancelled"]],
    [
      'I6',
      'a cancelled job with results outside of its row',
      ["INSERT INTO quantum_jobs_large (record, field, body) VALUES ($cancelled, 'results', '{}')"],
    ],
    ['I7', 'an epoch from the future', ['UPDATE quantum_jobs SET epoch = 4 WHERE id = $running']],
    [
      'I10',
      'two running jobs on one QPU',
      [
        'DROP INDEX quantum_jobs_status_qpu_unique',
        "UPDATE quantum_jobs SET status = 'running', finished_at = '' WHERE id = $completed",
      ],
    ],
    ['I11', 'a balance without ledger', ['UPDATE users SET qpu_ms = qpu_ms + 1 WHERE id = $user']],
    [
      'I12',
      'a grant of a rejected request',
      ["UPDATE qpu_time_requests SET status = 'rejected' WHERE id = $request"],
    ],
    ['I11', 'a watermark ahead of the ledger', ['UPDATE sums_watermark SET position = position + 1']],
    ['I11', 'usage of another time than charged', ['UPDATE qpu_usage SET charged_ms = charged_ms + 1']],
    ['I12', 'a grant of another amount', ['UPDATE qpu_ledger SET delta_ms = 1 WHERE source_id = $request']],
    ['I14', 'a running job without a claim', ["UPDATE quantum_jobs SET claimed_at = '' WHERE id = $running"]],
    [
      'relations',
      'a job without an owner',
      ["UPDATE quantum_jobs SET user_id = 'nobody000000000' WHERE id = $cancelled"],
    ],
  ]

  test.each(breaks)('%s finds %s', async (id, _what, sql) => {
    await using test = await openTestDatabase()
    const ids: Record<string, string> = await seed(test.db)
    await test.db.write('break', (tx) => {
      for (const statement of sql) {
        const [, name] = /\$(\w+)/.exec(statement) ?? []
        tx.run(statement, name ? { [name]: ids[name] ?? '' } : {})
      }
    })
    const findings = await test.db.read((tx) => diagnose(tx, { maxAttempts: 5 }))
    expect(findings.map((finding) => finding.id)).toContain(id)
    expect(findings.find((finding) => finding.id === id)?.rows).toHaveLength(1)
  })

  test('I9 finds a job that is retried after its last allowed attempt', async () => {
    await using test = await openTestDatabase()
    const { running, driver, qpu } = await seed(test.db)
    await test.db.write('try', (tx) => {
      for (const attempt of [2, 3]) {
        tx.run(
          `INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
           VALUES ($running, $attempt, $driver, $qpu, 3, 'lost', '', '', '')`,
          { running, attempt, driver, qpu },
        )
      }
    })
    const found = (maxAttempts: number) =>
      test.db.read((tx) => checkInvariants(tx, { maxAttempts }).some((finding) => finding.id === 'I9'))
    expect([await found(2), await found(3), await found(0)]).toEqual([true, false, false])
    await test.db.write('end', (tx) =>
      tx.run(
        "UPDATE quantum_jobs SET status = 'failed', finished_at = $at, claimed_at = '' WHERE id = $running",
        {
          running,
          at: tx.at,
        },
      ),
    )
    expect(await found(2)).toBe(false)
  })

  test.each([
    ['changed', "UPDATE audit_log SET detail = '{}' WHERE seq = 2"],
    ['removed', 'DELETE FROM audit_log WHERE seq = 1'],
  ])('diagnose() finds an entry of the audit log that was %s', async (_what, sql) => {
    await using test = await openTestDatabase()
    await test.db.write('act', (tx) => {
      for (const qpu of ['one', 'two', 'three']) {
        appendAudit(tx, { actor: 'cli', action: 'qpu.toggle', subject: qpu, detail: { enabled: false } })
      }
    })
    const found = () => test.db.read((tx) => diagnose(tx, { maxAttempts: 5 }))
    expect(await found()).toEqual([])
    await test.db.write('forge', (tx) => tx.run(sql))
    expect(await found()).toMatchObject([{ id: 'audit', rows: [{ seq: 2 }] }])
  })

  test('I13 finds overlapping slots: same QPU, or one of them for every QPU', async () => {
    await using test = await openTestDatabase()
    const { user, qpu } = await seed(test.db)
    const [first = '', second = ''] = await test.db.write('book', (tx) =>
      [1, 2].map((day) => {
        const slot = {
          start_time: `2026-02-0${day} 09:00:00.000Z`,
          end_time: `2026-02-0${day} 10:00:00.000Z`,
        }
        return tx.insert(timeSlots, { booked_by: user, qpu, ...slot }).id
      }),
    )
    const move = (sql: string) => test.db.write('move', (tx) => tx.run(sql, { second }))
    const overlaps = () => test.db.read((tx) => checkInvariants(tx).map(({ id, rows }) => ({ id, rows })))
    expect(await overlaps()).toEqual([])
    await move("UPDATE time_slots SET start_time = '2026-02-01 09:30:00.000Z' WHERE id = $second")
    expect(await overlaps()).toEqual([{ id: 'I13', rows: [{ id: first, other: second }] }])
    await move("UPDATE time_slots SET qpu = '' WHERE id = $second")
    expect(await overlaps()).toHaveLength(1)
    await move("UPDATE time_slots SET qpu = 'another00000000' WHERE id = $second")
    expect(await overlaps()).toEqual([])
    await move("UPDATE time_slots SET qpu = '', start_time = '2026-02-01 09:00:00.000Z' WHERE id = $second")
    expect(await overlaps()).toHaveLength(1)
  })
})
