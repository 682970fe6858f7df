import { expect, test } from 'bun:test'
import { appendAudit } from '../../../src/db/journal/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

interface Page {
  entries: { seq: number; actor: string; email: string; action: string; subject: string; detail: object }[]
  next: number | null
}

const AUDIT = '/api/op/audit'

async function read({ admin }: TestServer, query: Record<string, string> = {}): Promise<Page> {
  const { status, body } = await admin.get(`${AUDIT}?${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body as Page
}

/** Adds entries of one actor, `count` of them. */
function add({ db }: TestServer, action: string, count: number, subject = 'x'): Promise<void> {
  return db.write('entries', (tx) => {
    for (let n = 0; n < count; n += 1) {
      appendAudit(tx, { actor: 'cli', action, subject, personal: { address: '192.0.2.7' } })
    }
  })
}

test('the audit log is listed by actor, action, subject, address and time, newest first', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  await add(server, 'lamp.on', 1, 'lamp1')
  const noon = clock.now() + 60_000
  await clock.advance(120_000)
  await add(server, 'lamp.off', 1, 'lamp2')
  await server.createQpu('north')
  const subjects = async (query: Record<string, string>) =>
    (await read(server, query)).entries.map(({ action, subject }) => `${action} ${subject}`)
  expect(await subjects({ action: 'lamp' })).toEqual(['lamp.off lamp2', 'lamp.on lamp1'])
  expect(await subjects({ action: 'lamp.on' })).toEqual(['lamp.on lamp1'])
  expect(await subjects({ action: 'lam' })).toEqual([])
  expect(await subjects({ subject: 'lamp2' })).toEqual(['lamp.off lamp2'])
  expect(await subjects({ actor: 'cli', address: '192.0.2.7', limit: '1' })).toEqual(['lamp.off lamp2'])
  expect(await subjects({ action: 'lamp', address: '192.0.2.8' })).toEqual([])
  const at = new Date(noon).toISOString()
  expect(await subjects({ action: 'lamp', from: at })).toEqual(['lamp.off lamp2'])
  expect(await subjects({ action: 'lamp', to: at })).toEqual(['lamp.on lamp1'])
  expect(await subjects({ action: 'lamp', from: '2199-01-01' })).toEqual([])
  const byEmail = await read(server, { actor: server.superuser.email })
  expect(byEmail.entries.length).toBeGreaterThan(0)
  expect(byEmail.entries.every(({ email }) => email === server.superuser.email)).toBe(true)
  expect(byEmail.entries[0]?.detail).not.toHaveProperty('salt')
})

test('pages continue where the last one ended, and a rare filter takes several requests', async () => {
  await using server = await openTestServer()
  await add(server, 'rare', 1)
  await add(server, 'often', 25_000)
  const seqs: number[] = []
  let next: number | null = null
  do {
    const page = await read(server, { action: 'often', limit: '1000', ...(next && { before: String(next) }) })
    seqs.push(...page.entries.map(({ seq }) => seq))
    next = page.next
  } while (next !== null)
  expect(seqs).toHaveLength(25_000)
  expect(seqs).toEqual(seqs.toSorted((one, other) => other - one))
  // More than the entries that one request may examine lie before it.
  const first = await read(server, { action: 'rare' })
  expect(first.entries).toEqual([])
  expect((seqs[0] ?? 0) - (first.next ?? 0)).toBeLessThan(20_000 + 100)
  const second = await read(server, { action: 'rare', before: String(first.next) })
  expect([second.entries.length, second.next]).toEqual([1, null])
})

test('the file has every matching entry, and wrong filters are refused by name', async () => {
  await using server = await openTestServer()
  await add(server, 'often', 1_200, 'say "hi", twice')
  const response = await fetch(`${server.url}${AUDIT}?format=csv&action=often`, {
    headers: { ...server.admin.headers },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const lines = (await response.text()).trim().split('\r\n')
  expect(lines[0]).toBe('seq,at,actor,email,action,subject,detail')
  expect(lines).toHaveLength(1_201)
  expect(lines[1]).toContain('cli,,often,"say ""hi"", twice","{""address"":""192.0.2.7""}"')
  for (const [name, value] of [
    ['limit', '1001'],
    ['before', 'x'],
    ['from', 'yesterday'],
    ['actor', 'x'.repeat(201)],
    ['format', 'xml'],
  ] as const) {
    const refused = await server.admin.get(`${AUDIT}?${new URLSearchParams({ [name]: value })}`)
    expect([refused.status, Object.keys(refused.get('data') as object)]).toEqual([400, [name]])
  }
})
