import { expect, test } from 'bun:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { Hono } from 'hono'
import {
  type Asset,
  type AssetTree,
  PAGE_POLICY,
  serveAssets,
} from '../../../../src/server/http/response/assets.ts'

const page = '<!doctype html><title>Page</title>'
const admin = '<!doctype html><title>Admin</title>'
const script = 'console.log("a script that is long enough to be worth compressing")'

const tree: AssetTree = {
  page: asset('text/html; charset=utf-8', page, false),
  admin: asset('text/html; charset=utf-8', admin, false),
  files: new Map([
    ['/a/index-abcd1234.js', withBrotli(asset('text/javascript; charset=utf-8', script, true), script)],
    ['/fonts/next.license.txt', asset('text/plain; charset=utf-8', 'License', false)],
    ['/docs/', asset('text/html; charset=utf-8', 'Documents', false)],
    ['/docs/missing', asset('text/html; charset=utf-8', 'No document', false)],
  ]),
}

const app = new Hono()
app.get('/api/known', (context) => context.json({ known: true }))
app.use(serveAssets(tree))
app.notFound((context) => context.json({ status: 404 }, 404))

test.each([
  ['/', page],
  ['/jobs/abc', page],
  ['/_x', page],
  ['/_/', admin],
  ['/_/settings', admin],
  ['/_', admin],
])('serveAssets() sends the page that belongs to %s', async (path, wanted) => {
  const response = await app.request(path)
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(wanted)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
})

test.each([
  ['/docs/', 200, 'Documents'],
  ['/docs', 200, 'Documents'],
  ['/docs/gone', 404, 'No document'],
  ['/docs/files/gone.ts', 404, 'No document'],
  ['/docs/missing', 404, 'No document'],
])('serveAssets() sends the document for %s with status %d', async (path, status, text) => {
  const response = await app.request(path)
  expect(response.status).toBe(status)
  expect(await response.text()).toBe(text)
})

test.each(['/a/gone-00000000.js', '/a/gone', '/fonts/gone.woff2', '/favicon.ico', '/a/../index.html.br'])(
  'serveAssets() responds to %s with 404 and no page',
  async (path) => {
    const response = await app.request(path)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('<title>')
  },
)

test('serveAssets() passes the API and other methods to the next handler', async () => {
  expect(await (await app.request('/api/known')).json()).toEqual({ known: true })
  expect(await (await app.request('/api/unknown')).json()).toEqual({ status: 404 })
  expect(await (await app.request('/api')).json()).toEqual({ status: 404 })
  expect(await (await app.request('/', { method: 'POST' })).json()).toEqual({ status: 404 })
})

test('serveAssets() lets clients cache hashed names forever and revalidate the others', async () => {
  const hashed = await app.request('/a/index-abcd1234.js')
  expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const plain = await app.request('/fonts/next.license.txt')
  expect(plain.headers.get('cache-control')).toBe('no-cache')
})

test.each([
  ['br', true],
  ['gzip, deflate, br;q=0.9', true],
  ['GZIP, BR', true],
  ['*', true],
  ['gzip', false],
  ['br;q=0', false],
  ['br;q=0, *', false],
  [undefined, false],
])('serveAssets() with Accept-Encoding %p compresses: %p', async (header, compressed) => {
  const response = await app.request('/a/index-abcd1234.js', {
    headers: header ? { 'accept-encoding': header } : {},
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get('content-encoding')).toBe(compressed ? 'br' : null)
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  expect((compressed ? brotliDecompressSync(bytes) : bytes).toString()).toBe(script)
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
})

test('serveAssets() sends a file without a compressed representation uncompressed', async () => {
  const response = await app.request('/', { headers: { 'accept-encoding': 'br' } })
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(await response.text()).toBe(page)
})

test('serveAssets() over HTTP responds to HEAD with the length of the body of GET', async () => {
  const server = Bun.serve({ port: 0, fetch: app.fetch })
  try {
    for (const path of ['/', '/a/index-abcd1234.js']) {
      const head = await fetch(new URL(path, server.url), { method: 'HEAD' })
      const get = await fetch(new URL(path, server.url), { headers: { 'accept-encoding': 'identity' } })
      expect(await head.text()).toBe('')
      expect(get.headers.get('content-length')).toBe(String((await get.bytes()).length))
      const plain = await fetch(new URL(path, server.url), {
        method: 'HEAD',
        headers: { 'accept-encoding': 'identity' },
      })
      expect(plain.headers.get('content-length')).toBe(get.headers.get('content-length'))
    }
  } finally {
    await server.stop(true)
  }
})

test('serveAssets() sends 304 for its own validator, in every form that browsers send', async () => {
  const etag = (await app.request('/')).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await app.request('/', { headers: { 'if-none-match': header } })
    expect(response.status).toBe(304)
    expect(response.headers.get('etag')).toBe(etag)
    expect(await response.text()).toBe('')
  }
  expect((await app.request('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test('serveAssets() sends different validators for the compressed and the plain representation', async () => {
  const plain = await app.request('/a/index-abcd1234.js')
  const brotli = await app.request('/a/index-abcd1234.js', { headers: { 'accept-encoding': 'br' } })
  expect(plain.headers.get('etag')).not.toBe(brotli.headers.get('etag'))
})

test('serveAssets() forbids everything that the page does not need', async () => {
  for (const path of ['/', '/a/index-abcd1234.js', '/_/', '/gone.txt']) {
    const { headers } = await app.request(path)
    expect(headers.get('content-security-policy')).toBe(PAGE_POLICY)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
  expect(PAGE_POLICY).toStartWith("default-src 'none'")
  expect(PAGE_POLICY).not.toContain('unsafe')
})

function asset(type: string, text: string, immutable: boolean): Asset {
  return { type, plain: async () => ({ bytes: new Blob([text]), etag: `"${Bun.hash(text)}"` }), immutable }
}

function withBrotli(plain: Asset, text: string): Asset {
  return {
    ...plain,
    brotli: async () => ({ bytes: new Blob([brotliCompressSync(text)]), etag: '"compressed"' }),
  }
}
