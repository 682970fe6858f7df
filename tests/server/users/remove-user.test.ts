import { expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { checkInvariants, diagnose } from '../../../src/db/index.ts'
import { listAudit, readAuditChain } from '../../../src/db/journal/index.ts'
import { findUser, notifications, qpuTimeRequests } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { UserRemovals } from '../../../src/server/users/remove-user.ts'
import { ended } from '../../support/ended-job.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { openTestServer, TestClient, type TestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'
const NAMES = ['ada@example.org', 'ada_l', '192.0.2.77', 'ada-laptop']

/** Every row of every table that contains one of the texts. */
async function rowsWith(server: TestServer, texts: readonly string[]): Promise<string[]> {
  return server.db.read((tx) => {
    const tables = tx.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    return tables.flatMap(({ name }) =>
      tx
        .all<Record<string, unknown>>(`SELECT * FROM "${name}"`)
        .map((row) => `${name} ${JSON.stringify(row)}`)
        .filter((row) => texts.some((text) => row.includes(text))),
    )
  })
}

const findingsOf = (server: TestServer) => server.db.read((tx) => diagnose(tx, { maxAttempts: 5 }))

test.skipIf(onlySqlite('its schema'))('what belongs to a removed user, by table', async () => {
  await using server = await openTestServer({ settings: { trustedProxies: '127.0.0.1' } })
  const user = await server.createUser({ email: 'ada@example.org', username: 'ada_l', qpuSeconds: 100 })
  const other = await server.createUser({ qpuSeconds: 10 })
  const qpu = await server.createQpu('north')
  const me = server.as(user)
  const as = (method: string, path: string, body?: object, headers = {}) =>
    me.call(method, path, body, { 'x-forwarded-for': '192.0.2.77', 'user-agent': 'ada-laptop', ...headers })
  const job = { circuits: [{ circuit: PROGRAM }], qpu_target: qpu.name }
  const pending = await as('POST', '/api/jobs', job, { 'idempotency-key': 'k' })
  const held = await as('POST', '/api/jobs', job)
  await server.admin.post(`/api/op/jobs/${held.text('id')}/hold`, { reason: 'check' })
  const ofOther = await server.as(other).post('/api/jobs', job)
  const created = await as('POST', '/api/tokens', { name: 'ada-laptop' })
  const program = new TestClient(server.url, { 'x-api-token': created.text('token') })
  const notes = await server.db.write('seed', (tx) => {
    const [start_time, end_time] = ['2101-01-01 00:00:00.000Z', '2101-01-01 01:00:00.000Z']
    tx.insert(timeSlots, { booked_by: user.id, qpu: qpu.id, start_time, end_time })
    tx.insert(qpuTimeRequests, { user: user.id, seconds: 5, requested_reason: 'for ada@example.org' })
    return {
      own: tx.insert(notifications, { title: 'own', target_users: [user.id] }).id,
      both: tx.insert(notifications, {
        title: 'both',
        target_users: [user.id, other.id],
        dismissed_by: [user.id],
      }).id,
    }
  })
  await using stream = await listenAs(me, 'qpus', 'notifications/*')
  expect((await rowsWith(server, NAMES)).length).toBeGreaterThan(5)

  expect((await as('DELETE', `/api/collections/users/records/${user.id}`)).status).toBe(204)

  // Logins, tokens and streams end.
  expect([(await me.get('/api/jobs')).status, (await program.get('/api/jobs')).status]).toEqual([401, 401])
  expect((await server.admin.get(`/api/collections/users/records/${user.id}`)).status).toBe(404)
  await server.db.write('news', (tx) => tx.insert(notifications, { title: 'news for all users' }))
  await server.createQpu('south')
  await until('the mark', () => stream.of('qpus').length > 0)
  expect(JSON.stringify(stream.of('notifications/*'))).not.toContain('news for all users')

  // Jobs stay without the user; those that have not run are cancelled.
  for (const each of [pending, held]) {
    const { body } = await server.admin.get(`/api/jobs/${each.text('id')}`)
    expect(body).toMatchObject({ status: 'cancelled', user_id: '' })
    expect(JSON.stringify(body)).toContain('its user was removed')
  }
  expect((await server.admin.get(`/api/jobs/${ofOther.text('id')}`)).body).toMatchObject({
    status: 'pending',
  })

  // Bookings, requests and stored responses are gone. A notification for nobody else is, too.
  const left = await server.db.read((tx) => ({
    slots: tx.list(timeSlots, {}).length,
    requests: tx.list(qpuTimeRequests, {}).length,
    responses: tx.all('SELECT 1 FROM idempotency_keys').length,
    addresses: tx.all('SELECT 1 FROM known_addresses WHERE account = $user', { user: `user:${user.id}` })
      .length,
    own: tx.find(notifications, notes.own),
    both: tx.find(notifications, notes.both),
    ledger: tx.all('SELECT kind, delta_ms FROM qpu_ledger WHERE "user" = $user', { user: user.id }),
  }))
  expect(left).toMatchObject({ slots: 0, requests: 0, responses: 0, addresses: 0, own: undefined })
  expect(left.both).toMatchObject({ target_users: [other.id], dismissed_by: [] })

  // The ledger and the audit log are complete and intact, without anything personal.
  expect(left.ledger).toEqual([{ kind: 'opening', delta_ms: 100_000 }])
  expect(await rowsWith(server, NAMES)).toEqual([])
  const entries = await server.db.read((tx) => listAudit(tx, { actor: `user:${user.id}`, limit: 100 }))
  expect(entries.map(({ act }) => act)).toEqual(
    expect.arrayContaining(['login', 'token.create', 'user.delete']),
  )
  const chain = await server.db.read((tx) => readAuditChain(tx))
  expect([chain.broken, chain.erased > 0]).toEqual([undefined, true])
  expect(await findingsOf(server)).toEqual([])

  // Nobody gets the id of the ledger entries.
  const body = { id: user.id, email: 'new@example.org', password: 'some password' }
  const again = await server.admin.post('/api/collections/users/records', body)
  expect([again.status, Object.keys(Object(again.get('data')))]).toEqual([400, ['id']])
})

test('an erased entry verifies, a forged one does not', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const broken = () => server.db.read((tx) => readAuditChain(tx).broken)
  expect(await broken()).toBeUndefined()
  const entry = { id: `user:${user.id}` }
  await server.db.write('forge', (tx) =>
    tx.run(
      `UPDATE audit_log SET personal = replace(personal, '127.0.0.1', '192.0.2.1') WHERE actor = $id`,
      entry,
    ),
  )
  expect(await broken()).toBeDefined()
  await server.db.write('erase', (tx) =>
    tx.run("UPDATE audit_log SET personal = '' WHERE actor = $id", entry),
  )
  expect(await broken()).toBeUndefined()
  await server.db.write('forge', (tx) =>
    tx.run("UPDATE audit_log SET personal_hash = '' WHERE actor = $id", entry),
  )
  expect(await broken()).toBeDefined()
})

test('a removal that a stop interrupts continues after the start', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ email: 'ada@example.org' })
  await server.db.write('jobs', (tx) => {
    for (let at = 0; at < 500; at += 1) {
      tx.insert(quantumJobs, { user_id: user.id, ...ended(), payload: {} })
    }
  })
  // Each step takes longer than a slice.
  const clock = new FakeClock(undefined, 3)
  const removals = new UserRemovals({ db: server.db, clock, log: silentLog })
  const removal = removals.remove(user.id, 'test').catch((error: unknown) => error)
  await until('the first step', async () => (await findUser(server.db, user.id))?.disabled === true)
  await Promise.all([removals.stop(), clock.advance(60_000)])
  expect(await removal).toMatchObject({ code: 'unavailable' })
  // Nobody can log in meanwhile, and the name is gone already.
  expect((await server.as(user).get('/api/jobs')).status).toBe(401)
  expect(await findUser(server.db, user.id)).toMatchObject({ email: '', username: '' })
  await server.close()
  await using restarted = await openTestServer({ folder: server.folder })
  await until('the removal', async () => (await findUser(restarted.db, user.id)) === undefined)
  expect(await restarted.db.read((tx) => tx.list(quantumJobs, { where: { user_id: user.id } }).length)).toBe(
    0,
  )
})

test('jobs are released in steps of 50 rows, for one time slice in each transaction', async () => {
  const jobs = 2_000
  await using server = await openTestServer()
  const user = await server.createUser()
  await server.db.write('jobs', (tx) =>
    tx.run(
      `INSERT INTO quantum_jobs (id, user_id, status, created, updated, finished_at)
       SELECT substr('00000000000000' || value, -15), $user, 'cancelled', $at, $at, $at
       FROM (WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${jobs})
             SELECT value FROM numbers) AS numbered`,
      { user: user.id, at: tx.at },
    ),
  )
  const released: number[] = []
  const counting = {
    ...server.db,
    read: server.db.read.bind(server.db),
    write: ((intent, work) => {
      let rows = 0
      return server.db.write(intent, (tx) => {
        const value = work({
          ...tx,
          run(sql, params) {
            const changed = tx.run(sql, params)
            if (sql.includes('UPDATE quantum_jobs')) rows += changed
            return changed
          },
        })
        if (rows > 0) released.push(rows)
        return value
      })
    }) as TestServer['db']['write'],
  }
  // Three steps end a slice of 2.5 ms.
  const clock = new FakeClock(undefined, 1)
  const removals = new UserRemovals({ db: counting, clock, log: silentLog })
  let isRemoved = false
  const removal = removals.remove(user.id, 'test').then((exists) => {
    isRemoved = exists
  })
  await until('the removal', () => isRemoved, { clock })
  await removal
  expect(released).toEqual([...Array(13).fill(150), 50])
  const left = await server.db.read(
    (tx) => tx.list(quantumJobs, { where: { user_id: user.id }, limit: 1 }).length,
  )
  expect(left).toBe(0)
  expect(await server.db.read((tx) => checkInvariants(tx, { fast: true }))).toEqual([])
})
