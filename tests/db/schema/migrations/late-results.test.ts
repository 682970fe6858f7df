import { expect, test } from 'bun:test'
import { checkInvariants } from '../../../../src/db/index.ts'
import { lateResults } from '../../../../src/db/schema/migrations/0013-late-results.ts'
import { attemptsOf } from '../../../../src/db/store/jobs/index.ts'
import { claimNow, JobLab } from '../../../support/server/job-lab.ts'

test('an attempt that completed a job after it was given up returns to the row of the job', async () => {
  await using lab = await JobLab.open()
  const target = await lab.attach((await lab.qpu()).driver)
  const { id } = await lab.submit(await lab.user())
  await lab.db.write('claim', (tx) => claimNow(tx, id, target))
  await lab.clock.advance(1_000)
  await lab.complete(id)
  const attempts = () => lab.db.read((tx) => tx.read(attemptsOf(id)))
  const before = await attempts()
  await lab.db.write('as before', (tx) => {
    tx.run(`INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
      SELECT id, attempt, driver, qpu, epoch, 'ok', claimed_at, started_at, finished_at FROM quantum_jobs`)
    tx.run("UPDATE quantum_jobs SET claimed_at = ''")
  })
  expect(await lab.db.read((tx) => checkInvariants(tx))).not.toEqual([])
  await lab.db.write('migrate', (tx) => {
    for (const statement of lateResults.statements) tx.run(String(statement))
  })
  expect(await attempts()).toEqual(before)
})
