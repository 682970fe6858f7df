import { describe, expect, test } from 'bun:test'
import { RECORD_BYTES } from '../../../../src/db/schema/stored-bytes.ts'
import { storedBytesOf, type User, users } from '../../../../src/db/store/accounts/index.ts'
import { cancelJob } from '../../../../src/db/store/jobs/index.ts'
import { createCancelledPayloadStep } from '../../../../src/db/store/maintenance/index.ts'
import { endNow, insertNow, JobLab } from '../../../support/server/job-lab.ts'

const LIMIT = 100_000
const limits = { maxPending: 1_000, maxUserBytes: LIMIT }

function submit(lab: JobLab, user: User, bytes: number, given = limits) {
  const payload = 'x'.repeat(bytes - RECORD_BYTES - 2)
  return lab.db.write('submit', (tx) =>
    insertNow(tx, { user: user.id, qpu: '', payload, needs: { qubits: 1 } }, given),
  )
}

const used = (lab: JobLab, user: User) => lab.db.read((tx) => tx.read(storedBytesOf(user.id)))

describe('insertJob() with --max-user-bytes', () => {
  test('refuses a job larger than the limit, and jobs beyond the rest of it, with the figures', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    await expect(submit(lab, user, LIMIT + 1)).rejects.toMatchObject({
      ...{ code: 'too_large', reason: 'larger_than_quota' },
      message: 'The job takes 97.7 KiB, more than the 97.7 KiB that you may store; submit a smaller one',
    })
    await submit(lab, user, 60_000)
    await expect(submit(lab, user, 40_001)).rejects.toMatchObject({
      ...{ code: 'over_quota', reason: 'quota_used_up' },
      message: expect.stringContaining('Your jobs take 58.6 KiB of the 97.7 KiB that you may store'),
    })
    await submit(lab, user, 40_000)
    expect(await used(lab, user)).toBe(LIMIT)
    await expect(submit(lab, user, 2_000)).rejects.toMatchObject({ code: 'over_quota' })
    expect(await used(lab, user)).toBe(LIMIT)
  })

  test('the limit of the user replaces the setting; other users and proxy users are not affected', async () => {
    await using lab = await JobLab.open()
    const [user, other] = [await lab.user(), await lab.user()]
    await lab.db.write('t', (tx) => tx.update(users, user.id, { max_bytes: 2 * LIMIT }))
    await submit(lab, user, 2 * LIMIT)
    await expect(submit(lab, user, 2_000)).rejects.toMatchObject({ code: 'over_quota' })
    await submit(lab, other, LIMIT)
    await lab.db.write('t', (tx) => tx.update(users, other.id, { unlimited: true, username: 'superuser_1' }))
    await submit(lab, other, LIMIT)
    await submit(lab, await lab.user(), 5 * LIMIT, { ...limits, maxUserBytes: 0 })
  })

  test('cancelled jobs count until their programs are removed', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    let accepted = 0
    for (let at = 0; at < 20; at += 1) {
      const job = await submit(lab, user, 10_000).catch(() => undefined)
      if (!job) continue
      accepted += 1
      await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    }
    expect([accepted, await used(lab, user)]).toEqual([10, LIMIT])
    await lab.clock.advance(25 * 3_600_000)
    await lab.db.write('prune', (tx) =>
      createCancelledPayloadStep()(tx, lab.clock.now() - 24 * 3_600_000, 500),
    )
    expect(await used(lab, user)).toBe(10 * RECORD_BYTES)
    await submit(lab, user, 50_000)
  })

  test('the result of an accepted job is stored even beyond the limit; then new jobs are refused', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    const result = { ...(await lab.running(user)), executionMs: 10 }
    const results = 'x'.repeat(2 * LIMIT)
    const outcome = await lab.db.write('end', (tx) =>
      endNow(tx, { ...result, outcome: { kind: 'completed', results } }, { maxAttempts: 5 }),
    )
    expect(outcome).toMatchObject({ kind: 'applied', status: 'completed' })
    expect(await used(lab, user)).toBeGreaterThan(2 * LIMIT)
    await expect(submit(lab, user, 2_000)).rejects.toMatchObject({ code: 'over_quota' })
  })
})
