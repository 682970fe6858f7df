import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcClient } from '../../clients/js/src/index.ts'
import { type Running, startSvc } from '../support/executable/background-process.ts'
import { submit, untilJob, untilStarted } from '../support/executable/job-calls.ts'
import { unpackPreviousRelease } from '../support/executable/previous-release.ts'
import { Service, SVC } from '../support/executable/service.ts'
import { TunerLab } from '../support/executable/tuner-lab.ts'
import { outboxIds } from '../support/outbox-ids.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

// Servers and drivers are upgraded at different times.
setDefaultTimeout(300_000)

const unpacked = temporaryFolder()
afterAll(() => unpacked[Symbol.dispose]())
const previous = await unpackPreviousRelease(unpacked.path)

const MONITOR = `
  import { defineDevice } from 'svc/devices'
  export const probe = defineDevice({
    operation: 'monitor',
    name: 'probe',
    create: () => ({
      start: async (io) => io.every(0.2, async () => {
        io.emit('CryostatReading', { readings: { stage: { value: 0.01, unit: 'K', status: 'ok' } } })
      }),
    }),
  })
`

interface Versions {
  server: string
  driver: string
}

/** A server of one version, and drivers of the other. */
async function open({ server, driver }: Versions) {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path, { executable: server })
  await service.start()
  const user = await service.createUser(1_000)
  const qpu = await service.createQpu('kelvin')
  return {
    service,
    user,
    qpu,
    startQpu: () =>
      startSvc(service.driverArgs('kelvin', qpu.fingerprint, 'mock', ['pragmas=true']), {
        cwd: folder.path,
        env: { SVC_ACCESS_TOKEN: qpu.token },
        executable: driver,
      }),
    /** Ids of unacknowledged results. */
    outbox: () => outboxIds(join(folder.path, 'drivers/kelvin/data/outbox')),
    run: (latency: number) =>
      submit(service, user.token, {
        circuits: [
          { circuit: `// svc-mock: latency=${latency}\nOPENQASM 3.0; qubit q; bit c; c = measure q;` },
        ],
      }),
    async [Symbol.asyncDispose]() {
      await service.stop('SIGKILL')
      folder[Symbol.dispose]()
    },
  }
}

/** A device of which the driver of either version returns the results as they are. */
const MISCOUNT = join(import.meta.dir, '../support/devices/miscount.ts')

async function stop(driver: Running): Promise<void> {
  driver.process.kill('SIGTERM')
  expect((await driver.ended()).status).toBe(0)
}

describe.each([
  [
    `a server of ${previous.version} with drivers of this version`,
    { server: previous.executable, driver: SVC },
  ],
  [
    `a server of this version with drivers of ${previous.version}`,
    { server: SVC, driver: previous.executable },
  ],
])('%s', (_, versions) => {
  test('runs jobs, and delivers a result after both sides were interrupted', async () => {
    await using lab = await open(versions)
    const { service, user } = lab
    await using driver = lab.startQpu()
    await service.untilOnline('kelvin')
    const done = await untilJob(service, user.token, await lab.run(0))
    expect([done.status, done.attempt]).toEqual(['completed', 1])
    // The server is killed while the job runs, so that the driver reconnects and sends the result then.
    const long = await lab.run(3)
    await untilStarted(service, user.token, long)
    await service.stop('SIGKILL')
    await until('the result waits', async () => (await lab.outbox()).length > 0)
    await service.start()
    const late = await untilJob(service, user.token, long)
    expect([late.status, late.attempt]).toEqual(['completed', 1])
    await until('it is acknowledged', async () => (await lab.outbox()).length === 0)
    // The driver is killed while a job runs, so that a new process gets the job.
    const lost = await lab.run(3)
    await untilStarted(service, user.token, lost)
    driver.process.kill('SIGKILL')
    await using restarted = lab.startQpu()
    const again = await untilJob(service, user.token, lost)
    expect([again.status, again.attempt]).toEqual(['completed', 2])
    await stop(restarted)
  })

  test('runs calibrations with progress and report, and stores readings', async () => {
    await using lab = await open(versions)
    const { service, qpu } = lab
    const tuner = await TunerLab.register(service, qpu, [], versions.driver)
    await using _tuner = tuner.start()
    const id = await tuner.dispatch({ mode: 'partial', target_qubits: ['q0'] })
    expect(await tuner.stepped(id)).toMatchObject({ status: 'running', progress: { step: 1, plan: [{}] } })
    tuner.open()
    const { result } = await tuner.until(id, 'done')
    expect(await tuner.report(result)).toMatchObject({ request: id, status: 'success' })

    writeFileSync(join(service.folder, 'probe.js'), MONITOR)
    const token = await service.admin()
    const body = { name: 'probe', qpu: qpu.id, operation: 'monitor' }
    const made = await service.call<{ token: string }>('POST', '/api/op/drivers/create', { token, body })
    const args = service.driverArgs('probe', qpu.fingerprint, './probe.js#probe', [], 'monitor')
    await using _monitor = startSvc(args, {
      cwd: service.folder,
      env: { SVC_ACCESS_TOKEN: made.body.token },
      executable: versions.driver,
    })
    const events = '/api/collections/events/records?filter=type%3D%22CryostatReading%22'
    await until('a reading', async () => {
      const page = await service.call<{ totalItems: number }>('GET', events, { token })
      return page.body.totalItems > 0
    })
  })

  test('fails a job whose device counts too few or too many shots, at once and free of charge', async () => {
    await using lab = await open(versions)
    const { service, qpu, user } = lab
    cpSync(MISCOUNT, join(service.folder, 'miscount.ts'))
    const args = service.driverArgs('kelvin', qpu.fingerprint, './miscount.ts#miscount')
    const start = { cwd: service.folder, env: { SVC_ACCESS_TOKEN: qpu.token }, executable: versions.driver }
    await using _driver = startSvc(args, start)
    await service.untilOnline('kelvin')
    const run = async (comment: string) => {
      const circuit = `// ${comment}\nOPENQASM 3.0; qubit q; bit[2] c; c[0] = measure q;`
      const id = await submit(service, user.token, { circuits: [{ circuit }] })
      return untilJob(service, user.token, id)
    }
    for (const [comment, figures] of [
      ['extra=5', 'add up to 105 of 100 shots'],
      ['extra=-1', 'add up to 99 of 100 shots'],
    ] as const) {
      const job = await run(comment)
      // An earlier server knows the failure that the driver reports, and an earlier driver reports none.
      expect([job.status, job.attempt, job.error?.code]).toEqual(['failed', 1, 'invalid_results'])
      expect(job.error?.message).toContain(figures)
      expect(job.charged_seconds).toBe(null)
    }
    expect((await run('extra=0')).results?.counts).toEqual({ '00': 100 })
  })

  test('stops a job that an operator requeues, and a driver that is disabled', async () => {
    await using lab = await open(versions)
    const { service, user } = lab
    await using driver = lab.startQpu()
    await service.untilOnline('kelvin')
    const token = await service.admin()
    const id = await lab.run(4)
    await untilStarted(service, user.token, id)
    expect((await service.call('POST', `/api/op/jobs/${id}/requeue`, { token, body: {} })).status).toBe(200)
    const job = await untilJob(service, user.token, id)
    expect([job.status, job.attempt]).toEqual(['completed', 2])
    const toggle = { name: 'kelvin', enabled: false }
    expect((await service.call('POST', '/api/op/qpu/toggle', { token, body: toggle })).status).toBe(200)
    await driver.untilLogged('(403)')
    expect(driver.process.exitCode).toBe(null)
  })
})

test(`the clients of this version work with a server of ${previous.version}, which knows no omit and no sessions`, async () => {
  await using lab = await open({ server: previous.executable, driver: SVC })
  const { service, user } = lab
  await using _driver = lab.startQpu()
  await service.untilOnline('kelvin')
  const svc = new SvcClient({ baseUrl: service.url, apiToken: user.token })
  const circuits = ['OPENQASM 3.0; qubit q; bit c; c = measure q;']
  const job = await svc.submitJob({ circuits, shots: 10, qpu: 'kelvin' })
  expect((await job.result()).circuits[0]?.shots).toBe(10)
  const [listed] = await Array.fromAsync(svc.jobs({ limit: 1 }))
  expect([listed?.id, listed?.status]).toEqual([job.id, 'completed'])
  expect((await (await svc.job(job.id)).result()).jobId).toBe(job.id)
  const refused = await svc.session('kelvin', {}, async () => {}).catch((error) => error)
  expect([refused.code, refused.message]).toEqual([
    'no_sessions',
    expect.stringContaining('this server has no sessions, it is older than this client'),
  ])
})

test(`a driver of ${previous.version} runs the jobs of a session, and those of others wait`, async () => {
  await using lab = await open({ server: SVC, driver: previous.executable })
  const { service, user } = lab
  await using _driver = lab.startQpu()
  await service.untilOnline('kelvin')
  const other = await service.createUser(1_000, 'other@example.org')
  const [svc, theirs] = [user, other].map(
    ({ token }) => new SvcClient({ baseUrl: service.url, apiToken: token }),
  ) as [SvcClient, SvcClient]
  const bell = { circuits: ['OPENQASM 3.0; qubit q; bit c; c = measure q;'], shots: 10 }
  const [inside, foreign] = await svc.session('kelvin', { seconds: 60 }, async (held) => {
    const waiting = await theirs.submitJob({ ...bell, qpu: 'kelvin' })
    const job = await held.submitJob(bell)
    await job.wait()
    expect((await theirs.job(waiting.id)).waiting?.code).toBe('in_session')
    return [await svc.job(job.id), waiting] as const
  })
  expect([inside.status, inside.chargedSeconds]).toEqual(['completed', 0])
  expect((await foreign.wait()).status).toBe('completed')
})
