import { describe, expect, test } from 'bun:test'
import { DAY_MS, toTimestamp } from '../../../src/base/index.ts'
import { calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, openTestServer, type TestServer } from '../../support/server/server.ts'

const SHARES = '/api/shares'
const PROGRAM = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'

async function open() {
  const clock = new FakeClock()
  const server = await openTestServer({ clock })
  const [ada, bob] = [await server.createUser({ qpuSeconds: 100 }), await server.createUser()]
  const qpu = await server.createQpu('north')
  const submitted = await server.as(ada).post('/api/jobs', { circuits: [{ circuit: PROGRAM }], shots: 10 })
  const job = { kind: 'job', record: submitted.text('id') }
  const row = {
    driver: qpu.driver,
    qpu: qpu.id,
    mode: 'full',
    status: 'success',
    backend: 'the tuner',
  } as const
  const stored = await server.db.write('report', (tx) => tx.insert(calibrationResults, row))
  const report = { kind: 'report', record: stored.id }
  /** What a link shows, as a guest reads it at the address of its page. */
  const openLink = (url: string) =>
    server.guest.get(new URL(url).pathname.replace('/shared/', '/api/shared/'))
  return { server, clock, ada, bob, qpu, job, report, openLink }
}

/** Lets the time of all links be over. */
const expire = (server: TestServer) =>
  server.db.write('expire', (tx) => tx.run('UPDATE shares SET expires_at = $at', { at: tx.at }))

describe(SHARES, () => {
  test('a link shows guests one job, without its user, and opens nothing else', async () => {
    const { server, ada, job, openLink } = await open()
    await using _ = server
    const created = await server.as(ada).post(SHARES, job)
    expect(created.status).toBe(201)
    const url = created.text('url')
    expect(url).toMatch(/\/shared\/[0-9a-f]{64}$/)
    const seen = await openLink(url)
    expect(seen.status).toBe(200)
    expect(seen.body).toMatchObject({
      kind: 'job',
      qpu: 'north',
      job: { id: job.record, status: 'pending', user_id: '', payload: { circuits: [{ circuit: PROGRAM }] } },
    })
    expect(JSON.stringify(seen.body)).not.toContain(ada.id)
    const secret = url.split('/').at(-1) ?? ''
    const headers = { authorization: `Bearer ${secret}` }
    for (const path of [`/api/jobs/${job.record}`, '/api/jobs', `${SHARES}?kind=job&record=${job.record}`]) {
      expect((await fetch(`${server.url}${path}`, { headers })).status).toBe(401)
    }
  })

  test('a link shows no reasons of operators', async () => {
    const { server, ada, qpu, job, openLink } = await open()
    await using _ = server
    const [secret, path] = ['ask Bob, he broke it', `/api/op/jobs/${job.record}`]
    for (const action of ['hold', 'release', 'hold'])
      expect((await server.admin.post(`${path}/${action}`, { reason: secret })).status).toBe(200)
    const url = (await server.as(ada).post(SHARES, job)).text('url')
    const shown = async () => {
      const text = JSON.stringify((await openLink(url)).body)
      expect(text).not.toContain('Bob')
      return text
    }
    expect(await shown()).toContain('"text":"Held by an operator"')
    expect(JSON.stringify((await server.as(ada).get(`/api/jobs/${job.record}`)).body)).toContain(secret)
    await server.admin.post(`${path}/release`, { reason: secret })
    const north = { maintenance: true, maintenance_reason: secret }
    await server.admin.patch(`/api/collections/qpus/records/${qpu.id}`, north)
    expect(await shown()).toContain('"text":"north is in maintenance"')
  })

  test('a class behind one address opens a link at once', async () => {
    const { server, ada, job, openLink } = await open()
    await using _ = server
    const url = (await server.as(ada).post(SHARES, job)).text('url')
    for (let reader = 0; reader < 40; reader += 1) expect((await openLink(url)).status).toBe(200)
  })

  test('a link shows guests one report with the name of its QPU', async () => {
    const { server, bob, report, openLink } = await open()
    await using _ = server
    const created = await server.as(bob).post(SHARES, { ...report, days: 1 })
    expect((await openLink(created.text('url'))).body).toMatchObject({
      kind: 'report',
      qpu: 'north',
      report: { id: report.record, backend: 'the tuner' },
    })
  })

  test('a link ends when it expires, is revoked, its user is disabled, or its job is removed', async () => {
    const { server, clock, ada, job, openLink } = await open()
    await using _ = server
    const create = async () =>
      (await server.as(ada).post(SHARES, { ...job, days: 2 })).body as { id: string; url: string }
    const revoked = await create()
    await clock.advance(1_000)
    const expiring = await create()
    expect((await server.as(ada).get(`${SHARES}?kind=job&record=${job.record}`)).body).toMatchObject([
      { id: expiring.id, expires_at: toTimestamp(clock.now() + 2 * DAY_MS) },
      { id: revoked.id },
    ])
    expect((await server.as(ada).call('DELETE', `${SHARES}/${revoked.id}`)).body).toEqual({
      status: 'deleted',
    })
    expect((await openLink(revoked.url)).status).toBe(404)
    expect((await openLink(expiring.url)).status).toBe(200)
    await expire(server)
    expect((await openLink(expiring.url)).status).toBe(404)
    const ofDisabled = await create()
    const disabling = { disabled: true }
    await server.admin.patch(`/api/collections/users/records/${ada.id}`, disabling)
    expect((await openLink(ofDisabled.url)).status).toBe(404)
    await server.admin.patch(`/api/collections/users/records/${ada.id}`, { disabled: false })
    expect((await openLink(ofDisabled.url)).status).toBe(404)
    ada.token = await login(server.guest, 'users', ada)
    const ofRemoved = await create()
    expect((await openLink(ofRemoved.url)).status).toBe(200)
    await server.admin.call('DELETE', `/api/collections/quantum_jobs/records/${job.record}`)
    expect((await openLink(ofRemoved.url)).status).toBe(404)
  })

  test('nobody shares the job of another user, or revokes the link of one, but superusers', async () => {
    const { server, ada, bob, job, report } = await open()
    await using _ = server
    expect((await server.as(bob).post(SHARES, job)).status).toBe(404)
    expect((await server.as(bob).post(SHARES, { ...report, record: 'none' })).status).toBe(404)
    const { id } = (await server.as(ada).post(SHARES, job)).body as { id: string }
    expect((await server.as(bob).get(`${SHARES}?kind=job&record=${job.record}`)).body).toEqual([])
    expect((await server.as(bob).call('DELETE', `${SHARES}/${id}`)).status).toBe(404)
    expect((await server.admin.get(`${SHARES}?kind=job&record=${job.record}`)).body).toMatchObject([{ id }])
    expect((await server.admin.call('DELETE', `${SHARES}/${id}`)).status).toBe(200)
  })

  test('creation and revocation are audited; only a hash of the secret is stored', async () => {
    const { server, ada, job } = await open()
    await using _ = server
    const created = await server.as(ada).post(SHARES, job)
    const [id, secret] = [created.text('id'), created.text('url').split('/').at(-1) ?? '']
    await server.as(ada).call('DELETE', `${SHARES}/${id}`)
    for (const action of ['share.create', 'share.delete']) {
      const audit = await server.admin.get(`/api/op/audit?action=${action}`)
      expect(audit.body).toMatchObject({ entries: [{ subject: id, detail: job }] })
      expect(JSON.stringify(audit.body)).not.toContain(secret)
    }
    await server.as(ada).post(SHARES, job)
    const rows = await server.db.read((tx) => tx.all('SELECT * FROM shares'))
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('an account has at most 100 links, those that have expired not counted', async () => {
    const { server, clock, ada, job } = await open()
    await using _ = server
    const add = (count: number) =>
      server.db.write('links', (tx) => {
        for (let at = 0; at < count; at++) {
          tx.run(
            `INSERT INTO shares (id, hash, kind, record, "user", expires_at, created)
             VALUES ($id, $id, 'job', 'any', $user, $end, $end)`,
            { id: `${clock.now()}${at}`, user: ada.id, end: toTimestamp(clock.now() + DAY_MS) },
          )
        }
      })
    await add(99)
    expect((await server.as(ada).post(SHARES, job)).status).toBe(201)
    const refused = await server.as(ada).post(SHARES, job)
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ code: 'too_many_links' })
    await expire(server)
    expect((await server.as(ada).post(SHARES, job)).status).toBe(201)
  })
})
