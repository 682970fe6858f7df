import { describe, expect, test } from 'bun:test'
import { DAY_MS, toTimestamp } from '../../../../src/base/index.ts'
import { storeReport } from '../../../../src/db/store/calibrations/index.ts'
import { type AttemptResult, attemptsOf, deleteJob } from '../../../../src/db/store/jobs/index.ts'
import { pruneJobs } from '../../../../src/db/store/maintenance/job-retention.ts'
import { createDriver } from '../../../../src/db/store/qpus/index.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../support/server/job-lab.ts'

const FILE = { sha256: 'a'.repeat(64), modified_at: '2026-01-31T08:00:00.000Z' }
const CHANGED = { sha256: 'b'.repeat(64), modified_at: '2026-01-31T09:00:10.000Z' }
const KNOWN = { device: { name: 'scheduler_a' }, driver: { version: '27.1.0' } }
const COMPLETED: AttemptResult['outcome'] = { kind: 'completed', results: RESULTS }

/** One user, one QPU with a process driver and a tuner. */
async function openCase() {
  const lab = await JobLab.open()
  const user = await lab.user(1_000)
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const tuner = await createDriver(lab.db, 'test', {
    ...{ name: 'tuner', qpu: qpu.id, operation: 'calibrate', device: 'x', enabled: true, tokenHash: 'tuner' },
  })
  let runs = 0
  const report = async (status: 'success' | 'failed' | 'aborted' = 'success') => {
    runs += 1
    const run = `run00000000000${runs}`
    const findings = {
      ...{ status, routines: [], benchmarks: [], skipped: [], notes: [], errors: [], backend: '' },
      device_file: null,
    }
    const times = { startedAt: lab.clock.now(), endedAt: lab.clock.now() }
    await lab.db.write('report', (tx) =>
      storeReport(tx, {
        run,
        driver: tuner.id,
        qpu: qpu.id,
        request: null,
        mode: 'full',
        findings,
        ...times,
      }),
    )
    const row = await lab.db.read((tx) =>
      tx.one<{ id: string }>('SELECT id FROM calibration_results WHERE run_id = $run', { run }),
    )
    return row?.id ?? ''
  }
  const claim = async (job: string) => lab.db.write('claim', (tx) => claimNow(tx, job, target)?.attempt ?? 0)
  const end = (job: string, attempt: number, more: Partial<AttemptResult> = {}) => {
    const ended = { job, attempt, driver: target.driver, executionMs: 10, outcome: COMPLETED, ...more }
    return lab.db.write('end', (tx) => endNow(tx, ended, { maxAttempts: 2 }))
  }
  const run = async (provenance?: AttemptResult['provenance']) => {
    const { id } = await lab.submit(user, qpu.id)
    await end(id, await claim(id), { provenance })
    return id
  }
  const provenanceOf = async (job: string) =>
    (await lab.db.read((tx) => tx.read(attemptsOf(job)))).map(({ provenance }) =>
      provenance === null ? null : JSON.parse(provenance),
    )
  const stored = () =>
    lab.db.read((tx) => tx.one<{ n: number }>('SELECT count(*) AS n FROM job_provenance')?.n ?? 0)
  const remove = (job: string) => lab.db.write('delete', (tx) => deleteJob(tx, job))
  return {
    ...{ lab, user, qpu, report, claim, end, run, provenanceOf, stored, remove },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('the provenance of an attempt', () => {
  test('has what the driver reports and the calibration in force, before and after', async () => {
    await using it = await openCase()
    const report = await it.report()
    const calibrated_at = toTimestamp(it.lab.clock.now())
    await it.lab.clock.advance(5_000)
    const device_file = { before: FILE, after: FILE }
    const job = await it.run({ ...KNOWN, device_file })
    const state = { report, calibrated_at, device_file: FILE }
    expect(await it.provenanceOf(job)).toEqual([
      { ...KNOWN, calibration: { before: state, after: state, changed: false } },
    ])
  })

  test('says that the device file has changed during the run', async () => {
    await using it = await openCase()
    const job = await it.run({ ...KNOWN, device_file: { before: FILE, after: CHANGED } })
    expect(await it.provenanceOf(job)).toMatchObject([
      { calibration: { before: { device_file: FILE }, after: { device_file: CHANGED }, changed: true } },
    ])
  })

  test('names a report that came into force during the run as the later one', async () => {
    await using it = await openCase()
    const first = await it.report()
    await it.lab.clock.advance(1_000)
    const { id } = await it.lab.submit(it.user, it.qpu.id)
    const attempt = await it.claim(id)
    await it.lab.clock.advance(1_000)
    const second = await it.report()
    await it.end(id, attempt, { provenance: KNOWN })
    expect(await it.provenanceOf(id)).toMatchObject([
      { calibration: { before: { report: first }, after: { report: second }, changed: true } },
    ])
  })

  test.each(['failed', 'aborted'] as const)(
    'leaves out a report that is %s, and those of other QPUs',
    async (status) => {
      await using it = await openCase()
      const report = await it.report()
      await it.lab.clock.advance(1_000)
      await it.report(status)
      await it.lab.db.write('other QPU', (tx) => {
        tx.run(`UPDATE calibration_results SET qpu = 'zzzzzzzzzzzzzzz' WHERE status = $status`, { status })
      })
      const job = await it.run(KNOWN)
      expect(await it.provenanceOf(job)).toMatchObject([{ calibration: { after: { report } } }])
    },
  )

  test('has nothing that an earlier driver does not report, and does not exist if nothing is known', async () => {
    await using it = await openCase()
    expect(await it.provenanceOf(await it.run())).toEqual([null])
    expect(await it.stored()).toBe(0)
    await it.report()
    const [known] = await it.provenanceOf(await it.run())
    expect(Object.keys(known)).toEqual(['calibration'])
    expect(known.calibration.before).not.toHaveProperty('device_file')
  })

  test('exists of each attempt, also of one that fails or arrives late', async () => {
    await using it = await openCase()
    const { id } = await it.lab.submit(it.user, it.qpu.id)
    const failure = (code: string) => ({
      outcome: { kind: 'failed', class: 'device', results: { error: 'warm', error_code: code } } as const,
      provenance: { ...KNOWN, note: code },
    })
    await it.end(id, await it.claim(id), failure('first'))
    await it.lab.clock.advance(60_000)
    await it.end(id, await it.claim(id), failure('second'))
    expect(await it.provenanceOf(id)).toEqual([
      { ...KNOWN, note: 'first' },
      { ...KNOWN, note: 'second' },
    ])
    expect((await it.lab.job(id)).status).toBe('failed')
  })

  test('is stored once per content, and as long as an attempt of a job has it', async () => {
    await using it = await openCase()
    const [one, two] = [await it.run(KNOWN), await it.run(KNOWN)]
    const other = await it.run({ ...KNOWN, driver: { version: '27.2.0' } })
    expect(await it.stored()).toBe(2)
    await it.remove(one)
    expect(await it.stored()).toBe(2)
    await it.remove(two)
    expect(await it.stored()).toBe(1)
    expect(await it.provenanceOf(other)).toMatchObject([{ driver: { version: '27.2.0' } }])
    await it.lab.clock.advance(DAY_MS)
    await it.lab.db.write('prune', (tx) => pruneJobs(tx, it.lab.clock.now(), 10))
    expect(await it.stored()).toBe(0)
  })
})
