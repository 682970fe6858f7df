import { expect, test } from 'bun:test'
import type { Tx } from '../../../../src/db/index.ts'
import { users } from '../../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { events } from '../../../../src/db/store/readings/index.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

const PATH = '/api/collections/events/records'

async function openFull(count: number): Promise<TestServer> {
  const server = await openTestServer()
  const add = (tx: Tx, at: number) =>
    tx.insert(events, { source: at % 2 ? 'b, "c"' : 'a', type: 'Reading', payload: { at }, ts: `t${at}` })
  await server.db.write('seed', (tx) => {
    for (let at = 0; at < count; at += 1) add(tx, at)
  })
  return server
}

async function download(server: TestServer, query: string, token = server.superuser.token) {
  const response = await fetch(`${server.url}${PATH}?${query}`, { headers: { authorization: token } })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('a superuser downloads all records as JSON lines, each once', async () => {
  await using server = await openFull(450)
  const { status, type, text } = await download(server, 'format=jsonl')
  expect([status, type]).toEqual([200, 'application/jsonl; charset=utf-8'])
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(new Set(rows.map((row) => row.payload.at)).size).toBe(450)
  expect(rows).toHaveLength(450)
  expect(rows[0]).toMatchObject({ collectionName: 'events', type: 'Reading' })
})

test('a filter and fields select the downloaded data', async () => {
  await using server = await openFull(420)
  const filter = encodeURIComponent("source = 'a' || payload.at = 1 // all the even ones and one more")
  const { type, text } = await download(server, `format=csv&fields=source,payload&filter=${filter}`)
  expect(type).toBe('text/csv; charset=utf-8')
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('source,payload')
  expect(lines).toHaveLength(1 + 210 + 1)
  expect(lines).toContain('"b, ""c""","{""at"":1}"')
})

test('files are for superusers; other callers are refused before the download begins', async () => {
  await using server = await openFull(3)
  const user = await server.createUser()
  expect((await download(server, 'format=csv', user.token)).status).toBe(403)
  for (const query of ['format=xml', 'format=csv&sort=ts', 'format=csv&filter=nonsense%3D1']) {
    expect([query, (await download(server, query)).status]).toEqual([query, 400])
  }
  const unbalanced = encodeURIComponent("type = 'x') || (type = 'Reading'")
  expect((await download(server, `format=csv&filter=${unbalanced}`)).status).toBe(400)
  const empty = await download(server, `format=csv&filter=${encodeURIComponent("type = 'x'")}`)
  expect(empty.text).toBe('id,source,driver,qpu,type,payload,ts,created,updated\r\n')
})

test('the download of large and small jobs has each of them whole, in the order of their ids', async () => {
  await using server = await openTestServer()
  const sizes = [10, 300_000, 1_500_000, 20, 70_000]
  const ids = await server.db.write('seed', (tx) => {
    const user = tx.insert(users, { email: 'ada@example.org', username: 'ada' })
    return sizes.map((bytes) => {
      const payload = { circuits: ['é\u2028"'.repeat(bytes / 5)], shots: 1 }
      return tx.insert(quantumJobs, { user_id: user.id, payload }).id
    })
  })
  const path = '/api/collections/quantum_jobs/records'
  const read = async (query: string) => {
    const response = await fetch(`${server.url}${path}?${query}`, {
      headers: { authorization: server.superuser.token },
    })
    return response.text()
  }
  const rows = (await read('format=jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map(({ id }) => id)).toEqual(ids.toSorted())
  const listed = await Promise.all(
    ids.toSorted().map(async (id) => (await server.admin.get(`${path}/${id}`)).body as object),
  )
  expect(rows).toEqual(listed)
  const csv = await read('format=csv&fields=id,payload')
  const cells = rows.map(({ id, payload }) => `${id},"${JSON.stringify(payload).replaceAll('"', '""')}"`)
  expect(csv).toBe(`${['id,payload', ...cells].join('\r\n')}\r\n`)
  expect(await read('format=jsonl&fields=id')).toBe(rows.map(({ id }) => `{"id":"${id}"}\n`).join(''))
})

test('the download has the computed values and the public name of a collection', async () => {
  await using server = await openTestServer({ settings: { qpusCollection: 'machines' } })
  const { id } = await server.createQpu('north')
  const response = await fetch(`${server.url}/api/collections/machines/records?format=jsonl`, {
    headers: { authorization: server.superuser.token },
  })
  const row = JSON.parse((await response.text()).trim())
  expect(row).toEqual((await server.admin.get(`/api/collections/machines/records/${id}`)).body)
  expect(row).toMatchObject({ collectionName: 'machines', name: 'north', calibrating: false })
})
