/**
 * Builds `ui/` into `web/`: hashed names, brotli siblings, fonts with their license, and a manifest of sizes.
 */
import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { buildAndPlace } from './place-build.ts'

const repository = join(import.meta.dir, '..')
const ui = join(repository, 'ui')

/** Below this size the header that names the coding outweighs what brotli saves. */
const COMPRESS_ABOVE = 1024
const TEXT = /\.(css|html|js|svg|txt)$/

/** Fonts by the name that `ui/css/fonts.css` and `ui/index.html` use. */
const FONTS = {
  'next.woff2': ['atkinson-hyperlegible-next', 'atkinson-hyperlegible-next-latin-wght-normal.woff2'],
  'mono.woff2': ['atkinson-hyperlegible-mono', 'atkinson-hyperlegible-mono-latin-wght-normal.woff2'],
} as const

/** The npm packages of the fonts. */
export const FONT_PACKAGES = Object.values(FONTS).map(([pack]) => `@fontsource-variable/${pack}`)

/** What was built; sizes in bytes. */
export interface UiManifest {
  /** Files the browser needs before it shows `/`, by URL path. */
  initial: string[]
  /** Every file by URL path; `sent` is its size on the wire, compressed where a compressed form exists. */
  files: Record<string, { bytes: number; sent: number }>
}

/**
 * Builds the dashboard into `<out>/dashboard` and `<out>/manifest.json`, which replace the old build.
 * Throws with every message of the bundler, and then leaves the old build as it was.
 */
export async function buildUi(out = join(repository, 'web')): Promise<UiManifest> {
  return await buildAndPlace('web', out, async (fresh) => {
    const manifest = await buildInto(join(fresh, 'dashboard'))
    await Bun.write(join(fresh, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    return manifest
  })
}

async function buildInto(folder: string): Promise<UiManifest> {
  await mkdir(join(folder, 'fonts'), { recursive: true })
  const fonts = await copyFonts(folder)
  const theme = await buildTheme(folder)
  await bundle(folder, fonts)
  await finishPage(join(folder, 'index.html'), theme, fonts)
  return compress(folder)
}

/** Copies the fonts under names with a hash and returns them as a map from plain to hashed URL path. */
async function copyFonts(folder: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const [name, [pack, file]] of Object.entries(FONTS)) {
    const source = join(repository, 'node_modules/@fontsource-variable', pack)
    const bytes = await Bun.file(join(source, 'files', file)).bytes()
    const hash = Bun.hash(bytes).toString(36).padStart(8, '0').slice(0, 8)
    const target = `fonts/${name.replace('.', `-${hash}.`)}`
    await Bun.write(join(folder, target), bytes)
    await cp(join(source, 'LICENSE'), join(folder, 'fonts', name.replace('woff2', 'license.txt')))
    paths.set(`/fonts/${name}`, `/${target}`)
  }
  return paths
}

/**
 * Builds the script that sets the theme before the first paint; apart, because it must block and modules do
 * not.
 */
async function buildTheme(folder: string): Promise<string> {
  const result = await Bun.build({
    entrypoints: [join(ui, 'theme-boot.ts')],
    outdir: folder,
    naming: { entry: 'a/theme-[hash].[ext]' },
    format: 'iife',
    target: 'browser',
    minify: true,
  })
  const [script] = result.outputs
  if (!script) throw new Error('The theme script was not built')
  return script.path.slice(folder.length)
}

async function bundle(folder: string, fonts: Map<string, string>): Promise<void> {
  await Bun.build({
    entrypoints: [join(ui, 'index.html')],
    root: ui,
    outdir: folder,
    naming: { entry: '[name].[ext]', chunk: 'a/[name]-[hash].[ext]', asset: 'a/[name]-[hash].[ext]' },
    publicPath: '/',
    target: 'browser',
    minify: true,
    splitting: true,
    // Files named by url() are otherwise turned into data: URIs, which the policy of the page blocks.
    external: ['/fonts/*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
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
 * Puts the theme script first, so that it does not wait for the style sheet, and preloads the fonts.
 */
async function finishPage(page: string, theme: string, fonts: Map<string, string>): Promise<void> {
  const preloads = [...fonts.values()].map(
    (font) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${font}">`,
  )
  const early = [`<script src="${theme}"></script>`, ...preloads].join('')
  const html = await Bun.file(page).text()
  const done = new HTMLRewriter()
    .on('meta[charset]', { element: (element) => void element.after(early, { html: true }) })
    .transform(html)
  if (!done.includes(theme)) throw new Error(`${page} has no <meta charset> to put the theme script after`)
  await Bun.write(page, done)
}

/** Writes the brotli siblings and measures every file. */
async function compress(folder: string): Promise<UiManifest> {
  const files: UiManifest['files'] = {}
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (!/\.[a-z0-9]+$/.test(name)) continue
    const bytes = await Bun.file(join(folder, name)).bytes()
    const size = { bytes: bytes.length, sent: bytes.length }
    if (TEXT.test(name) && bytes.length > COMPRESS_ABOVE) {
      const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
      await Bun.write(join(folder, `${name}.br`), small)
      size.sent = small.length
    }
    files[`/${name}`] = size
  }
  const page = await Bun.file(join(folder, 'index.html')).text()
  return { initial: await initialFiles(folder, page, Object.keys(files)), files }
}

/** The files that the page names, and what its scripts import statically, at any depth. */
async function initialFiles(folder: string, page: string, known: string[]): Promise<string[]> {
  const found = new Set(['/index.html', ...known.filter((path) => page.includes(path))])
  for (const path of found) {
    if (!path.endsWith('.js')) continue
    const scan = new Bun.Transpiler({ loader: 'js' }).scanImports(await Bun.file(join(folder, path)).text())
    for (const { kind, path: target } of scan) if (kind === 'import-statement') found.add(target)
  }
  return [...found].sort()
}

if (import.meta.main) {
  const started = performance.now()
  const { initial, files } = await buildUi()
  for (const [path, { bytes, sent }] of Object.entries(files)) {
    console.log(`${initial.includes(path) ? '*' : ' '} ${path.padEnd(44)} ${bytes} B, sent ${sent} B`)
  }
  console.log(`Built web/ in ${Math.round(performance.now() - started)} ms (* = first load)`)
}
