import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { untilJob } from '../../support/executable/job-calls.ts'
import { Journal } from '../../support/executable/journal.ts'
import { Service } from '../../support/executable/service.ts'
import { faultRuns } from '../../support/faults/fault-runs.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { finishRow } from '../../support/faults/settle-row.ts'
import { openWallClock, whyNoWallClock } from '../../support/faults/wall-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// F17: the clock of the server's machine is set while jobs run.
const RUNS = faultRuns(1)
const OFFSETS = ['+1h', '-1h', '+1d', '-1d', '+0'] as const
const HOUR_MS = 3_600_000

test.skipIf(skips('clock jumps', whyNoWallClock()))(
  'a clock that jumps by an hour or a day ends no job early, prunes nothing and ends no session',
  async () => {
    using folder = temporaryFolder()
    const clock = openWallClock(folder.path)
    // Silence of 3 s would be noticed at once if it were measured by this clock.
    const flags = ['--job-timeout', '3s', '--recovery-interval', '50ms', '--events-prune-interval', '100ms']
    await using service = await Service.install(folder.path, { flags })
    await service.start(clock.env)
    const qpu = await service.createQpu('target')
    const user = await service.createUser(1_000_000)
    const args = service.driverArgs('target', qpu.fingerprint, 'mock', ['latency=0.5'])
    const startDriver = () => startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
    const journal = new Journal()
    for (let run = 0; run < RUNS; run += 1) {
      for (const offset of OFFSETS) {
        await using driver = startDriver()
        await service.untilOnline('target')
        const id = await journal.submit(service, user.token, `run-${run}${offset.replace('+', '-plus-')}`)
        await untilJob(service, user.token, id, ['running'])
        clock.set(offset)
        // The login of before is good.
        const job = await untilJob(service, user.token, id)
        expect([offset, job.status, job.attempt]).toEqual([offset, 'completed', 1])
        expect(job.charged_seconds).toBeWithin(0.4, 3)
        // So is the lease: no driver was refused. The next driver connects after the jump.
        expect(driver.log).not.toContain('not connected')
        driver.process.kill('SIGTERM')
        expect((await driver.ended()).status).toBe(0)
      }
    }
    await finishRow('F17 clock jumps', { runs: RUNS * OFFSETS.length, journal, service })
    // The clock was set indeed: jobs were created days apart.
    using db = new Database(join(folder.path, 'svc_data', 'svc.db'), { readonly: true })
    const times = db.query<{ at: string }, []>('SELECT updated AS at FROM quantum_jobs').all()
    const ms = times.map(({ at }) => Date.parse(at))
    expect(Math.max(...ms) - Math.min(...ms)).toBeGreaterThan(47 * HOUR_MS)
  },
  120_000,
)
