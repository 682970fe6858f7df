import { expect, setDefaultTimeout, test } from 'bun:test'
import { type JobSeen, readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

test('with --policy fair, a user who has run less goes before the jobs of another, also after a restart', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path, { flags: ['--policy', 'fair'] })
  await service.start()
  const greedy = await service.createUser(1_000)
  const modest = await service.createUser(1_000, 'modest@example.org')
  const qpu = await service.createQpu('shared')
  const driver = service.startDriver('shared', qpu, 'mock', ['latency=0.2'])
  await untilJob(service, greedy.token, await submit(service, greedy.token))
  driver.kill('SIGTERM')
  await driver.exited
  const many = await Promise.all(Array.from({ length: 3 }, () => submit(service, greedy.token)))
  const one = await submit(service, modest.token)
  await service.stop()
  await service.start()
  expect((await readJob(service, modest.token, one)).queue_position).toBe(1)
  expect((await readJob(service, greedy.token, many[0] ?? '')).queue_position).toBeGreaterThan(1)
  const again = service.startDriver('shared', qpu, 'mock', ['latency=0.2'])
  const startOf = async (token: string, id: string) => {
    const job = (await untilJob(service, token, id)) as JobSeen & { started_at: string }
    return job.started_at
  }
  const first = await startOf(modest.token, one)
  for (const id of many) expect((await startOf(greedy.token, id)) > first).toBe(true)
  again.kill('SIGTERM')
  await again.exited
  await service.stop()
  expect((await service.doctor()).out).toContain('no problems found')
})
