import { expect, test } from 'bun:test'
import { Loop, silentLog } from '../../../../src/base/index.ts'
import { listAudit } from '../../../../src/db/journal/index.ts'
import { BackgroundTasks } from '../../../../src/server/admin/tasks/background-tasks.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { openTestServer } from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

interface Task {
  id: string
  running: boolean
  last_run: string
  duration_ms: number | null
  error: string
  next_run: string
}

test('the background tasks are listed with their runs, and one is run now', async () => {
  await using server = await openTestServer()
  const { admin } = server
  const list = async () => ((await admin.get('/api/op/tasks')).body as { tasks: Task[] }).tasks
  const ids = (await list()).map(({ id }) => id)
  expect(ids).toContain('pruning')
  expect(ids).toContain('certificate-renewal')
  expect(ids).toContain('roll-up-of-readings')
  const pruning = async () => (await list()).find(({ id }) => id === 'pruning')
  const first = await until('the first run', async () => {
    const task = await pruning()
    return task && task.duration_ms !== null && task
  })
  expect(first).toMatchObject({ error: '', last_run: expect.stringMatching(/Z$/) })
  expect(Date.parse(first.next_run)).toBeGreaterThan(Date.now() + 1_800_000)
  expect((await admin.post('/api/op/tasks/pruning/run')).status).toBe(202)
  await until('another run', async () => (await pruning())?.last_run !== first.last_run)
  expect((await admin.post('/api/op/tasks/none/run')).status).toBe(404)
  const audited = await server.db.read((tx) => listAudit(tx, { act: 'task', limit: 10 }))
  expect(audited).toMatchObject([{ act: 'task.run', subject: 'pruning' }])
})

test('a task that runs is not run again; its error and duration are those of the finished run', async () => {
  const clock = new FakeClock()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let runs = 0
  const loop = new Loop({
    ...{ name: 'sweep of rooms', summary: 'Sweep', clock, log: silentLog, intervalMs: 60_000 },
    runOnce: () => gates[runs++]?.promise,
  })
  const hidden = new Loop({ name: 'hidden', clock, log: silentLog, intervalMs: 1, runOnce: () => undefined })
  const tasks = new BackgroundTasks([hidden, { name: 'sweeper', loop }])
  expect([...tasks.all.keys()]).toEqual(['sweep-of-rooms'])
  loop.start()
  expect(() => tasks.runNow('sweep-of-rooms')).toThrow('runs already')
  await clock.advance(500)
  gates[0]?.reject(new Error('the room is locked'))
  await clock.advance(0)
  expect(loop.status).toMatchObject({ isRunning: false, durationMs: 500, problem: 'the room is locked' })
  await clock.advance(250)
  tasks.runNow('sweep-of-rooms')
  await clock.advance(0)
  expect([runs, loop.status.isRunning, loop.status.nextAt]).toEqual([2, true, undefined])
  gates[1]?.resolve()
  await clock.advance(0)
  expect(loop.status).toMatchObject({ problem: '', nextAt: clock.now() + 60_000 })
  await loop.stop()
  expect(loop.status.nextAt).toBeUndefined()
})
