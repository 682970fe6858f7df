import { expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATED } from '../../support/devices/gated.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import {
  balanceOf,
  type JobSeen,
  readJob,
  submit,
  timesOf,
  untilJob,
} from '../../support/executable/job-calls.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()

async function op<T = JobSeen & { code: string }>(path: string, body: object = {}) {
  return service.call<T>('POST', `/api/op/${path}`, { token: await service.admin(), body })
}

const seen = (id: string) => readJob(service, user.token, id)
const hasStarted = (id: string) =>
  until(`job ${id} to start`, async () => timesOf(await seen(id), 'started') > 0 && seen(id))

/** A driver whose jobs end while the file `gate` exists. */
async function start(name: string) {
  const gate = join(service.folder, `${name}-gate`)
  const driver = service.startDriver(name, await service.createQpu(name), GATED, [`gate=${gate}`])
  await service.untilOnline(name)
  return { driver, openGate: () => writeFileSync(gate, ''), closeGate: () => rmSync(gate) }
}

/** When a job was last given to its driver. */
const claimedAt = ({ timeline }: JobSeen) =>
  Date.parse(timeline.findLast(({ event }) => event === 'claimed')?.at ?? '')

async function stop(driver: Bun.Subprocess): Promise<void> {
  driver.kill('SIGKILL')
  await driver.exited
}

test('a held job lets others by and runs when it is released; run next overtakes', async () => {
  const { driver, openGate, closeGate } = await start('kelvin')
  const job = () => submit(service, user.token, { qpu_target: 'kelvin' })
  const [busy, held, last] = [await job(), await job(), await job()]
  await hasStarted(busy)
  expect((await op(`jobs/${held}/hold`, { reason: 'check the qubits' })).status).toBe(200)
  openGate()
  await untilJob(service, user.token, last, ['completed'])
  expect(await seen(held)).toMatchObject({
    status: 'pending',
    waiting: { code: 'held', text: 'Held by an operator: check the qubits' },
  })
  closeGate()
  const [first, second, urgent] = [await job(), await job(), await job()]
  await hasStarted(first)
  expect((await op(`jobs/${urgent}/run-next`)).status).toBe(200)
  openGate()
  const [overtaken, overtaking] = [
    await untilJob(service, user.token, second),
    await untilJob(service, user.token, urgent),
  ]
  expect([overtaken.status, overtaking.status]).toEqual(['completed', 'completed'])
  expect(claimedAt(overtaking)).toBeLessThan(claimedAt(overtaken))
  await op(`jobs/${held}/release`)
  expect((await untilJob(service, user.token, held)).status).toBe('completed')
  await stop(driver)
})

test('a requeued job stops on its driver, which takes the next one; it costs nothing and runs again', async () => {
  const { driver } = await start('celsius')
  const balance = await balanceOf(service, user)
  const job = await submit(service, user.token, { qpu_target: 'celsius' })
  await hasStarted(job)
  const back = await op(`jobs/${job}/requeue`, { hold: true, reason: 'wrong device file' })
  expect(back.body).toMatchObject({ status: 'pending', held: true, attempt: 1 })
  const next = await submit(service, user.token, { qpu_target: 'celsius' })
  await hasStarted(next)
  await op(`jobs/${next}/requeue`, { hold: true })
  await op(`jobs/${job}/release`)
  await until('its second attempt to start', async () => timesOf(await seen(job), 'started') === 2)
  const { timeline, attempt } = await seen(job)
  expect(timeline.map(({ event }) => event).filter((event) => event === 'requeued')).toHaveLength(1)
  expect(attempt).toBeGreaterThanOrEqual(2)
  expect(await balanceOf(service, user)).toBe(balance)
  await stop(driver)
  const refused = await op(`jobs/${next}/requeue`)
  expect([refused.status, refused.body.code]).toEqual([409, 'not_running'])
})

test('a draining QPU ends what it runs and takes nothing new until it is drained no more', async () => {
  const { driver, openGate } = await start('rankine')
  const runs = await submit(service, user.token, { qpu_target: 'rankine' })
  await hasStarted(runs)
  const drain = (on: boolean) =>
    op<{ running_job: string | null }>('qpu/drain', { name: 'rankine', drain: on, reason: 'helium' })
  expect((await drain(true)).body.running_job).toBe(runs)
  const waits = await submit(service, user.token, { qpu_target: 'rankine' })
  openGate()
  expect((await untilJob(service, user.token, runs)).status).toBe('completed')
  expect(await seen(waits)).toMatchObject({
    status: 'pending',
    waiting: { code: 'draining', text: 'rankine is draining: helium' },
  })
  expect((await drain(true)).body.running_job).toBeNull()
  // A drain outlives the server.
  await service.stop()
  await service.start()
  await service.untilOnline('rankine')
  expect((await seen(waits)).attempt).toBe(0)
  await drain(false)
  expect((await untilJob(service, user.token, waits)).status).toBe('completed')
  await stop(driver)
})
