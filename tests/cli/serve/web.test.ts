import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadWeb } from '../../../src/cli/serve/web.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const folders: TemporaryFolder[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})

async function folderWith(files: Record<string, string>): Promise<string> {
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
    'dashboard/a/index-abcd1234.js': 'long',
    'dashboard/a/index-abcd1234.js.br': 'short',
    'dashboard/fonts/next.license.txt': 'License',
  })
  const tree = await loadWeb(folder)
  expect(tree?.page).toMatchObject({ type: 'text/html; charset=utf-8', immutable: false })
  expect([...(tree?.files.keys() ?? [])].sort()).toEqual(['/a/index-abcd1234.js', '/fonts/next.license.txt'])
  const script = tree?.files.get('/a/index-abcd1234.js')
  expect(script).toMatchObject({ type: 'text/javascript; charset=utf-8', immutable: true })
  expect(await script?.plain.bytes.text()).toBe('long')
  expect(await script?.brotli?.bytes.text()).toBe('short')
  expect(script?.brotli?.etag).not.toBe(script?.plain.etag)
  expect(tree?.files.get('/fonts/next.license.txt')).toMatchObject({ immutable: false })
  expect(tree?.files.get('/fonts/next.license.txt')?.brotli).toBeUndefined()
})

test('loadWeb() returns the same validator for the same content only', async () => {
  const etagOf = async (text: string) =>
    (await loadWeb(await folderWith({ 'dashboard/index.html': text })))?.page.plain.etag
  expect(await etagOf('one')).toBe(await etagOf('one'))
  expect(await etagOf('one')).not.toBe(await etagOf('two'))
})
