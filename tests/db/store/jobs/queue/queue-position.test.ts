import { expect, test } from 'bun:test'
import { ATTEMPTS } from '../../../../../src/db/store/jobs/attempts.ts'
import { Forecasts } from '../../../../../src/db/store/jobs/forecast/forecasts.ts'
import { Forecast } from '../../../../../src/db/store/jobs/index.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../../support/server/job-lab.ts'

test('the typical time is the middle one, never 0, and assumed without any', () => {
  const typical = (times: number[]) => {
    const forecast = new Forecast()
    const size = { program: '', shots: 1, executions: 1, qubits: 1, ms: 1 }
    for (const busyMs of times) forecast.add({ ...size, busyMs })
    return forecast.typicalMs
  }
  expect(typical([5, 1, 9])).toBe(5)
  expect(typical([9, 5, 1, 7])).toBe(7)
  expect(typical([0, 0])).toBe(1)
  expect(typical([])).toBe(1_000)
})

test('the times of a QPU are those of its own jobs that have ended well', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const run = async (ms: number, outcome: 'completed' | 'device') => {
    const { job, attempt, driver } = await lab.running(user)
    await lab.clock.advance(ms)
    await lab.db.write('end', (tx) =>
      endNow(
        tx,
        {
          ...{ job, attempt, driver, executionMs: ms },
          outcome:
            outcome === 'completed'
              ? { kind: 'completed', results: RESULTS }
              : { kind: 'failed', class: 'device', results: { error: 'warm' } },
        },
        { maxAttempts: 0 },
      ),
    )
    return (
      (
        await lab.db.read((tx) =>
          tx.one<{ qpu: string }>(`SELECT qpu FROM ${ATTEMPTS} AS attempts WHERE job = $job`, { job }),
        )
      )?.qpu ?? ''
    )
  }
  // Read from the store, as after a start.
  const timesOf = (qpu: string) => lab.db.read((tx) => new Forecasts(lab.db).of(tx, qpu).recentMs)
  const north = await run(3_000, 'completed')
  const south = await run(7_000, 'completed')
  const broken = await run(2_000, 'device')
  expect([await timesOf(north), await timesOf(south), await timesOf(broken)]).toEqual([[3_000], [7_000], []])
  // A job that runs has no time yet.
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const { id } = await lab.submit(user, qpu.id)
  await lab.db.write('claim', (tx) => claimNow(tx, id, target))
  expect(await timesOf(qpu.id)).toEqual([])
})
