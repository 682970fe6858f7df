import { expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { webhooks } from '../../../src/db/store/webhooks/index.ts'
import { metric } from '../../../src/server/metrics/exposition.ts'
import { RequestTimes } from '../../../src/server/metrics/request-times.ts'
import { ServiceWatch } from '../../../src/server/metrics/service-watch.ts'
import { JobLab } from '../../support/server/job-lab.ts'
import { openTestServer } from '../../support/server/server.ts'

const MINUTE = 60_000

/** A watch whose metrics have as much free disk space as `lab.free` says; `check` runs it once. */
async function openWatch(lab: JobLab) {
  const disk = { free: 6e9 }
  const { db, clock } = lab
  const metrics = { read: async () => [metric('svc_disk_free_bytes', 'Free space', disk.free)] }
  const watch = new ServiceWatch({ db, metrics, requests: new RequestTimes(clock), clock, log: silentLog })
  const owner = await lab.user()
  await db.write('webhook', (tx) =>
    tx.insert(webhooks, {
      ...{ user: owner.id, url: 'https://example.org/', for_operators: true, secret: 'whsec_aa' },
      kinds: ['service.breached', 'service.cleared'],
    }),
  )
  const check = async (free: number) => {
    disk.free = free
    watch.loop.start()
    await watch.loop.stop()
  }
  const sent = () =>
    db.read((tx) =>
      tx
        .all<{ kind: string; body: string }>('SELECT kind, body FROM webhook_deliveries ORDER BY seq')
        .map(({ kind, body }) => [kind, JSON.parse(body).data.value]),
    )
  return { watch, check, sent, clock }
}

test('what stays beyond its limit for a minute is announced once, and the figure says since when', async () => {
  await using lab = await JobLab.open()
  const { watch, check, sent, clock } = await openWatch(lab)
  await check(6e9)
  expect(await sent()).toEqual([])
  await check(4e9)
  await clock.advance(MINUTE)
  await check(6e9)
  await check(4e9)
  expect(await sent()).toEqual([])
  for (const free of [3.5e9, 3e9]) {
    await clock.advance(MINUTE)
    await check(free)
  }
  expect(await sent()).toEqual([['service.breached', 3.5e9]])
  expect((await watch.describe()).figures).toMatchObject([
    {
      metric: 'svc_disk_free_bytes',
      value: 3e9,
      below: 5e9,
      is_beyond: true,
      since: expect.stringMatching(/Z$/),
    },
  ])
  await check(5e9)
  expect(await sent()).toEqual([
    ['service.breached', 3.5e9],
    ['service.cleared', 5e9],
  ])
  expect((await watch.describe()).figures[0]?.since).toBe('')
})

test('the course has a value every 5 minutes, and a day of them', async () => {
  await using lab = await JobLab.open()
  const { watch, check, clock } = await openWatch(lab)
  const started = clock.now()
  for (let minute = 0; minute < 11; minute++) {
    await check(6e9 + minute)
    await clock.advance(MINUTE)
  }
  const { times, figures } = await watch.describe()
  expect(times.map((at) => (at - started) / MINUTE)).toEqual([0, 5, 10])
  expect(figures[0]?.history).toEqual([6e9, 6e9 + 5, 6e9 + 10])
  for (let each = 0; each < 300; each++) {
    await clock.advance(5 * MINUTE)
    await check(6e9)
  }
  expect((await watch.describe()).times).toHaveLength(288)
})

test('GET /api/op/service has the figures of the server and its slow requests', async () => {
  await using server = await openTestServer()
  const superuser = server.admin
  await superuser.get('/api/op/version')
  const { status, body } = await superuser.get('/api/op/service')
  expect(status).toBe(200)
  const { figures, slowest } = body as Awaited<ReturnType<ServiceWatch['describe']>>
  const of = (metric: string) => figures.find((figure) => figure.metric === metric)
  expect(of('svc_drivers_lost')).toMatchObject({ value: 0, from: 1, is_beyond: false })
  expect(of('svc_certificate_seconds')).toMatchObject({ below: 172_800, is_beyond: false })
  if (server.db.files) expect(of('svc_backup_age_seconds')).toMatchObject({ value: null, is_beyond: true })
  expect(of('svc_error_share')).toMatchObject({ value: 0, from: 0.01 })
  expect(slowest.map(({ route }) => route)).toContain('GET /api/op/version')
})
