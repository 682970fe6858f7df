import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFailpointsBuild, FAILPOINTS_EXECUTABLE } from '../../../scripts/ensure-build.ts'
import { submit } from '../../support/executable/job-calls.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { type Armed, ROW_RUNS, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F26: the old or the new database is whole and in service, and nothing of the old one is deleted.
setDefaultTimeout(ROW_TIMEOUT_MS)

const BACKUPS = '/api/op/backups'

/** In the order in which a restore passes them. */
const KILLS: [armed: Armed, inService: 'old' | 'new'][] = [
  ['restore.staged:1:kill', 'old'],
  ['restore.stopped:1:kill', 'old'],
  ['restore.journaled:1:kill', 'new'],
  ['restore.moved:1:kill', 'new'],
  ['restore.moved:2:kill', 'new'],
  ['restore.moved:3:kill', 'new'],
  ['restore.kept:1:kill', 'new'],
  ['restore.replaced:1:kill', 'new'],
  ['restore.opened:1:kill', 'new'],
  ['restore.started:1:kill', 'new'],
  ['restore.accepted:1:kill', 'new'],
]

/** Errors after which the same process goes on with the old database. */
const ERRORS: Armed[] = [
  'restore.stopped:1:throw',
  'restore.journaled:1:throw',
  'restore.moved:2:throw',
  'restore.kept:1:throw',
  'restore.replaced:1:throw',
  'restore.opened:1:throw',
  'restore.started:1:throw',
]

let folder: ReturnType<typeof temporaryFolder>
let service: Service
let user: { id: string; token: string }
/** Ids of the jobs that the backup contains. */
let early: string[]

const data = (...names: string[]) => join(folder.path, 'svc_data', ...names)
const earlierOnes = () => readdirSync(data()).filter((name) => /^svc\.db\.before-restore-[^-]*$/.test(name))

beforeAll(async () => {
  await ensureFailpointsBuild()
  folder = temporaryFolder()
  service = await Service.install(folder.path, { executable: FAILPOINTS_EXECUTABLE })
  await service.start()
  user = await service.createUser(1_000)
  await service.createQpu('north')
  early = [await submit(service, user.token), await submit(service, user.token)]
  await service.call('POST', BACKUPS, { token: await service.admin(), body: { name: 'early.db' } })
  await until('the backup', async () => (await operation())?.state === 'succeeded')
  await service.stop()
})
afterAll(async () => {
  await service.stop('SIGKILL')
  folder[Symbol.dispose]()
})

async function operation(): Promise<{ state: string; error: string } | undefined> {
  const { status, body } = await service.call<{ state: string; error: string }>(
    'GET',
    `${BACKUPS}/operation`,
    {
      token: await service.admin(),
    },
  )
  return status === 200 ? body : undefined
}

async function restore(): Promise<number> {
  const body = { name: 'early.db', confirm: 'early.db' }
  const path = `${BACKUPS}/restore`
  return (await service.call('POST', path, { token: await service.admin(), body })).status
}

async function jobsInService(): Promise<string[]> {
  const { body } = await service.call<{ id: string }[]>('GET', '/api/jobs?limit=1000', { token: user.token })
  return body.map(({ id }) => id).toSorted()
}

function jobsIn(path: string): string[] {
  using database = new Database(path, { readonly: true })
  return database
    .query<{ id: string }, []>('SELECT id FROM quantum_jobs ORDER BY id')
    .all()
    .map(({ id }) => id)
}

/** Starts the server with an armed failpoint and submits a job that the backup does not contain. */
async function startArmed(armed: string): Promise<string[]> {
  await service.start({ SVC_FAILPOINT: armed })
  await submit(service, user.token)
  return jobsInService()
}

/** The server is sound, and nothing of an interrupted restore is left over. */
async function expectSound(): Promise<void> {
  expect((await service.call('GET', '/api/health?ready=1')).status).toBe(200)
  const left = readdirSync(data()).filter((name) => /^restore-|^svc\.replacement/.test(name))
  expect(left).toEqual([])
  await service.stop()
  expect(await service.doctor()).toMatchObject({ status: 0, out: expect.stringContaining('no problems') })
}

describe('F26', () => {
  test.each(KILLS)('killed at %s, the %s database is whole and in service', async (armed, inService) => {
    for (let run = 0; run < ROW_RUNS; run += 1) {
      const before = earlierOnes()
      const old = await startArmed(armed)
      expect(await restore()).toBe(202)
      expect(await service.ended()).toBe(-1)
      await service.start()
      const kept = earlierOnes().filter((name) => !before.includes(name))
      if (inService === 'old') {
        expect([await jobsInService(), kept]).toEqual([old, []])
      } else {
        expect(await jobsInService()).toEqual(early.toSorted())
        expect(kept).toHaveLength(1)
        const path = data(kept[0] ?? '')
        expect(jobsIn(path)).toEqual(old)
        expect(await runSvc(['backup', 'verify', path], { cwd: folder.path })).toMatchObject({ status: 0 })
      }
      await expectSound()
    }
    closeRow(`F26 ${armed}`, { runs: ROW_RUNS, lost: 0 })
  })

  test.each(ERRORS)('after an error at %s, the process goes on with the old database', async (armed) => {
    for (let run = 0; run < ROW_RUNS; run += 1) {
      const before = earlierOnes()
      const old = await startArmed(armed)
      const { pid } = service
      expect(await restore()).toBe(202)
      const ended = await until('the end of the restore', async () => {
        const last = await operation()
        return last && last.state !== 'running' && last
      })
      expect(ended).toMatchObject({ state: 'failed', error: expect.stringContaining('failpoint restore.') })
      expect([service.pid, await jobsInService(), earlierOnes()]).toEqual([pid, old, before])
      await submit(service, user.token)
      expect(existsSync(data('svc.replacement'))).toBe(false)
      await expectSound()
    }
    closeRow(`F26 ${armed}`, { runs: ROW_RUNS, lost: 0 })
  })

  test.each([
    'restore.opened:1:throw,restore.moved:4:kill',
    'restore.opened:1:throw,restore.withdrawn:1:kill',
    'restore.started:1:throw,restore.moved:7:kill',
    'restore.started:1:throw,restore.moved:8:kill',
    'restore.started:1:throw,restore.returned:1:kill',
  ])('killed on the way back (%s), the old database is whole and in service', async (armed) => {
    const before = earlierOnes()
    const old = await startArmed(armed)
    expect(await restore()).toBe(202)
    expect(await service.ended()).toBe(-1)
    await service.start()
    expect([await jobsInService(), earlierOnes()]).toEqual([old, before])
    await expectSound()
  })

  test('no other process gets the folder while the database is being replaced', async () => {
    await startArmed('restore.kept:1:hang')
    const logged = service.log.length
    expect(await restore()).toBe(202)
    await service.untilLogged('failpoint restore.kept', logged)
    const second = await runSvc(['serve', '--server-port', '0', '--https-port', '0'], { cwd: folder.path })
    expect(second).toMatchObject({ status: 1, err: expect.stringContaining('is in use by process') })
    await service.stop('SIGKILL')
    await service.start()
    expect(await jobsInService()).toEqual(early.toSorted())
    await expectSound()
  })

  test('a command that opens the database after a kill finishes the moves as well', async () => {
    await startArmed('restore.moved:3:kill')
    expect(await restore()).toBe(202)
    expect(await service.ended()).toBe(-1)
    const reading = await runSvc(['audit', 'list'], { cwd: folder.path })
    expect(reading).toMatchObject({ status: 1, err: expect.stringContaining('was interrupted') })
    const listed = await runSvc(['superuser', 'list'], { cwd: folder.path })
    expect(listed.status).toBe(0)
    await service.start()
    expect(await jobsInService()).toEqual(early.toSorted())
    await expectSound()
  })
})
