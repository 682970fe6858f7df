import { afterAll, beforeAll, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { Service } from '../support/executable/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let service: Service

beforeAll(async () => {
  service = await Service.install(folder.path)
  await service.start()
})
afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { method, headers, decompress: false })

async function scriptPath(): Promise<string> {
  const page = await (await get('/')).text()
  return /src="(\/a\/index-\w+\.js)"/.exec(page)?.[1] ?? 'no script in the page'
}

test('the executable serves its page under a strict policy and confirms a copy by ETag', async () => {
  const page = await get('/jobs/anything')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const again = await get('/', { 'if-none-match': page.headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
  expect(again.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'))
})

test('the executable sends its scripts compressed and cacheable forever', async () => {
  const path = await scriptPath()
  const plain = await get(path, { 'accept-encoding': 'identity' })
  const small = await get(path, { 'accept-encoding': 'br' })
  expect(small.headers.get('content-encoding')).toBe('br')
  expect(small.headers.get('vary')).toBe('Accept-Encoding')
  expect(small.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const [large, packed] = [await plain.bytes(), await small.bytes()]
  expect(packed.length).toBeLessThan(large.length / 2)
  expect(Buffer.compare(brotliDecompressSync(packed), large)).toBe(0)
})

test('the executable responds to HEAD with the length of GET', async () => {
  const path = await scriptPath()
  for (const encoding of ['br', 'identity']) {
    const head = await get(path, { 'accept-encoding': encoding }, 'HEAD')
    const body = await (await get(path, { 'accept-encoding': encoding })).bytes()
    expect(head.status).toBe(200)
    expect(head.headers.get('content-length')).toBe(String(body.length))
  }
})

test('the executable serves the admin page and responds 404 for files it does not have, with JSON under /api', async () => {
  expect((await get('/a/index-00000000.js')).status).toBe(404)
  expect((await get('/manifest.json')).status).toBe(404)
  expect((await get('/_/')).status).toBe(200)
  const missing = await get('/api/nothing')
  expect(missing.status).toBe(404)
  expect(missing.headers.get('content-type')).toContain('application/json')
})
