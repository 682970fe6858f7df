import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outboxIds } from '../support/outbox-ids.ts'
import { untilExit } from '../support/process-state.ts'
import { until } from '../support/until.ts'
import { type DriverFlags, openBench } from './support/driver.ts'
import { runJobOf } from './support/jobs.ts'

const MAIN = join(import.meta.dir, 'support/driver-main.ts')

/** A driver in its own process group, as a service manager starts it. */
async function openProcessBench() {
  const bench = await openBench()
  const dispose = bench[Symbol.asyncDispose]
  const processes: Bun.Subprocess[] = []
  return Object.assign(bench, {
    async launch(changes: DriverFlags = {}): Promise<Bun.Subprocess> {
      const settings = JSON.stringify({ ...bench.settings, ...changes })
      const driver = Bun.spawn([process.execPath, MAIN, 'start', settings], {
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
      })
      processes.push(driver)
      await until('attach', bench.server.attached)
      return driver
    },
    /** Runs a job that reports its process id. */
    async devicePid(): Promise<number> {
      bench.server.push(runJobOf('pid', { job: 'job00000000pid0' }))
      const { payload } = await until('pid', () =>
        bench.server.eventsOf('JobResult').find((event) => event.id === 'job00000000pid0.1'),
      )
      return Number(/"note":"(\d+)"/.exec(JSON.stringify(payload))?.[1])
    },
    async [Symbol.asyncDispose]() {
      for (const each of processes) each.kill('SIGKILL')
      await dispose()
    },
  })
}

test('a driver killed while idle ends its device process, and can be started again', async () => {
  await using bench = await openProcessBench()
  const driver = await bench.launch()
  const pid = await bench.devicePid()
  driver.kill('SIGKILL')
  await untilExit(pid)
  await until('the driver is detached', () => !bench.server.attached())
  await bench.launch()
  bench.server.push(runJobOf('ok', { epoch: 2 }))
  await until('the result arrives', () =>
    bench.server.events.some((event) => event.id === 'job000000000001.1'),
  )
})

test('a driver killed while its device is in an endless loop ends the device process', async () => {
  await using bench = await openProcessBench()
  const driver = await bench.launch()
  const pid = await bench.devicePid()
  bench.server.push(runJobOf('loop'))
  await bench.event('JobStarted')
  driver.kill('SIGKILL')
  await untilExit(pid)
  await until('the driver is detached', () => !bench.server.attached())
  // The lost attempt gets no result; the next one runs.
  await bench.launch()
  expect(bench.server.eventsOf('DriverHello').at(-1)?.payload).toMatchObject({ running: null })
  bench.server.push(runJobOf('ok', { attempt: 2, epoch: 2 }))
  await until('the result arrives', () =>
    bench.server.events.some((event) => event.id === 'job000000000001.2'),
  )
  expect(bench.server.events.some((event) => event.id === 'job000000000001.1')).toBe(false)
})

test('a driver killed before its result was acknowledged delivers it after the restart', async () => {
  await using bench = await openProcessBench()
  const driver = await bench.launch()
  bench.server.acknowledge = false
  bench.server.push(runJobOf('ok hello'))
  const first = await bench.event('JobResult')
  driver.kill('SIGKILL')
  await until('the driver is detached', () => !bench.server.attached())
  bench.server.acknowledge = true
  await bench.launch()
  expect(await bench.event('JobResult', 2)).toEqual(first)
  await until('the results to be acknowledged', async () => (await outboxIds(bench.outbox)).length === 0)
})

test('SIGTERM to the whole group lets the running job finish', async () => {
  await using bench = await openProcessBench()
  const driver = await bench.launch()
  const end = join(bench.folder, 'end')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.event('JobStarted')
  process.kill(-driver.pid, 'SIGTERM')
  writeFileSync(end, '')
  expect(await driver.exited).toBe(0)
  expect((await bench.event('JobResult')).payload).toMatchObject({ status: 'completed' })
  expect(await outboxIds(bench.outbox)).toEqual([])
})

test('a driver suspended beyond the time limit accepts a result that was in time', async () => {
  // On a machine that takes too long to suspend the driver in time, once more with twice the time.
  for (let limitMs = 400; !(await isAcceptedAfterSuspension(limitMs)); limitMs *= 2);
})

/**
 * Suspends a driver until its job has ended and the time limit of the job is over, and expects its result.
 * Returns false if the driver was suspended too late.
 */
async function isAcceptedAfterSuspension(limitMs: number): Promise<boolean> {
  await using bench = await openProcessBench()
  const driver = await bench.launch({ option: ['greeting=hi', `job_timeout=${limitMs / 1_000}`] })
  const [end, ended] = [join(bench.folder, 'end'), join(bench.folder, 'ended')]
  const before = performance.now()
  bench.server.push(runJobOf(`held ${end} ${ended}`))
  await bench.event('JobStarted')
  driver.kill('SIGSTOP')
  if (performance.now() - before >= limitMs) return false
  writeFileSync(end, '')
  await until('the device has ended the job', () => existsSync(ended))
  await Bun.sleep(2 * limitMs)
  driver.kill('SIGCONT')
  expect((await bench.event('JobResult')).payload).toMatchObject({ status: 'completed' })
  return true
}
