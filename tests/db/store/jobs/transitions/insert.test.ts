import { describe, expect, test } from 'bun:test'
import { StoredJson, type Tx, unreadValues } from '../../../../../src/db/index.ts'
import { users } from '../../../../../src/db/store/accounts/index.ts'
import { cancelJob, holdJob, listJobs } from '../../../../../src/db/store/jobs/index.ts'
import { insertNow, JobLab, PAYLOAD } from '../../../../support/server/job-lab.ts'

describe('insertJob()', () => {
  const insert = (lab: JobLab, user: string, maxPending = 1_000) =>
    lab.db.write('submit', (tx) =>
      insertNow(tx, { user, qpu: '', payload: PAYLOAD, needs: { qubits: 2 } }, { maxPending }),
    )

  test('T1: stores a pending job with its place in the queue and its timeline', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    const first = await insert(lab, user.id)
    const second = await insert(lab, user.id)
    expect(first).toMatchObject({ status: 'pending', attempt: 0, payload: PAYLOAD, user_id: user.id })
    const order = await lab.db.read((tx) =>
      tx.all<{ id: string }>('SELECT id FROM quantum_jobs ORDER BY seq'),
    )
    expect(order.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(await lab.history(first.id)).toEqual(['submitted 0'])
  })

  test('rejects an empty balance, a disabled account and too many pending jobs, and stores nothing', async () => {
    await using lab = await JobLab.open()
    const poor = await lab.user(0)
    await expect(insert(lab, poor.id)).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'insufficient_qpu_seconds',
      message: 'Insufficient QPU seconds balance',
    })
    const disabled = await lab.user()
    await lab.db.write('disable', (tx) => tx.update(users, disabled.id, { disabled: true }))
    await expect(insert(lab, disabled.id)).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'account_disabled',
    })
    const busy = await lab.user()
    await insert(lab, busy.id, 1)
    await expect(insert(lab, busy.id, 1)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'too_many_pending_jobs',
    })
    // A held job counts as pending too.
    await lab.db.write('hold', (tx) => tx.run('UPDATE quantum_jobs SET held = 1'))
    await expect(insert(lab, busy.id, 1)).rejects.toMatchObject({ reason: 'too_many_pending_jobs' })
    expect(await lab.db.read((tx) => tx.one('SELECT count(*) AS jobs FROM quantum_jobs'))).toEqual({
      jobs: 1,
    })
  })
})

describe('cancelJob()', () => {
  test('T8: cancels a pending job once', async () => {
    await using lab = await JobLab.open()
    const job = await lab.submit(await lab.user())
    const cancel = () => lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    expect(await cancel()).toMatchObject({ status: 'cancelled', finished_at: '2026-01-31 09:00:00.000Z' })
    expect(await cancel()).toBeUndefined()
  })

  test('reads no large program, nor does a hold: it is a handle in the returned record', async () => {
    await using lab = await JobLab.open()
    const payload = { ...PAYLOAD, note: 'x'.repeat(100_000) }
    const { id: job } = await lab.submit(await lab.user(), '', 2, { payload })
    const act = { job, actor: 'superuser:root', reason: '' }
    for (const change of [(tx: Tx) => holdJob(tx, act), (tx: Tx) => cancelJob(tx, job)]) {
      const changed = await lab.db.write('change', change)
      expect(changed && unreadValues(changed)?.get('payload')).toBeInstanceOf(StoredJson)
    }
  })
})

describe('listJobs()', () => {
  test("reads a user's jobs in the given order, and none of others", async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    const other = await lab.submit(await lab.user())
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.push((await lab.submit(user)).id)
    const wanted = [...ids.toReversed(), other.id]
    const jobs = await lab.db.read((tx) => listJobs(tx, user.id, { ids: wanted }))
    expect(jobs.map(({ id }) => id)).toEqual(ids.toReversed())
  })
})
