import { expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { superusers } from '../../../src/db/store/accounts/index.ts'
import { webhooks } from '../../../src/db/store/webhooks/index.ts'
import { LiveConfig } from '../../../src/server/config/live-config.ts'
import { readConfig } from '../../../src/server/config/read-config.ts'
import { metric, type Reading } from '../../../src/server/metrics/exposition.ts'
import { RequestTimes } from '../../../src/server/metrics/request-times.ts'
import { ServiceWatch } from '../../../src/server/metrics/service-watch.ts'
import { JobLab } from '../../support/server/job-lab.ts'
import { openTestServer } from '../../support/server/server.ts'

const MINUTE = 60_000

/** A watch whose metrics have as much free disk space as `lab.free` says; `check` runs it once. */
async function openWatch(lab: JobLab) {
  const disk: { free: Reading } = { free: 6e9 }
  const { db, clock } = lab
  const metrics = {
    read: async () => [
      metric('svc_disk_free_bytes', 'Free space', disk.free),
      metric('svc_unreadable_figures', 'Not read', typeof disk.free === 'number' ? 0 : 1),
    ],
  }
  const live = new LiveConfig(readConfig({ flags: {}, env: {} }))
  const requests = new RequestTimes(clock)
  const watch = new ServiceWatch({ db, metrics, requests, live, clock, log: silentLog })
  const owner = await lab.user()
  await db.write('webhook', (tx) =>
    tx.insert(webhooks, {
      ...{ user: owner.id, url: 'https://example.org/', for_operators: true, secret: 'whsec_aa' },
      kinds: ['service.breached', 'service.cleared'],
    }),
  )
  const check = async (free: Reading) => {
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
  const mailed = () =>
    db.read((tx) =>
      tx
        .all<{ user: string; detail: string }>('SELECT "user", detail FROM mail_items ORDER BY seq')
        .map(({ user, detail }) => [user, JSON.parse(detail).text]),
    )
  return { watch, check, sent, mailed, live, clock }
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
  expect((await watch.describe()).figures[0]).toMatchObject({
    metric: 'svc_disk_free_bytes',
    value: 3e9,
    below: 5e9,
    is_beyond: true,
    since: expect.stringMatching(/Z$/),
  })
  await check(5e9)
  expect(await sent()).toEqual([
    ['service.breached', 3.5e9],
    ['service.cleared', 5e9],
  ])
  expect((await watch.describe()).figures[0]?.since).toBe('')
})

test('superusers who want it are mailed once when a limit is passed, and once when all is well again', async () => {
  await using lab = await JobLab.open()
  const { check, mailed, clock } = await openWatch(lab)
  const ids = await lab.db.write('superusers', (tx) =>
    [true, false].map(
      (mail_alerts, at) => tx.insert(superusers, { email: `${at}@example.org`, mail_alerts }).id,
    ),
  )
  for (const free of [4e9, 4e9, 3e9, 3e9]) {
    await check(free)
    await clock.advance(MINUTE)
  }
  const breached = 'Free disk space is 3.7 GiB, below the limit of 4.7 GiB (svc_disk_free_bytes)'
  expect(await mailed()).toEqual([[ids[0], breached]])
  await check(5e9)
  const cleared = 'Free disk space is 4.7 GiB, within the limit of 4.7 GiB again (svc_disk_free_bytes)'
  expect(await mailed()).toEqual([
    [ids[0], breached],
    [ids[0], cleared],
  ])
})

test('a figure that cannot be read is announced as such, and its alert stays', async () => {
  await using lab = await JobLab.open()
  const { watch, check, sent, mailed, clock } = await openWatch(lab)
  await lab.db.write('superuser', (tx) =>
    tx.insert(superusers, { email: 'a@example.org', mail_alerts: true }),
  )
  const problem = 'The database is damaged'
  for (const free of [4e9, 4e9, { problem }, { problem }]) {
    await check(free)
    await clock.advance(MINUTE)
  }
  expect(await sent()).toEqual([
    ['service.breached', 4e9],
    ['service.breached', 1],
  ])
  expect((await mailed()).at(-1)?.[1]).toBe(
    'Figures that cannot be read is 1, at or above the limit of 1 (svc_unreadable_figures): svc_disk_free_bytes (The database is damaged)',
  )
  const { figures, unreadable } = await watch.describe()
  expect(figures[0]).toMatchObject({ value: null, is_beyond: true, since: expect.stringMatching(/Z$/) })
  expect(unreadable).toEqual([{ metric: 'svc_disk_free_bytes', reason: problem }])
  await check(6e9)
  expect((await sent()).slice(2)).toEqual([
    ['service.cleared', 6e9],
    ['service.cleared', 0],
  ])
})

test('a reload changes the limits, and what they no longer exceed is within again', async () => {
  await using lab = await JobLab.open()
  const { watch, check, sent, live, clock } = await openWatch(lab)
  await check(4e9)
  await clock.advance(MINUTE)
  await check(4e9)
  live.replace(readConfig({ flags: { serviceLimits: 'svc_disk_free_bytes=none' }, env: {} }))
  await check(4e9)
  expect(await sent()).toEqual([
    ['service.breached', 4e9],
    ['service.cleared', 4e9],
  ])
  expect((await watch.describe()).figures[0]).toMatchObject({ below: null, is_beyond: false, since: '' })
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
  expect(of('svc_root_ca_seconds')).toMatchObject({ below: 7_776_000, is_beyond: false })
  if (server.db.files) expect(of('svc_backup_age_seconds')).toMatchObject({ value: null, is_beyond: false })
  expect(of('svc_error_share')).toMatchObject({ value: 0, from: 0.01 })
  expect(slowest.map(({ route }) => route)).toContain('GET /api/op/version')
})
