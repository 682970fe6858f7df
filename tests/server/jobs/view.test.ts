import { describe, expect, test } from 'bun:test'
import { saveSuperuser } from '../../../src/db/store/accounts/index.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { cancelJob } from '../../../src/server/jobs/cancel.ts'
import { countJobs, listJobs, viewJob } from '../../../src/server/jobs/view.ts'
import { BELL, claimNow, JobLab, RESULTS } from '../../support/server/job-lab.ts'

async function superuserOf(lab: JobLab): Promise<Caller> {
  const superuser = await saveSuperuser(lab.db, {
    email: 'root@example.org',
    passwordHash: 'x',
    mode: 'create',
    actor: 'test',
  })
  return { kind: 'superuser', superuser, login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY } }
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
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    await lab.clock.advance(10)
    const state = { sha256: 'a'.repeat(64), modified_at: '2026-01-31T08:00:00.000Z' }
    const provenance = { device: { name: 'mock' }, driver: { version: '27.1.0' } }
    const device_file = { before: state, after: state }
    await lab.complete(job.id, { ...provenance, device_file })
    const view = await viewJob(lab, lab.caller(user), job.id)
    const calibration = { before: { device_file: state }, after: { device_file: state }, changed: false }
    expect(view).toMatchObject({
      status: 'completed',
      results: RESULTS,
      duration: 0.01,
      charged_seconds: 0.01,
      program_sha256: new Bun.CryptoHasher('sha256').update(BELL).digest('hex'),
      attempts: [{ attempt: 1, provenance: { ...provenance, calibration } }],
      calibration,
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

test('neither a view nor the end of a job parses its large program, which would fail', async () => {
  await using lab = await JobLab.open()
  const qpu = await lab.qpu()
  const server = await lab.attach(qpu.driver)
  const user = await lab.user()
  const { id } = await lab.submit(user)
  const payload = '['.repeat(100_000)
  await lab.db.write('replace', (tx) =>
    tx.run('UPDATE quantum_jobs SET payload = $payload WHERE id = $id', { payload, id }),
  )
  const view = () => viewJob(lab, lab.caller(user), id)
  expect(await view()).toMatchObject({ status: 'pending', payload: { bytes: payload.length } })
  const forecast = await lab.db.read((tx) => lab.order.forecasts.of(tx, qpu.id))
  await lab.db.write('claim', (tx) => claimNow(tx, id, server))
  await lab.complete(id)
  expect(await view()).toMatchObject({ status: 'completed', payload: { bytes: payload.length } })
  expect(forecast.recentMs).toHaveLength(1)
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

describe('listJobs() and countJobs()', () => {
  test('superusers list and count the jobs of one user or of everybody; users only their own', async () => {
    await using lab = await JobLab.open()
    const [one, other] = [await lab.user(), await lab.user()]
    const first = await lab.submit(one)
    const second = await lab.submit(other)
    const root = await superuserOf(lab)
    const list = async (user: string | undefined) =>
      (await listJobs(lab, root, { skip: 0, limit: 10, sort: '-created', user })).map(({ id }) => id)
    expect(await list('*')).toEqual([second.id, first.id])
    expect(await list(one.id)).toEqual([first.id])
    expect(await list(undefined)).toEqual([])
    expect([await countJobs(lab, root, { user: '*' }), await countJobs(lab, lab.caller(one), {})]).toEqual([
      2, 1,
    ])
    await expect(list('nobody')).rejects.toMatchObject({ code: 'invalid' })
    const page = { skip: 0, limit: 1, sort: 'created', user: '*' }
    await expect(listJobs(lab, lab.caller(one), page)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('text is found in the id, the name and the tags, in upper and lower case', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    const [named, tagged, plain] = [await lab.submit(user), await lab.submit(user), await lab.submit(user)]
    await lab.db.write('labels', (tx) => {
      tx.run("UPDATE quantum_jobs SET name = 'GHZ sweep' WHERE id = $id", { id: named.id })
      tx.run(`UPDATE quantum_jobs SET tags = '["ghz-5"]' WHERE id = $id`, { id: tagged.id })
    })
    const found = async (text: string) =>
      (await listJobs(lab, lab.caller(user), { skip: 0, limit: 10, sort: 'created', filter: { text } })).map(
        ({ id }) => id,
      )
    expect(await found('Ghz')).toEqual([named.id, tagged.id])
    expect(await found(plain.id.slice(3))).toEqual([plain.id])
    expect(await countJobs(lab, lab.caller(user), { filter: { text: 'ghz' } })).toBe(2)
    expect(await countJobs(lab, lab.caller(user), { filter: { text: '%' } })).toBe(0)
  })
})

describe('cancelJob()', () => {
  test('cancels a pending job for its owner and for superusers, and nothing else', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const owner = lab.caller(user)
    const [own, other, running] = [await lab.submit(user), await lab.submit(user), await lab.submit(user)]
    await lab.db.write('claim', (tx) => claimNow(tx, running.id, server))
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
