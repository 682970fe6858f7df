import { expect, test } from 'bun:test'
import { requeueLost } from '../../../../../src/db/store/jobs/index.ts'
import {
  assertEnded,
  deleteJob,
  removeLargeValue,
} from '../../../../../src/db/store/jobs/transitions/delete.ts'
import { claimNow, endNow, JobLab, PAYLOAD } from '../../../../support/server/job-lab.ts'

/** More than a row holds. */
const LARGE = 'x'.repeat(1_100_000)

test('only an ended job may be deleted; its large values go one by one, then all but its charge', async () => {
  await using lab = await JobLab.open()
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const { driver } = target
  const { id: job } = await lab.submit(await lab.user(), '', 2, { payload: { ...PAYLOAD, note: LARGE } })
  const refusal = async () => {
    const found = await lab.job(job)
    expect(() => assertEnded(found)).toThrow(expect.objectContaining({ reason: 'job_not_ended' }))
  }
  const claim = () => lab.db.write('claim', (tx) => claimNow(tx, job, target))
  await refusal()
  await claim()
  await refusal()
  const lost = { job, attempt: 1, driver, reason: 'silent' }
  await lab.db.write('lose', (tx) => requeueLost(tx, lost, { maxAttempts: 0 }))
  await claim()
  const outcome = { kind: 'completed', results: { note: LARGE } } as const
  const end = { job, attempt: 2, driver, executionMs: 10, outcome }
  await lab.db.write('end', (tx) => endNow(tx, end, { maxAttempts: 0 }))
  assertEnded(await lab.job(job))
  const removeOne = () => lab.db.write('remove', (tx) => removeLargeValue(tx, job))
  expect([await removeOne(), await removeOne(), await removeOne()]).toEqual([true, true, false])
  await lab.db.write('delete', (tx) => deleteJob(tx, job))
  const count = (table: string) =>
    lab.db.read((tx) => tx.one<{ rows: number }>(`SELECT count(*) AS "rows" FROM ${table}`)?.rows)
  const rows = await Promise.all(['quantum_jobs', 'job_attempts', 'quantum_jobs_large'].map(count))
  expect(rows).toEqual([0, 0, 0])
  expect(await count(`qpu_ledger WHERE kind = 'charge'`)).toBe(1)
})
