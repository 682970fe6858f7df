import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BELL, runSvc, Service, temporaryFolder, until } from '../support/executable.ts'
import { failCalls } from '../support/failing-calls.ts'
import { look, submit, timesOf, untilJob } from '../support/job-calls.ts'
import { skips, whyNot } from '../support/needs.ts'
import { startSvc } from '../support/running.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

// F16: the disk of the database is full, fails, or may not be written.
setDefaultTimeout(60_000)

const isSkipped = skips('faults of the disk', whyNot('mount', 'strace'))

/** A server in `folder` with a driver of QPU kelvin. */
async function open(folder: string) {
  const service = await Service.install(folder)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(1_000)
  const args = service.driverArgs('kelvin', qpu.fingerprint, 'mock', ['pragmas=true'])
  const driver = startSvc(args, { cwd: folder, env: { SVC_ACCESS_TOKEN: qpu.token } })
  await service.untilOnline('kelvin')
  const job = { circuits: [{ circuit: BELL }], shots: 10 }
  return {
    service,
    user,
    driver,
    /** A submission that may be refused. */
    tryToSubmit: (key: string) =>
      service.call<{ id: string; code: string; message: string }>('POST', '/api/jobs', {
        token: user.token,
        body: job,
        headers: { 'idempotency-key': key },
      }),
    list: () => service.call<unknown[]>('GET', '/api/jobs', { token: user.token }),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** Each job ended once, and the database keeps its promises. */
async function audit({ service, user }: Awaited<ReturnType<typeof open>>, ids: string[]): Promise<void> {
  for (const id of ids) {
    const job = await untilJob(service, user.token, id)
    expect([job.status, timesOf(job, 'completed')]).toEqual(['completed', 1])
  }
  await service.stop()
  expect(await service.doctor()).toEqual({ status: 0, out: 'svc_data: no problems found\n', err: '' })
}

describe.skipIf(isSkipped)('a full disk', () => {
  test('refuses writes with 507, serves reads, dispatches and acknowledges nothing, and all goes on with space', async () => {
    using folder = temporaryFolder()
    await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
    await using lab = await open(folder.path)
    const { service, user } = lab
    const slow = '// svc-mock: latency=1\nOPENQASM 3.0; qubit q; bit c; c = measure q;'
    const running = await submit(service, user.token, { circuits: [{ circuit: slow }] })
    const waiting = await submit(service, user.token)
    await until('the start', async () => timesOf(await look(service, user.token, running), 'started') === 1)
    disk.fill()
    for (let n = 0; n < 20; n += 1) {
      const { status, body } = await lab.tryToSubmit(`full-${n}`)
      expect([status, body.code]).toEqual([507, 'storage_full'])
      expect(body.message).toContain('free some space')
    }
    // The result comes in and is not acknowledged: its driver keeps it.
    const result = join(folder.path, 'drivers/kelvin/data/outbox', `${running}.1.json`)
    await until('the result', async () => existsSync(result))
    const ready = () => service.call<{ code: string; message: string }>('GET', '/api/health?ready=1')
    const { status, body } = await ready()
    expect([status, body.code, body.message]).toEqual([
      503,
      'not_ready',
      expect.stringContaining('Not ready: database: The disk with the database is full'),
    ])
    expect((await look(service, user.token, running)).status).toBe('running')
    expect((await look(service, user.token, waiting)).status).toBe('pending')
    expect((await lab.list()).body).toHaveLength(2)
    disk.free()
    const late = await lab.tryToSubmit('full-0')
    expect(late.status).toBe(201)
    await until('readiness', async () => (await ready()).status === 200)
    const said = (text: string) => service.log.split('\n').filter((line) => line.includes(text)).length
    expect([said('storage refuses writes'), said('storage takes writes again')]).toEqual([1, 1])
    expect([said('loop run failed'), said('event handler failed')]).toEqual([0, 0])
    await audit(lab, [running, waiting, late.body.id])
    expect(existsSync(result)).toBe(false)
  })

  test('refuses a start with one line that says so, and the next start with space finds everything', async () => {
    using folder = temporaryFolder()
    await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
    await using lab = await open(folder.path)
    const id = await submit(lab.service, lab.user.token)
    await untilJob(lab.service, lab.user.token, id)
    await lab.service.stop('SIGKILL')
    disk.fill()
    const { status, err } = await runSvc(['serve', '--server-port', '0', '--https-port', '0'], {
      cwd: folder.path,
    })
    expect(err).toContain('free some space')
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(1)
    disk.free()
    await lab.service.start()
    await audit(lab, [id])
  })
})

describe.skipIf(isSkipped)('a disk that fails', () => {
  test('refuses writes with 507 and the reason; reads and later writes work', async () => {
    using folder = temporaryFolder()
    await using lab = await open(folder.path)
    const { service, user } = lab
    const ids = [await submit(service, user.token)]
    await untilJob(service, user.token, ids[0] ?? '')
    for (const [error, code] of [
      ['EIO', 'storage_io'],
      ['EROFS', 'storage_io'],
      ['EDQUOT', 'storage_io'],
      ['ENOSPC', 'storage_full'],
    ] as const) {
      {
        await using calls = await failCalls(service.pid ?? 0, 'pwrite64', error)
        const { status, body } = await lab.tryToSubmit(error)
        expect([error, status, body.code]).toEqual([error, 507, code])
        expect((await lab.list()).status).toBe(200)
        expect(calls.failed).toBeGreaterThan(0)
      }
      const { status, body } = await lab.tryToSubmit(error)
      expect(status).toBe(201)
      await untilJob(service, user.token, body.id)
      ids.push(body.id)
    }
    expect(new Set(ids).size).toBe(5)
    await audit(lab, ids)
  })

  test('to keep what was written ends the server with 70 and without an answer; the next start goes on', async () => {
    using folder = temporaryFolder()
    await using lab = await open(folder.path)
    const { service, user } = lab
    const before = await submit(service, user.token)
    await untilJob(service, user.token, before)
    {
      await using calls = await failCalls(service.pid ?? 0, 'fsync,fdatasync', 'EIO')
      await expect(lab.tryToSubmit('unknown')).rejects.toThrow()
      expect(await service.ended()).toBe(70)
      expect(calls.failed).toBeGreaterThan(0)
    }
    expect(service.log).toContain('the disk did not keep what was written')
    await service.start()
    const { status, body } = await lab.tryToSubmit('unknown')
    expect(status).toBe(201)
    await audit(lab, [before, body.id])
    expect(lab.driver.process.exitCode).toBe(null)
  })

  test('that may not be written is refused at the start, in one line with the remedy', async () => {
    using folder = temporaryFolder()
    await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
    await using lab = await open(folder.path)
    await lab.service.stop()
    await disk.setReadOnly(true)
    const { status, err } = await runSvc(['serve', '--server-port', '0', '--https-port', '0'], {
      cwd: folder.path,
    })
    expect(err).toContain('cannot be written; check owner, permissions and mount of its folder')
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(1)
    await disk.setReadOnly(false)
    await lab.service.start()
    await audit(lab, [])
  })
})
