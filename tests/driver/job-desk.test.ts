import { expect, test } from 'bun:test'
import { FakeClock } from '../../src/base/index.ts'
import { JobDesk } from '../../src/driver/job-desk.ts'
import type { JobWatch } from '../../src/driver/job-run.ts'
import { Outbox } from '../../src/driver/outbox.ts'
import { writeFailure } from '../../src/driver/write-event.ts'
import type { EventEnvelope } from '../../src/protocol/index.ts'
import { recordedLog } from './support/logs.ts'
import { tempFolder } from './support/temp-folder.ts'
import { until } from './support/until.ts'

const DISPATCH = {
  kind: 'run',
  type: 'RunJob',
  job: 'job000000000001',
  attempt: 1,
  epoch: 5,
  limit_ms: 0,
} as const
const OTHER = { ...DISPATCH, job: 'job000000000002' }

async function openDesk(folder: string) {
  const clock = new FakeClock()
  const { log } = recordedLog()
  const outbox = await Outbox.open(folder, { clock, log })
  const told: EventEnvelope[] = []
  const stopped: string[] = []
  const runs: { watch: JobWatch; end(body: string | undefined): void }[] = []
  const desk = new JobDesk({
    clock,
    log,
    outbox,
    runJob: (_, watch) => new Promise((resolve) => runs.push({ watch, end: resolve })),
    stopJob: (result) => stopped.push(result),
    sendNow: (body) => told.push(JSON.parse(body)) > 0,
    wake: () => undefined,
  })
  desk.beginLease(5)
  /** Ends the job under way with a result. */
  const end = async (attempt: { job: string; attempt: number; epoch: number } = DISPATCH) => {
    const { job, attempt: number, epoch } = attempt
    runs.at(-1)?.end(writeFailure(clock, { job, attempt: number, epoch }, { class: 'user', message: 'no' }))
    await until(() => desk.running === null)
  }
  const resent = async () => {
    const ids: string[] = []
    await outbox.sendDue(async (body) => void ids.push(JSON.parse(body).id))
    return ids
  }
  return {
    desk,
    stopped,
    clock,
    outbox,
    told,
    runs,
    end,
    resent,
    types: () => told.map((event) => event.type),
  }
}

test('JobDesk reports start and, each 5 s, the job and what it is at', async () => {
  await using folder = await tempFolder()
  const { desk, clock, told, runs, types, end } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  expect(desk.running).toEqual({ job: DISPATCH.job, attempt: 1 })
  runs[0]?.watch.onStarted()
  await clock.advance(5_000)
  runs[0]?.watch.onPhase('compiling')
  await clock.advance(5_000)
  expect(told.map(({ type, payload }) => [type, payload])).toEqual([
    ['JobStarted', { job: DISPATCH.job, attempt: 1 }],
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1 }],
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1, phase: 'compiling' }],
  ])
  await end()
  await clock.advance(60_000)
  expect(types()).toHaveLength(3)
})

test('JobDesk.stop() ends the attempt under way, no other, and leaves no result', async () => {
  await using folder = await tempFolder()
  const { desk, stopped, runs, outbox } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  desk.stop({ job: DISPATCH.job, attempt: 2 })
  desk.stop(OTHER)
  expect(stopped).toEqual([])
  desk.stop(DISPATCH)
  expect(stopped).toHaveLength(1)
  runs[0]?.end(undefined)
  await until(() => desk.running === null)
  expect(outbox.ids()).toEqual([])
  await desk.receive({ ...DISPATCH, attempt: 2 }, 'text')
  expect(desk.running).toEqual({ job: DISPATCH.job, attempt: 2 })
})

test('JobDesk reports no start of a job that ends within 20 ms', async () => {
  await using folder = await tempFolder()
  const { desk, clock, runs, types, end } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  runs[0]?.watch.onStarted()
  await clock.advance(19)
  await end()
  await clock.advance(5_000)
  expect(types()).toEqual([])
})

test('JobDesk puts the result into the outbox before it is free again', async () => {
  await using folder = await tempFolder()
  const { desk, outbox, resent, end } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  await end()
  expect(outbox.has('job000000000001.1')).toBe(true)
  expect(await resent()).toEqual(['job000000000001.1'])
  expect(await resent()).toEqual([])
})

test('JobDesk answers a repeated dispatch from the outbox, and after the acknowledgement from memory', async () => {
  await using folder = await tempFolder()
  const { desk, outbox, runs, resent, end } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  await end()
  await resent()
  await desk.receive(DISPATCH, 'text')
  expect(await resent()).toEqual(['job000000000001.1'])
  await outbox.settle('job000000000001.1')
  await desk.receive({ ...DISPATCH, epoch: 4 }, 'text')
  expect(await resent()).toEqual(['job000000000001.1'])
  expect(runs).toHaveLength(1)
})

test('JobDesk answers a repeated dispatch after a restart from the outbox', async () => {
  await using folder = await tempFolder()
  const first = await openDesk(folder.path)
  await first.desk.receive(DISPATCH, 'text')
  await first.end()
  const second = await openDesk(folder.path)
  await second.desk.receive(DISPATCH, 'text')
  expect(second.runs).toEqual([])
  expect(await second.resent()).toEqual(['job000000000001.1'])
})

test('JobDesk confirms the attempt that runs and refuses a second job and an older lease', async () => {
  await using folder = await tempFolder()
  const { desk, told, runs } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  await desk.receive(DISPATCH, 'text')
  await desk.receive(OTHER, 'text')
  await desk.receive({ ...OTHER, epoch: 4 }, 'text')
  expect(told.map(({ type, payload }) => [type, payload])).toEqual([
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1 }],
    ['JobRefused', { job: OTHER.job, attempt: 1, reason: 'busy' }],
    ['JobRefused', { job: OTHER.job, attempt: 1, reason: 'old_epoch' }],
  ])
  expect(runs).toHaveLength(1)
})

test('JobDesk.close() waits for the running job and refuses new ones', async () => {
  await using folder = await tempFolder()
  const { desk, told, end } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  let closed = false
  const closing = desk.close().then(() => {
    closed = true
  })
  await desk.receive(OTHER, 'text')
  expect(told.at(-1)?.payload).toEqual({ job: OTHER.job, attempt: 1, reason: 'stopping' })
  expect(closed).toBe(false)
  await end()
  await closing
})

test('JobDesk leaves no result for a job that was given up', async () => {
  await using folder = await tempFolder()
  const { desk, outbox, runs } = await openDesk(folder.path)
  await desk.receive(DISPATCH, 'text')
  runs[0]?.end(undefined)
  await until(() => desk.running === null)
  expect(outbox.size).toBe(0)
})
