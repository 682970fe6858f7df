import { expect, test } from 'bun:test'
import { cpSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { buildUi, type UiManifest } from '../../scripts/build-ui.ts'
import { joinStyles } from '../../scripts/bundling/join-styles.ts'
import { shareModules } from '../../scripts/bundling/shared-modules.ts'
import { loadWeb } from '../../src/cli/serve/web.ts'
import { PAGES } from '../../ui/pages/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KB = 1000

/** What `npm run build` has left; the last test builds it again and compares. */
const WEB = join(import.meta.dir, '../../web')
const built = (path: string) => join(WEB, 'dashboard', path)
const manifest: UiManifest = await Bun.file(join(WEB, 'manifest.json')).json()
const page = await Bun.file(built('/index.html')).text()

const textOf = (path: string) => Bun.file(built(path)).text()
const sentBy = (paths: string[], ending: string) =>
  paths
    .filter((path) => path.endsWith(ending))
    .reduce((sum, path) => sum + (manifest.files[path]?.sent ?? 0), 0)

test.each(['initial', 'initialAdmin'] as const)('the first load (%s) stays within its budget', (page) => {
  const files = manifest[page]
  expect(files).toContainEqual(expect.stringMatching(/^\/a\/index-\w+\.js$/))
  expect(sentBy(files, '.js')).toBeLessThanOrEqual(60 * KB)
  expect(sentBy(files, '.css')).toBeLessThanOrEqual(10 * KB)
  expect(sentBy(files, '.woff2')).toBeLessThanOrEqual(52 * KB)
})

test('a page that names a style without a sheet fails the build with its name', () => {
  const sheets = new Map([
    ['jobs', '.a{}'],
    ['chip', '.b{}'],
  ])
  expect(joinStyles('chip jobs', sheets)).toBe('.b{}.a{}')
  expect(() => joinStyles('jobs chips', sheets)).toThrow('chips.css')
})

/** The files that a script imports in some of these ways; those of the first load name all pages. */
async function importsOf(path: string, kinds: readonly string[], found = new Set<string>()) {
  found.add(path)
  if (manifest.initial.includes(path)) return found
  const scan = new Bun.Transpiler({ loader: 'js' }).scanImports(await textOf(path))
  for (const { kind, path: target } of scan) {
    if (kinds.includes(kind) && !found.has(target)) await importsOf(target, kinds, found)
  }
  return found
}

/** The script and the sheet of a page, and what the script imports. */
async function filesOf({ path, load, styles = [] }: (typeof PAGES)[number], kinds: readonly string[]) {
  const named = (name: string, ending: string) =>
    Object.keys(manifest.files).filter((file) => new RegExp(`^/a/${name}-\\w+\\.${ending}$`).test(file))
  const [, component = ''] = /(\w+)\.tsx/.exec(load.toString()) ?? []
  const [script] = named(component, 'js')
  if (!script) throw new Error(`The page ${path} has no chunk of its own`)
  const sheet = styles.length > 0 ? named(styles.join('_'), 'css') : []
  return [...(await importsOf(script, kinds)), ...sheet]
}

const gzipped = async (files: Iterable<string>) =>
  (await Promise.all([...files].map(async (file) => gzipSync(await textOf(file)).length))).reduce(
    (total, size) => total + size,
    0,
  )

// The script of a thread is loaded beside the page; it has a limit of its own.
// Links open jobs and reports: their page is the largest, with cuts of maps and colored programs.
test('a visit of any one page loads at most 225 KB, as gzip sends it', async () => {
  const initial = manifest.initial.filter((file) => /\.(js|css)$/.test(file))
  for (const each of PAGES) {
    const loaded = await filesOf(each, ['import-statement', 'dynamic-import'])
    const sum = await gzipped(new Set([...initial, ...loaded]))
    expect({ path: each.path, sum, fits: sum <= 225 * KB }).toMatchObject({ fits: true })
  }
})

// An editor or a plotter of series in a chunk that all pages share delays the first paint of each.
test('a page waits for at most 60 KB of its own before it is painted, as gzip sends it', async () => {
  for (const each of PAGES) {
    const loaded = await filesOf(each, ['import-statement'])
    const sum = await gzipped(loaded.filter((file) => !manifest.initial.includes(file)))
    expect({ path: each.path, sum, fits: sum <= 60 * KB }).toMatchObject({ fits: true })
  }
})

// The parser finds all syntax errors of a program, not the first alone.
test('the script of a thread has at most 44 KB, as gzip sends it', async () => {
  const scripts = Object.keys(manifest.files).filter((path) => path.includes('-worker-'))
  expect(scripts.length).toBeGreaterThanOrEqual(2)
  for (const path of scripts) {
    const size = gzipSync(await textOf(path)).length
    expect({ path, size, fits: size <= 44 * KB }).toMatchObject({ fits: true })
  }
})

test('the page names every script of the first load, so that none is found late', () => {
  for (const path of manifest.initial.filter((name) => name.endsWith('.js'))) expect(page).toContain(path)
  // Painted before the scripts have run.
  const menu = PAGES.filter((each) => each.menu === 'main')
  const links = menu.map(({ path, title }) => `<a href="${path}">${title}</a>`)
  expect(page).toContain(links.join(''))
})

test('every chunk and every style sheet that is loaded later stays within its budget', () => {
  const later = Object.keys(manifest.files).filter((path) => !manifest.initial.includes(path))
  const scripts = later.filter((path) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(3)
  for (const path of scripts) expect(manifest.files[path]?.sent).toBeLessThanOrEqual(100 * KB)
  const styles = later.filter((path) => path.endsWith('.css'))
  for (const path of styles) expect(manifest.files[path]?.sent).toBeLessThanOrEqual(10 * KB)
})

test('no script uses modules or globals that only the server has', async () => {
  for (const path of Object.keys(manifest.files).filter((name) => name.endsWith('.js'))) {
    const script = await textOf(path)
    const imports = new Bun.Transpiler({ loader: 'js' }).scanImports(script).map((found) => found.path)
    for (const target of imports) expect(Object.keys(manifest.files)).toContain(target)
    expect(script).not.toMatch(/["'](node|bun):/)
    // Examples for programs on Node name the variable of their token.
    expect(script).not.toMatch(/\b(process\.env(?!\.TOKEN\b)|Buffer\.from|Bun\.)/)
  }
})

test('the page has no inline scripts or styles, since its policy would refuse them', () => {
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/)
  for (const [tag] of page.matchAll(/<script[^>]*>/g)) expect(tag).toContain('src="/a/')
  expect(page).not.toMatch(/(src|href)="(?!\/|data:image\/)/)
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
    ...[...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path),
    ...styles.flatMap((style) =>
      [...style.matchAll(/url\(["']?([^#)"'][^)"']*)/g)].map(([, path = '']) => path),
    ),
  ]
  expect(named.length).toBeGreaterThanOrEqual(6)
  for (const path of named) expect(Object.keys(manifest.files)).toContain(path)
})

test('files that stay in caches forever have a name that changes with their content', async () => {
  const tree = await loadWeb(WEB)
  for (const [path, file] of tree?.files ?? []) {
    const isHashed = /^\/(a|fonts)\//.test(path) && !path.endsWith('.txt')
    expect({ path, immutable: file.immutable }).toEqual({ path, immutable: isHashed })
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

test('building again results in the same files, and compresses what has changed since', async () => {
  using folder = temporaryFolder()
  const web = join(folder.path, 'web')
  cpSync(WEB, web, { recursive: true })
  const changed = manifest.initial.find((path) => path.endsWith('.css')) ?? ''
  await Bun.write(join(web, 'dashboard', changed), 'a{color:red}')
  expect(await buildUi(web)).toEqual(manifest)
  for (const path of [...Object.keys(manifest.files), `${changed}.br`]) {
    const [fresh, before] = [join(web, 'dashboard', path), built(path)].map((name) => readFileSync(name))
    expect([path, fresh?.equals(before ?? Buffer.of())]).toEqual([path, true])
  }
})

test('a family of pages that names a page which does not exist stops the build', async () => {
  using folder = temporaryFolder()
  const opened = join(folder.path, 'pages/overview/Overview.tsx')
  await Bun.write(opened, 'export const Overview = () => null')
  await expect(shareModules([opened], opened)).rejects.toThrow('names jobs/Job.tsx')
})
