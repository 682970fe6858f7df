import { expect, test } from 'bun:test'
import { findJobChanges } from '../../../../src/db/store/jobs/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

test('findJobChanges() finds the changed jobs of one user, or those of everybody', async () => {
  await using lab = await JobLab.open()
  const [ada, bob] = [await lab.user(), await lab.user()]
  const jobs = [await lab.submit(ada), await lab.submit(bob)]
  const changesFor = (user: string | undefined, status: 'pending' | 'running') =>
    lab.db.read((tx) => {
      const known = jobs.map(({ id }) => ({ id, status }))
      const { changed, unknown } = findJobChanges(tx, { user }, known, { most: 10, maxBytes: 1_000 })
      return { changed: changed, unknown }
    })
  const [ofAda = '', ofBob = ''] = jobs.map(({ id }) => id)
  expect(await changesFor(ada.id, 'running')).toEqual({ changed: [ofAda], unknown: [ofBob] })
  expect(await changesFor(undefined, 'running')).toEqual({ changed: [ofAda, ofBob], unknown: [] })
  expect(await changesFor(bob.id, 'pending')).toEqual({ changed: [], unknown: [ofAda] })
})
