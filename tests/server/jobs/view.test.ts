import { describe, expect, test } from 'bun:test'
import { claimJob, saveSuperuser } from '../../../src/db/index.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { cancelJob } from '../../../src/server/jobs/cancel.ts'
import { listJobs, viewJob } from '../../../src/server/jobs/view.ts'
import { JobLab, RESULTS } from '../../support/server/job-lab.ts'

async function superuserOf(lab: JobLab): Promise<Caller> {
  const superuser = await saveSuperuser(lab.db, {
    email: 'root@example.org',
    passwordHash: 'x',
    mode: 'create',
    actor: 'test',
  })
  return { kind: 'superuser', superuser, session: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY } }
}

describe('viewJob()', () => {
  test('shows why a pending job waits, its position and when it may start', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    await lab.attach(qpu.driver)
    const user = await lab.user()
    await lab.submit(user, qpu.id)
    const job = await lab.submit(user, qpu.id)
    expect(await viewJob(lab, lab.caller(user), job.id)).toMatchObject({
      id: job.id,
      collectionName: 'quantum_jobs',
      status: 'pending',
      waiting: { code: 'ahead_in_queue', text: 'One job is ahead' },
      queue_position: 2,
      estimated_start: { from: '2026-01-31 09:00:01.000Z', to: '2026-01-31 09:00:20.000Z' },
      charged_seconds: null,
      error: null,
      timeline: [{ event: 'submitted', attempt: 0, at: '2026-01-31 09:00:00.000Z', detail: '' }],
    })
    await lab.setQpu(qpu.id, { maintenance: true, maintenance_reason: 'new pump' })
    const view = await viewJob(lab, lab.caller(user), job.id)
    expect(view).toMatchObject({ waiting: { code: 'maintenance' }, estimated_start: null })
  })

  test('shows results, charge and history of a job that ended', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const job = await lab.submit(user)
    await lab.db.write('claim', (tx) => claimJob(tx, job.id, server))
    await lab.clock.advance(10)
    await lab.complete(job.id)
    const view = await viewJob(lab, lab.caller(user), job.id)
    expect(view).toMatchObject({
      status: 'completed',
      results: RESULTS,
      duration: 0.01,
      charged_seconds: 0.01,
    })
    expect(view).not.toHaveProperty('waiting')
    expect(view).not.toHaveProperty('not_before')
  })

  test('shows superusers every job and users their own; a job of another user is not found', async () => {
    await using lab = await JobLab.open()
    const job = await lab.submit(await lab.user())
    expect(await viewJob(lab, await superuserOf(lab), job.id)).toMatchObject({ id: job.id })
    const stranger = lab.caller(await lab.user())
    for (const id of [job.id, '000000000000000']) {
      await expect(viewJob(lab, stranger, id)).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('listJobs()', () => {
  test("lists the caller's own jobs, newest first on request", async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    await lab.submit(await lab.user())
    const ids = [(await lab.submit(user)).id, (await lab.submit(user)).id]
    const list = async (sort: string) =>
      (await listJobs(lab, lab.caller(user), { skip: 0, limit: 10, sort })).map(({ id }) => id)
    expect(await list('created')).toEqual(ids)
    expect(await list('-created')).toEqual(ids.toReversed())
    expect(await listJobs(lab, await superuserOf(lab), { skip: 0, limit: 10, sort: 'created' })).toEqual([])
  })
})

describe('cancelJob()', () => {
  test('cancels a pending job for its owner and for superusers, and nothing else', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const owner = lab.caller(user)
    const [own, other, running] = [await lab.submit(user), await lab.submit(user), await lab.submit(user)]
    await lab.db.write('claim', (tx) => claimJob(tx, running.id, server))
    await expect(cancelJob(lab, lab.caller(await lab.user()), own.id)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await cancelJob(lab, owner, own.id)).toMatchObject({ id: own.id, status: 'cancelled' })
    expect(await cancelJob(lab, await superuserOf(lab), other.id)).toMatchObject({ status: 'cancelled' })
    for (const id of [own.id, running.id]) {
      await expect(cancelJob(lab, owner, id)).rejects.toMatchObject({
        code: 'conflict',
        reason: 'not_pending',
      })
    }
  })
})
