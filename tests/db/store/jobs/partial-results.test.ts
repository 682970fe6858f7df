import { expect, test } from 'bun:test'
import { listPartialResults, recordProgress } from '../../../../src/db/store/jobs/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

test('results of single circuits are stored up to a number of bytes, until all of their job are there', async () => {
  await using lab = await JobLab.open()
  const attempt = { ...(await lab.running(await lab.user())), progress: 1 }
  const results = [0, 1, 2].map((index) => ({ index, text: JSON.stringify({ µ: index }) }))
  const [first, second, third] = results
  if (!first || !second || !third) throw new Error('no results')
  const report = (...found: typeof results) =>
    lab.db.write('report', (tx) =>
      recordProgress(tx, { ...attempt, results: found }, 2 * Buffer.byteLength(first.text)),
    )
  await report(first)
  await report(second, third)
  const stored = () => lab.db.read((tx) => listPartialResults(tx, attempt.job, 0))
  expect(await stored()).toEqual([first, second])
  await lab.complete(attempt.job)
  expect(await stored()).toEqual([])
})
