/**
 * Builds `ui/` and `docs/` into `web/`: hashed names, brotli siblings, fonts with their license, a style
 * sheet per subject of the pages, and a manifest of sizes.
 */
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { ADMIN_PAGES } from '../ui/admin/pages.ts'
import { PAGES as DASHBOARD_PAGES } from '../ui/pages/index.ts'
import { joinStyles } from './bundling/join-styles.ts'
import { shareModules } from './bundling/shared-modules.ts'
import { buildDocsPages } from './docs-pages/build-docs-pages.ts'
import { buildAndPlace } from './place-build.ts'

const brotli = promisify(brotliCompress)
const repository = join(import.meta.dir, '..')
const ui = join(repository, 'ui')

/** Below this size the header that names the coding outweighs what brotli saves. */
const COMPRESS_ABOVE = 1024
const TEXT = /\.(css|html|js|json|svg|txt)$/

/** Fonts by the name that `ui/css/fonts.css` and `ui/index.html` use. */
const FONTS = {
  'next.woff2': ['atkinson-hyperlegible-next', 'atkinson-hyperlegible-next-latin-wght-normal.woff2'],
  'mono.woff2': ['atkinson-hyperlegible-mono', 'atkinson-hyperlegible-mono-latin-wght-normal.woff2'],
} as const

/** The npm packages of the fonts. */
export const FONT_PACKAGES = Object.values(FONTS).map(([pack]) => `@fontsource-variable/${pack}`)

/** The entries: the dashboard, served at `/`, and the admin UI, served at `/_/`. */
export const PAGES = ['index.html', 'admin/index.html'] as const
const SCRIPTS = ['main.tsx', 'admin/main.tsx'].map((path) => join(ui, path))

/** The page of all documents, without their content. */
export const DOCS_TEMPLATE = 'docs/page.html'

/** What was built; sizes in bytes. */
export interface UiManifest {
  /** Files the browser needs before it shows `/`, by URL path. */
  initial: string[]
  /** Files the browser needs before it shows `/_/`. */
  initialAdmin: string[]
  /** Every file by URL path; `sent` is its size on the wire, compressed where a compressed form exists. */
  files: Record<string, { bytes: number; sent: number }>
}

/**
 * Builds the dashboard into `<out>/dashboard` and `<out>/manifest.json`, which replace the old build.
 * Throws with every message of the bundler, and then leaves the old build as it was.
 */
export async function buildUi(out = join(repository, 'web')): Promise<UiManifest> {
  return await buildAndPlace('web', out, async (fresh) => {
    const manifest = await buildInto(join(fresh, 'dashboard'), join(out, 'dashboard'))
    await Bun.write(join(fresh, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    return manifest
  })
}

async function buildInto(folder: string, old: string): Promise<UiManifest> {
  await mkdir(join(folder, 'fonts'), { recursive: true })
  const fonts = await copyFonts(folder)
  // Apart, because it must block until the theme is set, and modules do not block.
  const theme = await buildScript(folder, 'theme', 'theme-boot.ts', 'iife')
  await bundle(
    folder,
    PAGES,
    fonts,
    {
      PAGE_STYLES: await buildPageStyles(folder),
      CHECK_WORKER: await buildScript(folder, 'check-worker', 'jobs/check/check-worker.ts', 'esm'),
      LIVE_WORKER: await buildScript(folder, 'live-worker', 'api/live-worker.ts', 'iife'),
      IDEAL_WORKER: await buildScript(folder, 'ideal-worker', 'jobs/ideal/ideal-worker.ts', 'esm'),
    },
    await shareModules(SCRIPTS, join(ui, 'pages/overview/Overview.tsx')),
  )
  for (const page of PAGES) await finishPage(folder, join(folder, page), theme, fonts)
  await buildDocs(folder, theme, fonts)
  return compress(folder, old)
}

/** Copies the fonts under names with a hash and returns them as a map from plain to hashed URL path. */
async function copyFonts(folder: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const [name, [pack, file]] of Object.entries(FONTS)) {
    const source = join(repository, 'node_modules/@fontsource-variable', pack)
    const bytes = await Bun.file(join(source, 'files', file)).bytes()
    const target = `fonts/${name.replace('.', `-${hashOf(bytes)}.`)}`
    await Bun.write(join(folder, target), bytes)
    await cp(join(source, 'LICENSE'), join(folder, 'fonts', name.replace('woff2', 'license.txt')))
    paths.set(`/fonts/${name}`, `/${target}`)
  }
  return paths
}

/** Builds a script that is no part of the bundle of the pages; returns its URL path. */
async function buildScript(
  folder: string,
  name: string,
  source: string,
  format: 'esm' | 'iife',
): Promise<string> {
  const result = await Bun.build({
    entrypoints: [join(ui, source)],
    outdir: folder,
    naming: { entry: `a/${name}-[hash].[ext]` },
    format,
    target: 'browser',
    minify: true,
  })
  const [script] = result.outputs
  if (!script) throw new Error(`${source} was not built`)
  return script.path.slice(folder.length)
}

/** The subjects that the sheet of each page joins. */
const SHEETS = new Set([...DASHBOARD_PAGES, ...ADMIN_PAGES].flatMap(({ styles }) => styles?.join(' ') ?? []))

/**
 * Builds the style sheets of pages and returns their URL paths by their subjects. They are separate files
 * because the bundler would put them into the first load, which has a budget.
 */
async function buildPageStyles(folder: string): Promise<Record<string, string>> {
  const files = await readdir(join(ui, 'css/pages'), { recursive: true })
  const sheets = files.filter((name) => name.endsWith('.css')).sort()
  const result = await Bun.build({
    entrypoints: sheets.map((name) => join(ui, 'css/pages', name)),
    target: 'browser',
    minify: true,
  })
  const texts = await Promise.all(
    result.outputs.map(async (sheet) => [basename(sheet.path, '.css'), await sheet.text()] as const),
  )
  const textOf = new Map(texts)
  const paths: Record<string, string> = {}
  for (const subjects of SHEETS) {
    const text = joinStyles(subjects, textOf)
    const path = `/a/${subjects.replaceAll(' ', '_')}-${hashOf(text)}.css`
    await Bun.write(join(folder, path), text)
    paths[subjects] = path
  }
  return paths
}

/** The part of a file's name that changes with its content. */
function hashOf(content: string | Uint8Array): string {
  return Bun.hash(content).toString(36).padStart(8, '0').slice(0, 8)
}

/** Renders the documentation into its template. */
async function buildDocs(folder: string, theme: string, fonts: Map<string, string>): Promise<void> {
  const template = join(folder, DOCS_TEMPLATE)
  await bundle(folder, [DOCS_TEMPLATE], fonts, {})
  await finishPage(folder, template, theme, fonts)
  await buildDocsPages(join(repository, 'docs'), folder, await Bun.file(template).text())
  await rm(template)
}

/** Bundles pages of `ui/` with everything that they load; `constants` are known to all scripts by name. */
async function bundle(
  folder: string,
  pages: readonly string[],
  fonts: Map<string, string>,
  constants: Record<string, unknown>,
  shared?: BunPlugin,
): Promise<void> {
  const defined = Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])
  await Bun.build({
    entrypoints: pages.map((page) => join(ui, page)),
    root: ui,
    outdir: folder,
    naming: { entry: '[dir]/[name].[ext]', chunk: 'a/[name]-[hash].[ext]', asset: 'a/[name]-[hash].[ext]' },
    publicPath: '/',
    target: 'browser',
    minify: true,
    splitting: true,
    // Files named by url() are otherwise turned into data: URIs, which the policy of the page blocks.
    external: ['/fonts/*'],
    define: { 'process.env.NODE_ENV': '"production"', ...Object.fromEntries(defined) },
    plugins: [
      ...(shared ? [shared] : []),
      {
        name: 'font-names',
        setup(build) {
          build.onLoad({ filter: /fonts\.css$/ }, async ({ path }) => ({
            contents: renameFonts(await Bun.file(path).text(), fonts),
            loader: 'css',
          }))
        },
      },
    ],
  })
}

function renameFonts(text: string, names: Map<string, string>): string {
  return [...names].reduce((done, [from, to]) => done.replaceAll(from, to), text)
}

/**
 * Puts the theme script first, so that it does not wait for the style sheet, preloads the fonts and the
 * modules that the script of the page imports, which the browser would find one after the other, and adds
 * the icon.
 */
async function finishPage(
  folder: string,
  page: string,
  theme: string,
  fonts: Map<string, string>,
): Promise<void> {
  const html = await Bun.file(page).text()
  const [, script] = /<script[^>]* type="module"[^>]* src="([^"]+)"/.exec(html) ?? []
  const modules = script ? await staticImports(folder, [script]) : []
  const preloads = [
    ...[...fonts.values()].map(
      (font) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${font}">`,
    ),
    ...[...modules]
      .filter((path) => path !== script)
      .map((path) => `<link rel="modulepreload" href="${path}">`),
  ]
  // Smaller than a request for it.
  const icon = encodeURIComponent((await Bun.file(join(ui, 'icon.svg')).text()).replace(/\s+/g, ' '))
  const early = [
    `<script src="${theme}"></script>`,
    ...preloads,
    `<link rel="icon" href="data:image/svg+xml,${icon}">`,
  ].join('')
  const done = new HTMLRewriter()
    .on('meta[charset]', { element: (element) => void element.after(early, { html: true }) })
    .transform(html)
  if (!done.includes(theme)) throw new Error(`${page} has no <meta charset> to put the theme script after`)
  await Bun.write(page, done)
}

/**
 * Writes the brotli siblings and measures every file. Compression takes most of the time of a build: of a
 * file that the old build has with the same content, its sibling is taken.
 */
async function compress(folder: string, old: string): Promise<UiManifest> {
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => /\.[a-z0-9]+$/.test(name))
    .sort()
  const files = Object.fromEntries(
    await Promise.all(
      names.map(
        async (name) => [`/${name}`, await compressFile(join(folder, name), join(old, name))] as const,
      ),
    ),
  )
  const [initial, initialAdmin] = await Promise.all(
    PAGES.map((page) => initialFiles(folder, page, Object.keys(files))),
  )
  return { initial: initial ?? [], initialAdmin: initialAdmin ?? [], files }
}

async function compressFile(path: string, old: string): Promise<UiManifest['files'][string]> {
  const bytes = await Bun.file(path).bytes()
  if (!TEXT.test(path) || bytes.length <= COMPRESS_ABOVE) return { bytes: bytes.length, sent: bytes.length }
  const small = (await siblingOf(old, bytes)) ?? (await compressed(bytes))
  await Bun.write(`${path}.br`, small)
  return { bytes: bytes.length, sent: small.length }
}

/** The brotli sibling of a file of the old build that has these bytes; undefined if there is none. */
async function siblingOf(path: string, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const [plain, small] = [Bun.file(path), Bun.file(`${path}.br`)]
  if (!(await plain.exists()) || !(await small.exists())) return undefined
  return Buffer.compare(await plain.bytes(), bytes) === 0 ? small.bytes() : undefined
}

const compressed = (bytes: Uint8Array): Promise<Uint8Array> =>
  brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })

/** A page and the files that it names, which include what its scripts import statically. */
async function initialFiles(folder: string, page: string, known: string[]): Promise<string[]> {
  const html = await Bun.file(join(folder, page)).text()
  return [
    ...(await staticImports(folder, [`/${page}`, ...known.filter((path) => html.includes(`"${path}"`))])),
  ].sort()
}

/** Files, and what the scripts among them import statically, at any depth. */
async function staticImports(folder: string, files: readonly string[]): Promise<Set<string>> {
  const found = new Set(files)
  for (const path of found) {
    if (!path.endsWith('.js')) continue
    const scan = new Bun.Transpiler({ loader: 'js' }).scanImports(await Bun.file(join(folder, path)).text())
    for (const { kind, path: target } of scan) if (kind === 'import-statement') found.add(target)
  }
  return found
}

if (import.meta.main) {
  const started = performance.now()
  const { initial, initialAdmin, files } = await buildUi()
  for (const [path, { bytes, sent }] of Object.entries(files)) {
    const mark = `${initial.includes(path) ? '*' : ' '}${initialAdmin.includes(path) ? '+' : ' '}`
    console.log(`${mark} ${path.padEnd(44)} ${bytes} B, sent ${sent} B`)
  }
  console.log(`Built web/ in ${Math.round(performance.now() - started)} ms (* = first load of /, + = of /_/)`)
}
