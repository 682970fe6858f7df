import { expect, test } from 'bun:test'
import { users } from '../../../../src/db/store/accounts/index.ts'
import { endNow, JobLab, RESULTS } from '../../../support/server/job-lab.ts'

test.each([
  ['no mail is wanted', 0, 90_000, 0],
  ['a job was shorter than those of which mail is wanted', 60, 59_999, 0],
  ['a job took as long as those of which mail is wanted', 60, 60_000, 1],
])('if %s: after %i s, a job of %i ms, %i mails', async (_, mail_job_after, ms, mails) => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  await lab.db.write('settings', (tx) => tx.update(users, user.id, { mail_job_after }))
  const { job, attempt, driver } = await lab.running(user)
  await lab.clock.advance(ms)
  const outcome = { kind: 'completed', results: RESULTS } as const
  await lab.db.write('end', (tx) =>
    endNow(tx, { job, attempt, driver, executionMs: 1, outcome }, { maxAttempts: 0 }),
  )
  const items = await lab.db.read((tx) => tx.all('SELECT * FROM mail_items'))
  expect(items).toHaveLength(mails)
})
