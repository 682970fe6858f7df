import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, cpSync, ftruncateSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { GATED } from '../../support/devices/gated.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import {
  balanceOf,
  type JobSeen,
  readJob,
  submit,
  timesOf,
  untilJob,
} from '../../support/executable/job-calls.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'

setDefaultTimeout(60_000)

/** A server with one QPU, a user with 1,000 s, and a way to start the driver of the QPU. */
async function open(flags: string[] = []) {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path, { flags })
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(1_000)
  const start = (device: string, options: string[]) =>
    startSvc(service.driverArgs('kelvin', qpu.fingerprint, device, options), {
      cwd: folder.path,
      env: { SVC_ACCESS_TOKEN: qpu.token },
    })
  const gate = join(folder.path, 'gate')
  return {
    folder: folder.path,
    service,
    user,
    startDriver: (...options: string[]) => start('mock', options),
    /** A driver whose jobs run until `openGate` is called. */
    startGatedDriver: () => start(GATED, [`gate=${gate}`]),
    openGate: () => writeFileSync(gate, ''),
    send: () => submit(service, user.token),
    async started(id: string): Promise<void> {
      const hasStarted = async () => timesOf(await readJob(service, user.token, id), 'started') > 0
      await until(`job ${id} to start`, hasStarted)
    },
    /** Every charge is in the balance, and the database is intact. */
    async audit(jobs: JobSeen[]): Promise<void> {
      const charged = jobs.reduce((sum, job) => sum + (job.charged_seconds ?? 0), 0)
      expect(await balanceOf(service, user)).toBeCloseTo(1_000 - charged, 3)
      for (const job of jobs) expect(timesOf(job, 'completed')).toBe(1)
      await service.stop()
      expect(await service.doctor()).toEqual({ status: 0, out: 'svc_data: no problems found\n', err: '' })
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop('SIGKILL')
      folder[Symbol.dispose]()
    },
  }
}

describe('SIGTERM', () => {
  test('ends the server while a job runs; its result comes after the restart, once', async () => {
    await using lab = await open()
    await using driver = lab.startGatedDriver()
    const id = await lab.send()
    const waiting = await Promise.all([lab.send(), lab.send()])
    await lab.started(id)
    expect(await lab.service.stop('SIGTERM')).toBe(0)
    await driver.untilLogged('not connected; retrying')
    await lab.service.start()
    // The queue is as it was, in its order.
    const order = await Promise.all(waiting.map((each) => readJob(lab.service, lab.user.token, each)))
    expect(order.map((job) => [job.status, job.queue_position])).toEqual([
      ['pending', 1],
      ['pending', 2],
    ])
    lab.openGate()
    const job = await untilJob(lab.service, lab.user.token, id)
    expect([job.status, job.attempt]).toEqual(['completed', 1])
    const rest = await Promise.all(waiting.map((each) => untilJob(lab.service, lab.user.token, each)))
    await lab.audit([job, ...rest])
  })

  test('lets a driver finish its job and deliver the result', async () => {
    await using lab = await open()
    await using driver = lab.startGatedDriver()
    const id = await lab.send()
    const next = await lab.send()
    await lab.started(id)
    driver.process.kill('SIGTERM')
    await driver.untilLogged('"message":"stopping"')
    lab.openGate()
    expect((await driver.ended()).status).toBe(0)
    const job = await readJob(lab.service, lab.user.token, id)
    expect([job.status, job.attempt]).toEqual(['completed', 1])
    expect((await readJob(lab.service, lab.user.token, next)).status).toBe('pending')
    await using again = lab.startDriver()
    const last = await untilJob(lab.service, lab.user.token, next)
    again.process.kill('SIGTERM')
    await again.ended()
    await lab.audit([job, last])
  })

  if (RUNS_WHOLE)
    test('ends a driver whose job takes too long for that, and the job goes back into the queue', async () => {
      await using lab = await open(['--job-timeout', '10m'])
      await using driver = lab.startGatedDriver()
      const id = await lab.send()
      await lab.started(id)
      driver.process.kill('SIGTERM')
      expect((await driver.ended()).status).toBe(0)
      // The next driver does not have the job and reports that: the job does not wait for its timeout.
      await using again = lab.startDriver('latency=0')
      const job = await untilJob(lab.service, lab.user.token, id)
      expect([job.status, job.attempt]).toEqual(['completed', 2])
      again.process.kill('SIGTERM')
      await again.ended()
      await lab.audit([job])
    })
})

test('a driver that is frozen beyond the job timeout loses its job, and its late result counts once at most', async () => {
  await using lab = await open([
    '--job-timeout',
    '1500ms',
    '--recovery-interval',
    '100ms',
    '--max-attempts',
    '0',
  ])
  await using driver = lab.startGatedDriver()
  const id = await lab.send()
  await lab.started(id)
  driver.process.kill('SIGSTOP')
  lab.openGate()
  await until(
    'the job to be lost',
    async () => timesOf(await readJob(lab.service, lab.user.token, id), 'lost') > 0,
  )
  driver.process.kill('SIGCONT')
  const job = await untilJob(lab.service, lab.user.token, id)
  expect(job.status).toBe('completed')
  // The attempt that was given up is not charged in addition.
  const [claimed = 0, completed = 0] = ['claimed', 'completed'].map((event) =>
    Date.parse(
      job.timeline.findLast((each) => each.event === event && each.attempt === job.attempt)?.at ?? '',
    ),
  )
  expect((job.charged_seconds ?? 0) * 1_000).toBeLessThanOrEqual(completed - claimed)
  const next = await untilJob(lab.service, lab.user.token, await lab.send())
  expect(next.status).toBe('completed')
  driver.process.kill('SIGTERM')
  expect((await driver.ended()).status).toBe(0)
  await lab.audit([job, next])
})

describe('the database folder', () => {
  const original = temporaryFolder()
  let service: Service
  beforeAll(async () => {
    service = await Service.install(original.path)
    await service.start()
    const user = await service.createUser(10)
    await service.createQpu('kelvin')
    for (let n = 0; n < 40; n += 1) await submit(service, user.token)
    await service.stop()
  })
  afterAll(() => original[Symbol.dispose]())

  /** A copy of a database with jobs, whose server has stopped. */
  function installed() {
    const folder = temporaryFolder()
    cpSync(original.path, folder.path, { recursive: true })
    return {
      path: folder.path,
      file: join(folder.path, 'svc_data', 'svc.db'),
      [Symbol.dispose]: folder[Symbol.dispose],
    }
  }

  const serve = (folder: string) =>
    runSvc(['serve', '--server-port', '0', '--https-port', '0'], { cwd: folder })

  test.each([
    [
      'with pages full of noise',
      (file: string) => {
        const handle = openSync(file, 'r+')
        const noise = crypto.getRandomValues(new Uint8Array(4_096))
        for (let at = 4_096; at < statSync(file).size; at += 4_096) writeSync(handle, noise, 0, 4_096, at)
        closeSync(handle)
      },
    ],
    [
      'cut off in the middle',
      (file: string) => {
        const handle = openSync(file, 'r+')
        ftruncateSync(handle, Math.floor(statSync(file).size / 2))
        closeSync(handle)
      },
    ],
    ['that is no database', (file: string) => writeFileSync(file, 'Dear diary, '.repeat(1_000))],
  ])('%s is refused with status 3, the file and the remedy; nothing is created', async (_, damage) => {
    using folder = installed()
    const { file } = folder
    damage(file)
    const size = statSync(file).size
    const { status, err } = await serve(folder.path)
    expect(err).toContain('svc.db')
    expect(err).toMatch(/backup/)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(3)
    expect(statSync(file).size).toBe(size)
    const checked = await runSvc(['doctor'], { cwd: folder.path })
    expect(checked.status).toBe(3)
  })

  test('of a newer version is refused with status 3', async () => {
    using folder = installed()
    const db = new Database(folder.file)
    db.run(`INSERT INTO migrations (id, name, hash, at) VALUES (9999, 'from_the_future', 'x', '2099-01-01')`)
    db.close()
    const { status, err } = await serve(folder.path)
    expect(err).toContain('written by a newer version (migration 9999 from_the_future)')
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(3)
  })

  test('of a running server is refused to a second one, which names the process; the first continues', async () => {
    await service.start()
    const { status, err } = await serve(original.path)
    expect(err).toContain('svc_data')
    expect(err).toMatch(/another|already|in use/)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(1)
    const checked = await runSvc(['doctor'], { cwd: original.path })
    expect(checked.status).toBe(1)
    expect((await service.call('GET', '/api/qpus/kelvin')).status).toBe(200)
    await service.stop()
    expect((await service.doctor()).status).toBe(0)
  })

  test('is found under --dir, and unlocked after a SIGKILL', async () => {
    using folder = temporaryFolder()
    const args = [
      'serve',
      '--dir',
      'elsewhere/data',
      '--server-port',
      String(freePort()),
      '--https-port',
      '0',
    ]
    await using first = startSvc(args, { cwd: folder.path })
    await first.untilLogged('server started')
    first.process.kill('SIGKILL')
    await first.ended()
    await using second = startSvc(args, { cwd: folder.path })
    await second.untilLogged('server started')
    expect(statSync(join(folder.path, 'elsewhere/data/svc.db')).isFile()).toBe(true)
  })
})
