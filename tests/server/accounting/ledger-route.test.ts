import { expect, test } from 'bun:test'
import { postLedger } from '../../../src/db/store/accounts/index.ts'
import { charge } from '../../../src/db/store/accounts/ledger.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestServer } from '../../support/server/server.ts'

interface Ledger {
  entries: { kind: string; source: string; seconds: number }[]
  next: number | null
}

test('users read every change of their balance, page by page; superusers that of a user', async () => {
  await using server = await openTestServer()
  const [ada, bob] = [await server.createUser({ qpuSeconds: 100 }), await server.createUser()]
  const named = await server.db.write('t', (tx) => {
    const payload = { circuits: [] }
    return tx.insert(quantumJobs, { user_id: ada.id, name: 'Bell pair', payload }).id
  })
  await server.db.write('t', (tx) => {
    charge(tx, { job: named, user: bob.id, qpu: 'north', ms: 1_000, isPaid: true, at: tx.at })
    for (let job = 1; job <= 4; job += 1) {
      const act = { user: ada.id, kind: 'admin', sourceId: `job${job}`, deltaMs: -job * 500 } as const
      postLedger(tx, act)
    }
    postLedger(tx, { user: bob.id, kind: 'grant', sourceId: 'request', deltaMs: 10_000 })
  })
  const read = async (client: typeof server.guest, query = '') =>
    (await client.get(`/api/ledger${query}`)).body as Ledger
  const first = await read(server.as(ada), '?limit=3')
  expect(first.entries.map(({ source, seconds }) => [source, seconds])).toEqual([
    ['job4', -2],
    ['job3', -1.5],
    ['job2', -1],
  ])
  const rest = await read(server.as(ada), `?limit=3&before=${first.next}`)
  expect(rest.entries.map(({ kind, seconds }) => [kind, seconds])).toEqual([
    ['admin', -0.5],
    ['opening', 100],
  ])
  expect(rest.next).toBeNull()
  expect(await read(server.admin, `?user=${bob.id}`)).toMatchObject({
    entries: [
      { kind: 'grant', source: 'request', seconds: 10, name: '' },
      { kind: 'charge', source: named, seconds: -1, name: 'Bell pair' },
    ],
  })
  expect((await server.as(bob).get(`/api/ledger?user=${ada.id}`)).status).toBe(403)
  expect((await server.as(bob).get('/api/ledger?limit=201')).status).toBe(400)
})
