import { describe, expect, test } from 'bun:test'
import { users } from '../../../src/db/store/accounts/index.ts'
import { cancelJob } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { claimNow, JobLab } from '../../support/server/job-lab.ts'
import { readCharges } from '../../support/sums/charges.ts'

describe('removal', () => {
  test('of a user cancels the pending jobs; a running one still completes, charged to nobody', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const [running, pending] = [await lab.submit(user), await lab.submit(user)]
    await lab.db.write('claim', (tx) => claimNow(tx, running.id, server))
    const changed: string[] = []
    lab.db.changes.subscribe((changes) => {
      for (const { collection, id } of changes) if (collection === 'quantum_jobs') changed.push(id)
    })
    await lab.db.write('remove', (tx) => tx.remove(users, user.id))
    expect(await lab.job(pending.id)).toMatchObject({ status: 'cancelled', user_id: '' })
    expect((await lab.timeline(pending.id)).at(-1)).toMatchObject({ detail: 'its user was removed' })
    expect(changed).toContain(pending.id)
    await lab.complete(running.id)
    expect(await lab.job(running.id)).toMatchObject({ status: 'completed', user_id: '' })
    expect(await lab.db.read(readCharges)).toMatchObject([{ user: '', delta_ms: 0 }])
  })

  test('of a QPU waits for its jobs, which would otherwise run on any QPU', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const job = await lab.submit(await lab.user(), qpu.id)
    await lab.db.write('unregister', (tx) => tx.remove(drivers, qpu.driver.id))
    const remove = () => lab.db.write('remove', (tx) => tx.remove(qpus, qpu.id))
    await expect(remove()).rejects.toMatchObject({ code: 'invalid', reason: 'unfinished_jobs' })
    await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    expect(await remove()).toBe(true)
  })
})
