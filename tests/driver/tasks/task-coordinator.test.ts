import { afterEach, expect, spyOn, test } from 'bun:test'
import { Alarms } from '../../../src/base/index.ts'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { writeFailure } from '../../../src/driver/messages/write-event.ts'
import { jobTask } from '../../../src/driver/tasks/job-task.ts'
import type { TaskObserver } from '../../../src/driver/tasks/task.ts'
import { TaskCoordinator } from '../../../src/driver/tasks/task-coordinator.ts'
import type { EventEnvelope, RunJob } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { recordedLog } from '../support/logs.ts'

const DISPATCH = {
  type: 'RunJob',
  job: 'job000000000001',
  attempt: 1,
  epoch: 5,
  limit_ms: 0,
} as const
const OTHER = { ...DISPATCH, job: 'job000000000002' }

const opened: Outbox[] = []
afterEach(async () => {
  for (const outbox of opened.splice(0)) await outbox.close()
})

async function openCoordinator(folder: string) {
  const clock = new FakeClock()
  const { log } = recordedLog()
  const outbox = await Outbox.open(folder, { clock, log })
  opened.push(outbox)
  const sent: EventEnvelope[] = []
  const stopped: string[] = []
  const runs: { watch: TaskObserver; end(body: string | undefined): void }[] = []
  const coordinator = new TaskCoordinator({
    clock,
    alarms: new Alarms(clock),
    log,
    outbox,
    run: (_, watch) => new Promise((resolve) => runs.push({ watch, end: resolve })),
    stopTask: (id) => stopped.push(id),
    sendNow: (body) => sent.push(JSON.parse(body)) > 0,
    wake: () => undefined,
  })
  coordinator.beginLease(5)
  /** Ends the running job with a result. */
  const end = async (attempt: { job: string; attempt: number; epoch: number } = DISPATCH) => {
    const { job, attempt: number, epoch } = attempt
    runs.at(-1)?.end(writeFailure(clock, { job, attempt: number, epoch }, { class: 'user', message: 'no' }))
    await until('the task has ended', () => coordinator.hello.running === null)
  }
  const resent = async () => {
    const ids: string[] = []
    await outbox.sendDue(async (body) => void ids.push(JSON.parse(body).id))
    return ids
  }
  /** Passes a dispatch to the coordinator. */
  const receive = (dispatch: Omit<RunJob, 'payload'>) =>
    coordinator.receive(jobTask(dispatch, 'text', { clock, jobTimeoutMs: 10_000 }))
  return {
    coordinator,
    receive,
    stopped,
    clock,
    outbox,
    sent,
    runs,
    end,
    resent,
    types: () => sent.map((event) => event.type),
  }
}

test('TaskCoordinator reports the start and, every 5 s, the job with its phase', async () => {
  using folder = temporaryFolder()
  const { coordinator, receive, clock, sent, runs, types, end } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  expect(coordinator.hello.running).toEqual({ job: DISPATCH.job, attempt: 1, limit_ms: 10_000 })
  runs[0]?.watch.onStarted()
  await clock.advance(5_000)
  runs[0]?.watch.onPhase('compiling')
  await clock.advance(5_000)
  expect(sent.map(({ type, payload }) => [type, payload])).toEqual([
    ['JobStarted', { job: DISPATCH.job, attempt: 1, limit_ms: 10_000 }],
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1 }],
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1, phase: 'compiling' }],
  ])
  await end()
  await clock.advance(60_000)
  expect(types()).toHaveLength(3)
})

test('TaskCoordinator sends heartbeats until the result is on a slow disk', async () => {
  using folder = temporaryFolder()
  const { receive, runs, clock, types, coordinator, outbox } = await openCoordinator(folder.path)
  const written = Promise.withResolvers<void>()
  const put = outbox.put.bind(outbox)
  outbox.put = async (...event) => {
    await written.promise
    await put(...event)
  }
  await receive(DISPATCH)
  runs[0]?.end('result')
  await clock.advance(5_000)
  expect(coordinator.hello.running).toEqual({ job: DISPATCH.job, attempt: 1, limit_ms: 10_000 })
  expect(types()).toEqual(['JobHeartbeat'])
  written.resolve()
  await until('the task has ended', () => coordinator.hello.running === null)
  expect(outbox.size).toBe(1)
  await clock.advance(5_000)
  expect(types()).toHaveLength(1)
})

test('TaskCoordinator sends the result of a task above 1 s after the flush, of a shorter one during it', async () => {
  using folder = temporaryFolder()
  const { receive, clock, outbox, end } = await openCoordinator(folder.path)
  const put = spyOn(outbox, 'put')
  await receive(DISPATCH)
  await clock.advance(1_000)
  await end()
  await receive(OTHER)
  await clock.advance(1_001)
  await end(OTHER)
  expect(put.mock.calls.map(([, , options]) => options)).toEqual([
    { isFlushedLater: true },
    { isFlushedLater: false },
  ])
})

test('TaskCoordinator.stop() ends the running attempt only, without a result', async () => {
  using folder = temporaryFolder()
  const { coordinator, receive, stopped, runs, outbox } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  coordinator.stop(`${DISPATCH.job}.2`)
  coordinator.stop(`${OTHER.job}.1`)
  expect(stopped).toEqual([])
  coordinator.stop(`${DISPATCH.job}.1`)
  expect(stopped).toHaveLength(1)
  runs[0]?.end(undefined)
  await until('the task has ended', () => coordinator.hello.running === null)
  expect(outbox.ids()).toEqual([])
  await receive({ ...DISPATCH, attempt: 2 })
  expect(coordinator.hello.running).toEqual({ job: DISPATCH.job, attempt: 2, limit_ms: 10_000 })
})

test('TaskCoordinator reports no start of a job that ends within 20 ms', async () => {
  using folder = temporaryFolder()
  const { receive, clock, runs, types, end } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  runs[0]?.watch.onStarted()
  await clock.advance(19)
  await end()
  await clock.advance(5_000)
  expect(types()).toEqual([])
})

test('TaskCoordinator stores the result in the outbox before it accepts another job', async () => {
  using folder = temporaryFolder()
  const { receive, outbox, resent, end } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  await end()
  expect(outbox.has('job000000000001.1')).toBe(true)
  expect(await resent()).toEqual(['job000000000001.1'])
  expect(await resent()).toEqual([])
})

test('TaskCoordinator resends the result of a repeated dispatch from the outbox, and after the acknowledgement from memory', async () => {
  using folder = temporaryFolder()
  const { receive, outbox, runs, resent, end } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  await end()
  await resent()
  await receive(DISPATCH)
  expect(await resent()).toEqual(['job000000000001.1'])
  await outbox.acknowledge('job000000000001.1')
  await receive({ ...DISPATCH, epoch: 4 })
  expect(await resent()).toEqual(['job000000000001.1'])
  expect(runs).toHaveLength(1)
})

test('TaskCoordinator resends the result of a repeated dispatch from the outbox after a restart', async () => {
  using folder = temporaryFolder()
  const first = await openCoordinator(folder.path)
  await first.receive(DISPATCH)
  await first.end()
  const second = await openCoordinator(folder.path)
  await second.receive(DISPATCH)
  expect(second.runs).toEqual([])
  expect(await second.resent()).toEqual(['job000000000001.1'])
})

test('TaskCoordinator confirms the running attempt and refuses a second job and an older lease', async () => {
  using folder = temporaryFolder()
  const { receive, sent, runs } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  await receive(DISPATCH)
  await receive(OTHER)
  await receive({ ...OTHER, epoch: 4 })
  expect(sent.map(({ type, payload }) => [type, payload])).toEqual([
    ['JobHeartbeat', { job: DISPATCH.job, attempt: 1 }],
    ['JobRefused', { job: OTHER.job, attempt: 1, reason: 'busy' }],
    ['JobRefused', { job: OTHER.job, attempt: 1, reason: 'old_epoch' }],
  ])
  expect(runs).toHaveLength(1)
})

test('TaskCoordinator.close() waits for the running job and refuses new ones', async () => {
  using folder = temporaryFolder()
  const { coordinator, receive, sent, end } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  let closed = false
  const closing = coordinator.close().then(() => {
    closed = true
  })
  await receive(OTHER)
  expect(sent.at(-1)?.payload).toEqual({ job: OTHER.job, attempt: 1, reason: 'stopping' })
  expect(closed).toBe(false)
  await end()
  await closing
})

test('TaskCoordinator stores no result for an abandoned job', async () => {
  using folder = temporaryFolder()
  const { coordinator, receive, outbox, runs } = await openCoordinator(folder.path)
  await receive(DISPATCH)
  runs[0]?.end(undefined)
  await until('the task has ended', () => coordinator.hello.running === null)
  expect(outbox.size).toBe(0)
})
