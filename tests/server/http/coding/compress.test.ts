import { describe, expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

const MIB = 1024 * 1024

/** A response as it was sent, and its body without coding. */
async function raw(url: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(url, { method, headers, decompress: false })
  const sent = new Uint8Array(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  const plain = coding === 'zstd' ? zstdDecompressSync(sent) : coding === 'gzip' ? gunzipSync(sent) : sent
  return { response, coding, bytes: sent.byteLength, text: Buffer.from(plain).toString() }
}

/** A job with a program of `bytes`, read as JSON without coding and with each of them. */
async function seeded(server: TestServer, bytes: number) {
  const user = await server.createUser()
  const payload = { circuits: [{ circuit: 'h q[0]; '.repeat(bytes / 8) }], shots: 1 }
  const { id } = await server.db.write('seed', (tx) => tx.insert(quantumJobs, { user_id: user.id, payload }))
  const path = `${server.url}/api/jobs/${id}`
  const read = (accepted?: string) =>
    raw(path, { authorization: user.token, 'accept-encoding': accepted ?? 'identity' })
  return { path, user, read }
}

describe('responses', () => {
  test.each([
    ['on the event loop', 5_000],
    ['in a thread', 200_000],
    ['as a stream', 3 * MIB],
  ])('JSON is compressed as the client asks, %s', async (_, bytes) => {
    await using server = await openTestServer()
    const { read } = await seeded(server, bytes)
    const plain = await read()
    expect([plain.coding, plain.response.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
    for (const coding of ['zstd', 'gzip']) {
      const encoded = await read(coding)
      expect(encoded.response.headers.get('vary')).toBe('Accept-Encoding')
      expect([coding, encoded.coding, encoded.text === plain.text]).toEqual([coding, coding, true])
      expect(encoded.bytes).toBeLessThan(plain.bytes / 2)
    }
    expect((await read('gzip;q=0.5, zstd;q=0')).coding).toBe('gzip')
    expect((await read('br')).coding).toBe(null)
  })

  test('bodies up to 4 KiB, errors and HEAD have no coding', async () => {
    await using server = await openTestServer()
    const { path, user } = await seeded(server, 5_000)
    const headers = { authorization: user.token, 'accept-encoding': 'zstd' }
    expect((await raw(`${path}?fields=id`, headers)).coding).toBe(null)
    expect((await raw(path, { 'accept-encoding': 'zstd' })).coding).toBe(null)
    const head = await raw(path, headers, 'HEAD')
    expect([head.response.status, head.coding, head.bytes]).toEqual([200, null, 0])
  })

  test('a client that leaves in the middle of a compressed stream frees its place', async () => {
    await using server = await openTestServer()
    const { path, user } = await seeded(server, 8 * MIB)
    const headers = { authorization: user.token, 'accept-encoding': 'gzip' }
    for (let each = 0; each < 20; each += 1) {
      const response = await fetch(path, { headers, decompress: false })
      await response.body?.cancel()
    }
    expect((await raw(path, headers)).text.length).toBeGreaterThan(8 * MIB)
  })

  test('exports are compressed; metrics, event streams and downloads are not', async () => {
    await using server = await openTestServer()
    const auth = { authorization: server.superuser.token, 'accept-encoding': 'gzip, zstd' }
    for (const [path, start] of [
      ['/api/collections/users/records?format=csv', 'id,'],
      ['/api/collections/_superusers/records?format=jsonl', '{"collectionId":'],
      ['/api/accounting?format=csv', 'month,'],
      ['/api/op/audit?format=csv', 'seq,'],
    ] as const) {
      const exported = await raw(`${server.url}${path}`, auth)
      expect([path, exported.response.status, exported.coding]).toEqual([path, 200, 'zstd'])
      expect(exported.text).toStartWith(start)
    }
    expect((await raw(`${server.url}/metrics`, auth)).coding).toBe(null)
    const stream = await fetch(`${server.url}/api/realtime`, { headers: auth, decompress: false })
    expect(stream.headers.get('content-encoding')).toBe(null)
    await stream.body?.cancel()
  })

  test('the API description has one validator for all codings', async () => {
    await using server = await openTestServer()
    const url = `${server.url}/api/openapi.json`
    const [plain, gzip, zstd] = await Promise.all(
      ['identity', 'gzip', 'zstd'].map((coding) => raw(url, { 'accept-encoding': coding })),
    )
    expect([gzip?.coding, zstd?.coding]).toEqual(['gzip', 'zstd'])
    expect([gzip?.text === plain?.text, zstd?.text === plain?.text]).toEqual([true, true])
    const etag = gzip?.response.headers.get('etag') ?? ''
    expect(etag).toStartWith('W/"')
    expect((await raw(url, { 'if-none-match': etag })).response.status).toBe(304)
  })
})
