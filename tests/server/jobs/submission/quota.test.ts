import { expect, test } from 'bun:test'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer } from '../../../support/server/server.ts'

const jobOf = (comment: number) => ({ circuits: [{ circuit: `// ${'x'.repeat(comment)}\n${BELL}` }] })

test('a job above the whole limit is refused with 413, jobs beyond the rest of it with 507', async () => {
  await using server = await openTestServer({ settings: { maxUserBytes: '20KiB', submitRate: '0' } })
  await server.createQpu()
  const user = await server.createUser({ qpuSeconds: 100 })
  const client = server.as(user)
  const tooLarge = await client.post('/api/jobs', jobOf(30_000))
  expect(tooLarge.body).toMatchObject({ status: 413, code: 'larger_than_quota' })
  // What a user does who submits and cancels: the cancelled jobs count.
  const statuses: number[] = []
  for (let at = 0; at < 4; at += 1) {
    const submitted = await client.post('/api/jobs', jobOf(5_000))
    statuses.push(submitted.status)
    if (submitted.status === 201) await client.post(`/api/jobs/${submitted.text('id')}/cancel`)
  }
  expect(statuses).toEqual([201, 201, 201, 507])
  const refused = await client.post('/api/collections/quantum_jobs/records', { payload: jobOf(5_000) })
  expect(refused.body).toMatchObject({ status: 507, code: 'quota_used_up' })
  expect(refused.text('message')).toMatch(/^Your jobs take \d+\.\d KiB of the 20 KiB that you may store/)
  const account = (await client.get(`/api/collections/users/records/${user.id}`)).body
  expect(account).toMatchObject({ max_bytes: 0 })
  expect(Object(account).stored_bytes).toBeGreaterThan(15_000)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain(`svc_job_bytes ${Object(account).stored_bytes}`)
})

test('superusers set the limit of a user; users cannot', async () => {
  await using server = await openTestServer({ settings: { maxUserBytes: '4KiB', submitRate: '0' } })
  await server.createQpu()
  const user = await server.createUser({ qpuSeconds: 100 })
  const path = `/api/collections/users/records/${user.id}`
  expect((await server.as(user).patch(path, { max_bytes: 1_000_000 })).status).toBe(400)
  expect((await server.as(user).post('/api/jobs', jobOf(5_000))).status).toBe(413)
  expect((await server.admin.patch(path, { max_bytes: 1_000_000 })).body).toMatchObject({
    max_bytes: 1_000_000,
  })
  expect((await server.as(user).post('/api/jobs', jobOf(5_000))).status).toBe(201)
})

test('a dry run reports that the limit is used up', async () => {
  await using server = await openTestServer({ settings: { maxUserBytes: '8KiB', submitRate: '0' } })
  await server.createQpu()
  const client = server.as(await server.createUser({ qpuSeconds: 100 }))
  expect((await client.post('/api/jobs', jobOf(5_500))).status).toBe(201)
  expect((await client.post('/api/jobs?dry_run=true', jobOf(1))).body).toMatchObject({ accepted: true })
  const dryRun = await client.post('/api/jobs?dry_run=true', jobOf(600))
  expect(dryRun.body).toMatchObject({ accepted: false, problems: [{ code: 'quota_used_up' }] })
})
