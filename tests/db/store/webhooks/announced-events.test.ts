import { describe, expect, test } from 'bun:test'
import type { Database } from '../../../../src/db/index.ts'
import { users } from '../../../../src/db/store/accounts/index.ts'
import {
  claimCalibration,
  failCalibration,
  insertCalibration,
  storeReport,
} from '../../../../src/db/store/calibrations/index.ts'
import { cancelJob } from '../../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../../src/db/store/qpus/index.ts'
import { webhooks } from '../../../../src/db/store/webhooks/index.ts'
import { openTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { endNow, insertNow } from '../../../support/server/job-lab.ts'

interface World extends TestDatabase {
  user: string
  qpu: string
  tuner: string
  /** Types and data of all queued events. */
  queued(): Promise<{ type: string; data: Record<string, unknown> }[]>
}

async function openWorld(): Promise<World> {
  const test = await openTestDatabase()
  const ids = await test.db.write('world', (tx) => {
    const user = tx.insert(users, { username: 'ada', mail_job_after: 60, email: 'a@b.c', verified: true }).id
    const kinds = ['job.ended', 'qpu.changed', 'calibration.ended']
    const row = { user, url: 'https://hook.test/', kinds, secret: 'whsec_AAAA', for_operators: true }
    tx.insert(webhooks, row)
    tx.run('UPDATE users SET qpu_ms = 1000000, unlimited = 1 WHERE id = $user', { user })
    const qpu = tx.insert(qpus, { name: 'north', num_qubits: 5 }).id
    const tuner = tx.insert(drivers, { name: 't', qpu, operation: 'calibrate', token: 'ab'.repeat(32) }).id
    return { user, qpu, tuner }
  })
  return {
    ...test,
    ...ids,
    queued: () =>
      test.db.read((tx) =>
        tx
          .all<{ body: string }>('SELECT body FROM webhook_deliveries ORDER BY seq')
          .map(({ body }) => JSON.parse(body)),
      ),
  }
}

const mails = (db: Database) =>
  db.read((tx) =>
    tx.all<{ detail: string }>('SELECT detail FROM mail_items').map(({ detail }) => JSON.parse(detail)),
  )

describe('the end of a job', () => {
  const addJob = ({ db, user }: World) =>
    db.write('job', (tx) =>
      insertNow(tx, { user, qpu: '', payload: { circuits: [] }, needs: {} }, { maxPending: 10 }),
    )

  test('is announced when it is cancelled, and mailed if it took long', async () => {
    await using world = await openWorld()
    const [quick, slow] = [await addJob(world), await addJob(world)]
    await world.db.write('cancel', (tx) => cancelJob(tx, quick.id))
    await world.clock.advance(60_000)
    await world.db.write('cancel', (tx) => cancelJob(tx, slow.id))
    expect(await world.queued()).toMatchObject([
      { type: 'job.ended', data: { id: quick.id, status: 'cancelled' } },
      { type: 'job.ended', data: { id: slow.id, status: 'cancelled' } },
    ])
    expect(await mails(world.db)).toEqual([{ job: slow.id, status: 'cancelled', seconds: 60 }])
  })

  test('is announced once when it completes, fails or exhausts its attempts, with its final state', async () => {
    await using world = await openWorld()
    const { db, qpu, tuner } = world
    const outcomes = [
      { kind: 'completed', results: {} },
      { kind: 'failed', class: 'user', results: { error: 'no', error_code: 'bad_program' } },
      { kind: 'failed', class: 'device', results: { error: 'broken' } },
    ] as const
    for (const outcome of outcomes) {
      const { id: job } = await addJob(world)
      await db.write('claim', (tx) => {
        tx.run(
          `UPDATE quantum_jobs SET status = 'running', attempt = 1, driver = $tuner, qpu = $qpu, claimed_at = $at
           WHERE id = $job`,
          { job, tuner, qpu, at: tx.at },
        )
      })
      const result = { job, attempt: 1, driver: tuner, executionMs: 5, outcome }
      const apply = () => db.write('result', (tx) => endNow(tx, result, { maxAttempts: 1 }))
      expect((await apply()).kind).toBe('applied')
      expect((await apply()).kind).toBe('stale')
    }
    expect((await world.queued()).map(({ data }) => [data['status'], data['error_code']])).toEqual([
      ['completed', ''],
      ['failed', 'bad_program'],
      ['failed', 'attempts_exhausted'],
    ])
  })
})

describe('a QPU', () => {
  test('is announced when it goes online, is disabled or enters maintenance, and not for other changes', async () => {
    await using world = await openWorld()
    const change = (patch: object) => world.db.write('change', (tx) => tx.update(qpus, world.qpu, patch))
    await change({ status: 'online' })
    await change({ status: 'online', num_qubits: 6 })
    await change({ maintenance: true, maintenance_reason: 'fridge' })
    await change({ maintenance_reason: 'still the fridge' })
    await change({ enabled: false })
    expect((await world.queued()).map(({ type }) => type)).toEqual(Array(3).fill('qpu.changed'))
    expect(
      (await world.queued()).map(({ data }) => [data['status'], data['maintenance'], data['enabled']]),
    ).toEqual([
      ['online', false, true],
      ['online', true, true],
      ['offline', true, false],
    ])
  })
})

describe('a calibration', () => {
  test('is announced when its report is stored, or when it fails without one', async () => {
    await using world = await openWorld()
    const { db, tuner, qpu } = world
    const begin = () =>
      db.write('calibration', (tx) => {
        const { id } = insertCalibration(tx, { driver: tuner, mode: 'full', targetQubits: [], actor: 'test' })
        const claim = claimCalibration(tx, { driver: tuner, qpu, epoch: 1 })
        if (!claim) throw new Error('no claim')
        return { id, run: claim.run }
      })
    const first = await begin()
    const findings = {
      ...{ status: 'partial_failure' as const, routines: null, benchmarks: null, skipped: null, notes: null },
      ...{ backend: '', device_file: '', errors: ['q3: no fit'] },
    }
    const report = {
      ...{
        run: first.run,
        driver: tuner,
        qpu,
        request: first.id,
        startedAt: 0,
        endedAt: 0,
        mode: 'full' as const,
      },
      findings,
    }
    await db.write('report', (tx) => storeReport(tx, report as unknown as Parameters<typeof storeReport>[1]))
    const second = await begin()
    await db.write('fail', (tx) =>
      failCalibration(tx, { run: second.run, driver: tuner }, 'the tuner is gone'),
    )
    const events = await world.queued()
    expect(events.map(({ type }) => type)).toEqual(['calibration.ended', 'calibration.ended'])
    expect(events.map(({ data }) => data)).toMatchObject([
      { request: first.id, driver: tuner, qpu, status: 'partial_failure', error: 'q3: no fit' },
      { id: second.id, request: second.id, result: '', status: 'failed', error: 'the tuner is gone' },
    ])
  })
})
