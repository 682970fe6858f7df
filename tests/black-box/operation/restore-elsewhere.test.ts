import { expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { openLitestream, Replicator } from '../../support/litestream/litestream.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

interface Job {
  id: string
  status: string
}

test('after the loss of the machine, a restored backup lacks exactly the later jobs, and the driver reconnects', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('target')
  const { token } = await service.createUser(1_000)
  const driver = service.startDriver('target', qpu)
  try {
    const run = async () => {
      const id = await submit(service, token)
      await untilJob(service, token, id, ['completed'])
      return id
    }
    const before = [await run(), await run()]
    // All that another machine has: the backup, with the root CA that drivers trust.
    using elsewhere = temporaryFolder()
    const backup = join(elsewhere.path, 'backup.db')
    expect((await runSvc(['backup', backup, '--with-ca'], { cwd: folder.path })).status).toBe(0)
    const after = [await run(), await run()]
    await service.stop('SIGKILL')
    for (const name of readdirSync(folder.path).filter((each) => each !== 'drivers'))
      rmSync(join(folder.path, name), { recursive: true })
    for (const ending of ['', '.ca.pem', '.ca.key'])
      copyFileSync(`${backup}${ending}`, join(folder.path, `backup.db${ending}`))
    expect((await runSvc(['restore', 'backup.db', '--with-ca'], { cwd: folder.path })).status).toBe(0)
    expect(await service.doctor()).toMatchObject({ status: 0, out: 'svc_data: no problems found\n' })
    await service.start()
    await service.untilOnline('target', 60_000)
    const { body } = await service.call<Job[]>('GET', '/api/jobs?limit=1000', { token })
    expect(body.map(({ id }) => id).toSorted()).toEqual(before.toSorted())
    expect(after.filter((id) => body.some((job) => job.id === id))).toEqual([])
    await run()
  } finally {
    driver.kill('SIGKILL')
    await driver.exited
  }
})

const program = await openLitestream()

test.skipIf(program === undefined)(
  'killed together with its replicator, a server starts again with every job',
  async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path, { flags: ['--checkpoints', 'external'] })
    await service.start()
    await service.createQpu('target')
    const { token } = await service.createUser(1_000)
    await using replicator = await Replicator.open(program, join(folder.path, 'svc_data/svc.db'))
    for (let run = 0; run < 5; run += 1) {
      const accepted: string[] = []
      const emptied = (await replicator.metric('litestream_checkpoint_count')) ?? 0
      await until('the replicator to empty the log', async () => {
        accepted.push(...(await Promise.all(Array.from({ length: 50 }, () => submit(service, token)))))
        return ((await replicator.metric('litestream_checkpoint_count')) ?? 0) > emptied
      })
      await Promise.all([service.stop('SIGKILL'), replicator.stop('SIGKILL')])
      await service.start()
      replicator.start()
      for (const id of accepted) expect((await readJob(service, token, id)).status).toBe('pending')
      await until('the replicator', async () => (await replicator.metric('litestream_txid')) !== undefined)
    }
  },
)
