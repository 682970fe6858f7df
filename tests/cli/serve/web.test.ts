import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { loadWeb } from '../../../src/cli/serve/web.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const folders: TemporaryFolder[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})

async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = temporaryFolder()
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder.path, name), text)
  return folder.path
}

test('loadWeb() of an unbuilt checkout is undefined', async () => {
  expect(await loadWeb(await folderWith({}))).toBeUndefined()
})

test('loadWeb() refuses a build without its page', async () => {
  const folder = await folderWith({ 'dashboard/a/index-abcd1234.js': '1' })
  await expect(loadWeb(folder)).rejects.toThrow('No index.html')
})

test('loadWeb() returns the page separately, and each file with type, validator and compressed form', async () => {
  const folder = await folderWith({
    'manifest.json': '{}',
    'dashboard/index.html': '<!doctype html>',
    'dashboard/admin/index.html': '<!doctype html>',
    'dashboard/docs/index.html': '<!doctype html>',
    'dashboard/docs/monitor-a-cryostat.html': '<!doctype html>',
    'dashboard/a/index-abcd1234.js': 'long',
    'dashboard/a/index-abcd1234.js.br': 'short',
    'dashboard/fonts/next.license.txt': 'License',
    'licenses/notices.txt': 'MIT',
  })
  const tree = await loadWeb(folder, join(folder, 'licenses'))
  expect(tree?.page).toMatchObject({ type: 'text/html; charset=utf-8', immutable: false })
  expect([...(tree?.files.keys() ?? [])].sort()).toEqual([
    '/a/index-abcd1234.js',
    '/docs/',
    '/docs/monitor-a-cryostat',
    '/fonts/next.license.txt',
    '/licenses.txt',
  ])
  expect(tree?.files.get('/docs/monitor-a-cryostat')).toMatchObject({ immutable: false })
  const script = tree?.files.get('/a/index-abcd1234.js')
  expect(script).toMatchObject({ type: 'text/javascript; charset=utf-8', immutable: true })
  const [plain, brotli] = await Promise.all([script?.plain(), script?.brotli?.()])
  expect([await plain?.bytes.text(), await brotli?.bytes.text()]).toEqual(['long', 'short'])
  expect(brotli?.etag).not.toBe(plain?.etag ?? '')
  expect(tree?.files.get('/fonts/next.license.txt')).toMatchObject({ immutable: false })
  expect(tree?.files.get('/fonts/next.license.txt')?.brotli).toBeUndefined()
})

test('loadWeb() returns the same validator for the same content only', async () => {
  const etagOf = async (text: string) =>
    (
      await (
        await loadWeb(await folderWith({ 'dashboard/index.html': text, 'dashboard/admin/index.html': text }))
      )?.page.plain()
    )?.etag
  expect(await etagOf('one')).toBe(await etagOf('one'))
  expect(await etagOf('one')).not.toBe(await etagOf('two'))
})

test('loadWeb() decompresses a file of which there is only the compressed form', async () => {
  const page = '<!doctype html><p>A page</p>'
  const folder = await folderWith({
    'dashboard/index.html.br': brotliCompressSync(page),
    'dashboard/admin/index.html': page,
    'dashboard/a/index-abcd1234.js.br': 'damaged',
  })
  const tree = await loadWeb(folder)
  const plain = await tree?.page.plain()
  expect(await plain?.bytes.text()).toBe(page)
  expect(plain?.etag).toBe((await tree?.admin.plain())?.etag ?? '')
  expect(brotliDecompressSync((await (await tree?.page.brotli?.())?.bytes.bytes()) ?? '').toString()).toBe(
    page,
  )
  expect(tree?.page).toMatchObject({ type: 'text/html; charset=utf-8', immutable: false })
  const script = tree?.files.get('/a/index-abcd1234.js')
  await expect(script?.plain()).rejects.toThrow()
  await expect(script?.plain()).rejects.toThrow()
})
