import { expect, test } from 'bun:test'
import { appendAudit } from '../../../src/db/journal/index.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

interface Part {
  entries: number
  erased: number
  first_broken_entry: number | null
  head: string
  has_expected_head: boolean
  last: number
  next: number | null
}

const VERIFY = '/api/op/audit/verify'

async function part({ admin }: TestServer, query = ''): Promise<Part> {
  const { status, body } = await admin.get(`${VERIFY}${query}`)
  expect(status).toBe(200)
  return body as Part
}

/** Adds entries, `count` of them. */
function add({ db }: TestServer, count: number): Promise<void> {
  return db.write('entries', (tx) => {
    for (let n = 0; n < count; n += 1) appendAudit(tx, { actor: 'cli', action: 'lamp.on', subject: `${n}` })
  })
}

test('the chain is checked in parts, and an earlier head is found in one of them', async () => {
  await using server = await openTestServer()
  await add(server, 10)
  const { head, next, first_broken_entry } = await part(server)
  expect([next, first_broken_entry]).toEqual([null, null])
  expect(head).toMatch(/^[0-9a-f]{64}$/)
  await add(server, 25_000)
  const first = await part(server, `?head=${head}`)
  expect(first).toMatchObject({ entries: 20_000, first_broken_entry: null, has_expected_head: true })
  const second = await part(server, `?after=${first.next}&head=${head}`)
  expect(second).toMatchObject({ first_broken_entry: null, has_expected_head: false, next: null })
  expect(first.entries + second.entries).toBeGreaterThanOrEqual(25_010)
  expect(second.last).toBeGreaterThanOrEqual(first.entries + second.entries)
})

test('a changed and a removed entry are named, also when they are at the border of two parts', async () => {
  await using server = await openTestServer()
  await add(server, 20)
  const { last } = await part(server)
  const changed = last - 5
  await server.db.write('tamper', (tx) =>
    tx.run('UPDATE audit_log SET detail = \'{"x":1}\' WHERE seq = $seq', { seq: changed }),
  )
  expect((await part(server)).first_broken_entry).toBe(changed)
  expect((await part(server, `?after=${changed}`)).first_broken_entry).toBeNull()
  await server.db.write('remove', (tx) => tx.run('DELETE FROM audit_log WHERE seq = 3'))
  expect((await part(server)).first_broken_entry).toBe(4)
  const missing = await server.admin.get(`${VERIFY}?after=3`)
  expect([missing.status, missing.get('code')]).toEqual([404, 'no_entry'])
})
