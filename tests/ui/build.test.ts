import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { buildUi, type UiManifest } from '../../scripts/build-ui.ts'
import { loadWeb } from '../../src/cli/serve/web.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

const KB = 1000

let folder: TemporaryFolder
let manifest: UiManifest
let page: string

beforeAll(async () => {
  folder = temporaryFolder()
  manifest = await buildUi(join(folder.path, 'web'))
  page = await Bun.file(built('/index.html')).text()
})
afterAll(() => folder[Symbol.dispose]())

const built = (path: string) => join(folder.path, 'web/dashboard', path)
const textOf = (path: string) => Bun.file(built(path)).text()
const sentBy = (paths: string[], ending: string) =>
  paths
    .filter((path) => path.endsWith(ending))
    .reduce((sum, path) => sum + (manifest.files[path]?.sent ?? 0), 0)

test('the first load stays within its budget', () => {
  expect(manifest.initial).toContainEqual(expect.stringMatching(/^\/a\/index-\w+\.js$/))
  expect(sentBy(manifest.initial, '.js')).toBeLessThanOrEqual(60 * KB)
  expect(sentBy(manifest.initial, '.css')).toBeLessThanOrEqual(10 * KB)
  expect(sentBy(manifest.initial, '.woff2')).toBeLessThanOrEqual(52 * KB)
})

test('every chunk that is loaded later stays within its budget', () => {
  const later = Object.keys(manifest.files).filter((path) => !manifest.initial.includes(path))
  const scripts = later.filter((path) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(3)
  for (const path of scripts) expect(manifest.files[path]?.sent).toBeLessThanOrEqual(100 * KB)
})

test('no script uses modules or globals that only the server has', async () => {
  for (const path of Object.keys(manifest.files).filter((name) => name.endsWith('.js'))) {
    const script = await textOf(path)
    const imports = new Bun.Transpiler({ loader: 'js' }).scanImports(script).map((found) => found.path)
    for (const target of imports) expect(Object.keys(manifest.files)).toContain(target)
    expect(script).not.toMatch(/["'](node|bun):/)
    expect(script).not.toMatch(/\b(process\.env|Buffer\.from|Bun\.)/)
  }
})

test('the page has no inline scripts or styles, since its policy would refuse them', () => {
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/)
  for (const [tag] of page.matchAll(/<script[^>]*>/g)) expect(tag).toContain('src="/a/')
  expect(page).not.toMatch(/(src|href)="(?!\/)/)
})

test('the theme is set by the first script, which blocks, before any style sheet', () => {
  const theme = /<script src="(\/a\/theme-\w+\.js)"><\/script>/.exec(page)
  expect(theme?.index).toBeLessThan(page.indexOf('stylesheet'))
  expect(theme?.index).toBeLessThan(page.indexOf('type="module"'))
})

test('every file that the page and the style sheets refer to was built', async () => {
  const styles = await Promise.all(
    Object.keys(manifest.files)
      .filter((path) => path.endsWith('.css'))
      .map(textOf),
  )
  const named = [
    ...[...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path),
    ...styles.flatMap((style) => [...style.matchAll(/url\(["']?([^)"']+)/g)].map(([, path = '']) => path)),
  ]
  expect(named.length).toBeGreaterThanOrEqual(7)
  for (const path of named) expect(Object.keys(manifest.files)).toContain(path)
})

test('files that stay in caches forever have a name that changes with their content', async () => {
  const tree = await loadWeb(join(folder.path, 'web'))
  for (const [path, file] of tree?.files ?? []) {
    expect({ path, immutable: file.immutable }).toEqual({ path, immutable: !path.endsWith('.txt') })
  }
})

test('compressed siblings contain the same bytes', async () => {
  const compressed = (await readdir(built('.'), { recursive: true })).filter((name) => name.endsWith('.br'))
  expect(compressed.length).toBeGreaterThan(5)
  for (const name of compressed) {
    const plain = await Bun.file(built(name.slice(0, -3))).bytes()
    const unpacked = brotliDecompressSync(await Bun.file(built(name)).bytes())
    expect(Buffer.compare(unpacked, plain)).toBe(0)
  }
})

test('the fonts include their license', async () => {
  for (const name of ['next', 'mono']) {
    expect(await textOf(`/fonts/${name}.license.txt`)).toContain('SIL Open Font License')
  }
})

test('building again results in the same names', async () => {
  const again = await buildUi(join(folder.path, 'again'))
  expect(again).toEqual(manifest)
})
