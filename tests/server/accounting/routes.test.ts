import { expect, test } from 'bun:test'
import type { Tx } from '../../../src/db/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server/server.ts'
import { addUsage } from '../../support/sums/add-usage.ts'

/** A server in June 2026 with usage of two users; without ledger rows, which the route does not read. */
async function openWithUsage() {
  const clock = new FakeClock()
  await clock.advance(Date.UTC(2026, 5, 10) - clock.now())
  const server = await openTestServer({ clock })
  const one = await server.createUser({ username: 'ada' })
  const other = await server.createUser({ username: 'bob' })
  const qpu = await server.createQpu('north')
  const add = (tx: Tx, user: string, usedMs: number) =>
    addUsage(tx, { user, qpu: qpu.id, usedMs, chargedMs: usedMs })
  await server.db.write('t', (tx) => {
    add(tx, one.id, 1_500)
    add(tx, one.id, 500)
    add(tx, other.id, 3)
  })
  return { server, one, other, qpu }
}

interface Accounting {
  from: string
  to: string
  items: { user: string; jobs: number; qpu_seconds: number }[]
}

test('users read their own usage, superusers that of everybody', async () => {
  const { server, one, other, qpu } = await openWithUsage()
  await using _ = server
  const read = async (client: typeof server.guest, query = '') =>
    (await client.get(`/api/accounting${query}`)).body as Accounting
  const row = {
    ...{ month: '2026-06', user: one.id, username: 'ada', email: one.email, jobs: 2 },
    ...{ qpu: qpu.id, qpu_name: 'north', qpu_seconds: 2, charged_seconds: 2 },
  }
  expect(await read(server.as(one))).toEqual({ from: '2025-07', to: '2026-06', items: [row] } as Accounting)
  expect((await read(server.admin)).items.map(({ user }) => user).sort()).toEqual([one.id, other.id].sort())
  expect((await read(server.admin, `?user=${other.id}`)).items).toMatchObject([
    { jobs: 1, qpu_seconds: 0.003 },
  ])
  expect((await read(server.admin, '?qpu=north&limit=1')).items).toHaveLength(1)
  expect((await read(server.admin, '?qpu=unknown')).items).toEqual([])
  expect((await read(server.admin, '?to=2026-05')).items).toEqual([])
  const refused = await server.as(one).get(`/api/accounting?user=${other.id}`)
  expect([refused.status, refused.text('message')]).toEqual([
    403,
    'Only superusers read the usage of others; omit user.',
  ])
})

test('a CSV file has all rows', async () => {
  const { server, one } = await openWithUsage()
  await using _ = server
  const response = await fetch(`${server.url}/api/accounting?format=csv&limit=1`, {
    headers: { authorization: server.superuser.token },
  })
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="accounting-2025-07-2026-06.csv"',
  )
  const [header, ...lines] = (await response.text()).trimEnd().split('\r\n')
  expect(header).toBe('month,user,username,email,qpu,qpu_name,jobs,qpu_seconds,charged_seconds')
  expect(lines).toHaveLength(2)
  expect(lines.find((line) => line.includes(one.id))).toMatch(
    /^2026-06,\w+,ada,[\w-]+@[\w.]+,\w+,north,2,2,2$/,
  )
})

test('a CSV file of several pages has each row once, although rows are added before those that follow', async () => {
  const { server, qpu } = await openWithUsage()
  await using _ = server
  const add = (from: number, to: number) =>
    server.db.write('t', (tx) => {
      for (let number = from; number < to; number += 1) {
        const user = `u${String(number).padStart(14, '0')}`
        addUsage(tx, { user, qpu: qpu.id, usedMs: 1, chargedMs: 1 })
      }
    })
  await add(1_000, 3_500)
  const { db } = server
  const select = db.select.bind(db)
  let pages = 0
  db.select = async (...read) => {
    if (pages > 0) await add(0, 100)
    pages += 1
    return select(...read)
  }
  const response = await fetch(`${server.url}/api/accounting?format=csv`, {
    headers: { authorization: server.superuser.token },
  })
  const lines = (await response.text()).trimEnd().split('\r\n')
  const all = lines.slice(1).map((line) => line.split(',')[1] ?? '')
  expect(pages).toBe(3)
  expect(new Set(all).size).toBe(all.length)
  expect(all.filter((user) => user >= 'u00000000001000' && user.startsWith('u0'))).toHaveLength(2_500)
})

test('months and their range are checked', async () => {
  await using server = await openTestServer()
  for (const [query, text] of [
    ['?from=2026-13', 'Expected a month such as 2026-11'],
    ['?limit=many', 'Expected a whole number from 1 to 1000 (got \\"many\\").'],
    ['?from=2026-06&to=2026-05', 'Must not be after to, which is 2026-05.'],
    ['?from=2000-01&to=2026-05', 'Must be 2016-06 or later: a range has at most 120 months.'],
  ] as const) {
    const response = await server.admin.get(`/api/accounting${query}`)
    expect(response.status).toBe(400)
    expect(JSON.stringify(response.body)).toContain(text)
  }
})

test('a CSV file shows a stored name without marks of direction, and as no formula', async () => {
  const { server, one } = await openWithUsage()
  await using _ = server
  const name = '=HYPERLINK("http://x")\u202Eada'
  // As a release before may have stored it.
  await server.db.write('t', (tx) =>
    tx.run('UPDATE users SET username = $name WHERE id = $id', { name, id: one.id }),
  )
  const headers = { authorization: server.superuser.token }
  const csv = await (await fetch(`${server.url}/api/accounting?format=csv`, { headers })).text()
  expect(csv).toContain(`,"'=HYPERLINK(""http://x"")ada",`)
  const { items } = (await server.admin.get(`/api/accounting?user=${one.id}`)).body as { items: object[] }
  expect(items).toMatchObject([{ username: name }])
})

test('rows are sorted by a figure: who used most', async () => {
  const { server, one, other } = await openWithUsage()
  await using _ = server
  const users = async (sort: string) => {
    const { body } = await server.admin.get(`/api/accounting?by=user&sort=${sort}`)
    return (body as Accounting).items.map(({ user }) => user)
  }
  expect(await users('-qpu_seconds')).toEqual([one.id, other.id])
  expect(await users('qpu_seconds')).toEqual([other.id, one.id])
  expect((await server.admin.get('/api/accounting?by=user&sort=month')).status).toBe(400)
})
