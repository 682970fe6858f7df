import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { readJob, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { Journal } from '../../support/executable/journal.ts'
import { BELL, runSvc, Service } from '../../support/executable/service.ts'
import { delayCalls, failCalls } from '../../support/faults/failing-calls.ts'
import { faultRuns } from '../../support/faults/fault-runs.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { finishRow } from '../../support/faults/settle-row.ts'
import { mountSmallDisk } from '../../support/faults/small-disk.ts'
import { outboxIds } from '../../support/outbox-ids.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F16: the disk of the database is full, fails, or may not be written.
const RUNS = faultRuns(1)
setDefaultTimeout(60_000 + RUNS * 20_000)

/** Delay of each flush of a slow disk. */
const SLOW_MS = 600

const isSkipped = skips('faults of the disk', whyNot('mount', 'strace'))

/** A server in `folder` with a driver of its QPU, and a journal of the responses to its user. */
class DiskLab implements AsyncDisposable {
  readonly #journal = new Journal()
  readonly service: Service
  readonly #user: { token: string }
  readonly #driver: AsyncDisposable

  private constructor(service: Service, user: { token: string }, driver: AsyncDisposable) {
    this.service = service
    this.#user = user
    this.#driver = driver
  }

  static async open(folder: string): Promise<DiskLab> {
    const service = await Service.install(folder)
    await service.start()
    const qpu = await service.createQpu('target')
    const user = await service.createUser(1_000_000)
    const args = service.driverArgs('target', qpu.fingerprint, 'mock', ['pragmas=true'])
    const driver = startSvc(args, { cwd: folder, env: { SVC_ACCESS_TOKEN: qpu.token } })
    await service.untilOnline('target')
    return new DiskLab(service, user, driver)
  }

  /** Submits until it is accepted. */
  submit(key: string, comment = ''): Promise<string> {
    return this.#journal.submit(this.service, this.#user.token, key, comment)
  }

  /** Submits once; returns the status and code of the response. */
  async tryToSubmit(key: string): Promise<[status: number, code: string]> {
    const body = { circuits: [{ circuit: BELL }], shots: 10 }
    const headers = { 'idempotency-key': key }
    const call = { token: this.#user.token, body, headers }
    const answer = await this.service.call<{ code: string }>('POST', '/api/jobs', call)
    return [answer.status, answer.body.code]
  }

  look(id: string) {
    return readJob(this.service, this.#user.token, id)
  }

  completed(id: string) {
    return untilJob(this.service, this.#user.token, id, ['completed'])
  }

  /** Closes a row. */
  async close(row: string): Promise<void> {
    await finishRow(`F16 ${row}`, { runs: RUNS, journal: this.#journal, service: this.service })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
  }
}

/** Starts a server that must not come up, in the folder of another. */
const serve = (folder: string) =>
  runSvc(['serve', '--server-port', '0', '--https-port', '0'], { cwd: folder })

describe.skipIf(isSkipped)('a full disk', () => {
  test('refuses writes with 507, serves reads, dispatches and acknowledges nothing, and all goes on with space', async () => {
    using folder = temporaryFolder()
    await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
    await using lab = await DiskLab.open(folder.path)
    for (let run = 0; run < RUNS; run += 1) {
      const running = await lab.submit(`run-${run}-running`, '// svc-mock: latency=1')
      const waiting = await lab.submit(`run-${run}-waiting`)
      await until('the start', async () => timesOf(await lab.look(running), 'started') === 1)
      disk.fill()
      // The result is sent, not acknowledged, and stored by its driver.
      const outbox = join(folder.path, 'drivers/target/data/outbox')
      const hasResult = async () => (await outboxIds(outbox)).includes(`${running}.1`)
      await until('the result', hasResult)
      for (let n = 0; n < 20; n += 1)
        expect(await lab.tryToSubmit(`full-${n}`)).toEqual([507, 'storage_full'])
      expect(await hasResult()).toBe(true)
      expect((await lab.look(running)).status).toBe('running')
      expect((await lab.look(waiting)).status).toBe('pending')
      disk.free()
      await lab.completed(await lab.submit(`run-${run}-late`))
      expect((await lab.completed(running)).attempt).toBe(1)
      await until('the acknowledgement', async () => !(await hasResult()))
    }
    await lab.close('full disk')
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'lets a server that ended by %s start, serve reads and refuse writes with 507; with space all goes on without a restart',
    async (signal) => {
      using folder = temporaryFolder()
      await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
      await using lab = await DiskLab.open(folder.path)
      for (let run = 0; run < RUNS; run += 1) {
        const id = await lab.submit(`run-${run}`)
        await lab.completed(id)
        await lab.service.stop(signal)
        disk.fill()
        await lab.service.start()
        // What little the start has left over is taken too.
        disk.fill()
        for (let n = 0; n < 5; n += 1)
          expect(await lab.tryToSubmit(`full-${n}`)).toEqual([507, 'storage_full'])
        expect((await lab.look(id)).status).toBe('completed')
        disk.free()
        await lab.completed(await lab.submit(`run-${run}-late`))
      }
      await lab.close(`full disk at the start after ${signal}`)
    },
  )
})

describe.skipIf(isSkipped)('a disk that fails', () => {
  test('refuses writes with 507 and the reason; reads and later writes work', async () => {
    using folder = temporaryFolder()
    await using lab = await DiskLab.open(folder.path)
    for (let run = 0; run < RUNS; run += 1) {
      for (const [error, code] of [
        ['EIO', 'storage_io'],
        ['EROFS', 'storage_io'],
        ['EDQUOT', 'storage_io'],
        ['ENOSPC', 'storage_full'],
      ] as const) {
        const id = await lab.submit(`run-${run}-before-${error}`)
        await lab.completed(id)
        await using calls = await failCalls(lab.service.pid ?? 0, 'pwrite64', error)
        expect(await lab.tryToSubmit(`run-${run}-${error}`)).toEqual([507, code])
        expect((await lab.look(id)).status).toBe('completed')
        expect(calls.failed).toBeGreaterThan(0)
      }
      await lab.completed(await lab.submit(`run-${run}-after`))
    }
    await lab.close('writes fail')
  })

  // The event loop flushes small commits itself, a thread flushes large ones.
  test.each([
    ['small', ''],
    ['large', `// ${'x'.repeat(6_000_000)}`],
  ])(
    'to keep a %s write ends the server with 70 and without an answer; the next start goes on',
    async (size, comment) => {
      using folder = temporaryFolder()
      await using lab = await DiskLab.open(folder.path)
      for (let run = 0; run < RUNS; run += 1) {
        await lab.completed(await lab.submit(`run-${run}-before`))
        const { pid = 0 } = lab.service
        const logged = lab.service.log.length
        // A client without a response repeats its request with the same key.
        const { promise: isFailing, resolve } = Promise.withResolvers<void>()
        const unknown = isFailing.then(() => lab.submit(`run-${run}-unknown`, comment))
        {
          await using calls = await failCalls(pid, 'fsync,fdatasync', 'EIO')
          resolve()
          expect(await lab.service.ended()).toBe(70)
          expect(calls.failed).toBeGreaterThan(0)
        }
        expect(lab.service.log.slice(logged)).toContain('the disk did not store a write')
        await lab.service.start()
        await lab.completed(await unknown)
      }
      await lab.close(`flush of a ${size} write fails`)
    },
  )

  test('or is slow holds back the response and whatever shows the write, until it is on disk', async () => {
    using folder = temporaryFolder()
    await using lab = await DiskLab.open(folder.path)
    await using _calls = await delayCalls(lab.service.pid ?? 0, 'fsync,fdatasync', SLOW_MS)
    const started = performance.now()
    const id = await lab.submit('slow', `// ${'x'.repeat(6_000_000)}`)
    expect(performance.now() - started).toBeGreaterThan(SLOW_MS)
    expect((await lab.look(id)).id).toBe(id)
  })

  test('that may not be written is refused at the start, in one line with the remedy', async () => {
    using folder = temporaryFolder()
    await using disk = await mountSmallDisk(join(folder.path, 'svc_data'))
    await using lab = await DiskLab.open(folder.path)
    for (let run = 0; run < RUNS; run += 1) {
      await lab.completed(await lab.submit(`run-${run}`))
      await lab.service.stop()
      await disk.setReadOnly(true)
      const { status, err } = await serve(folder.path)
      expect(err).toMatch(/^.*cannot be written; check owner, permissions and mount of its folder\n$/)
      expect(status).toBe(1)
      await disk.setReadOnly(false)
      await lab.service.start()
    }
    await lab.close('read-only file system')
  })
})
