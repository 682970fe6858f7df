import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { startSvc } from '../../support/executable/background-process.ts'
import { timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { Journal } from '../../support/executable/journal.ts'
import { Service } from '../../support/executable/service.ts'
import { faultRuns } from '../../support/faults/fault-runs.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { finishRow } from '../../support/faults/settle-row.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F22: strangers hold every file descriptor that the server may have.
const RUNS = faultRuns(1)
const MAX_FILES = 80
const STRANGERS = 200
const JOBS = 5

/** Connections that begin a request and never complete it. */
function openStrangers(port: number): Socket[] {
  return Array.from({ length: STRANGERS }, () => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => undefined)
    socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n')
    return socket
  })
}

test.skipIf(skips('limits of the process', whyNot('prlimit')))(
  'a server without a free file descriptor takes no new connection and goes on with its jobs',
  async () => {
    using folder = temporaryFolder()
    const prefix = ['prlimit', `--nofile=${MAX_FILES}:${MAX_FILES}`]
    await using service = await Service.install(folder.path, { prefix })
    await service.start()
    const qpu = await service.createQpu('target')
    const user = await service.createUser(1_000_000)
    const args = service.driverArgs('target', qpu.fingerprint, 'mock', ['latency=0.2'])
    await using driver = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
    await service.untilOnline('target')
    const files = () => readdirSync(`/proc/${service.pid}/fd`).length
    const journal = new Journal()
    const completed = () => journal.compare(folder.path).completed
    for (let run = 0; run < RUNS; run += 1) {
      const ids = await Promise.all(
        Array.from({ length: JOBS }, (_, n) => journal.submit(service, user.token, `run-${run}-job-${n}`)),
      )
      const before = completed()
      const strangers = openStrangers(service.port)
      try {
        await until('no file descriptor to be free', async () => files() >= MAX_FILES)
        const newcomer = fetch(`${service.url}/api/health`, {
          keepalive: false,
          headers: { connection: 'close' },
          signal: AbortSignal.timeout(1_000),
        })
        await expect(newcomer).rejects.toThrow()
        expect(before).toBeLessThan(journal.size)
        await until('the jobs to complete', async () => completed() === journal.size)
        expect(files()).toBe(MAX_FILES)
      } finally {
        for (const socket of strangers) socket.destroy()
      }
      // All clients are served again, and no process had to be restarted.
      await until('a response', async () => (await service.call('GET', '/api/health')).status === 200)
      for (const id of ids) {
        const job = await untilJob(service, user.token, id)
        expect([job.attempt, timesOf(job, 'completed')]).toEqual([1, 1])
      }
    }
    expect(driver.log).not.toContain('not connected')
    await finishRow('F22 file descriptors', { runs: RUNS, journal, service })
  },
  60_000 + RUNS * 20_000,
)
