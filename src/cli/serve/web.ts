import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { Asset, AssetTree, Representation } from '../../server/index.ts'
import { builtFolder } from '../built-folder.ts'

const BROTLI = '.br'
const decompress = promisify(brotliDecompress)

/** Media types by file extension, declared so that the executable and the repository use the same ones. */
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
}

/** Files of the licenses by the path at which the dashboard reads them. */
const LICENSES = { '/licenses.txt': 'notices.txt', '/licenses.json': 'components.json' }

/**
 * Finds the files of the built dashboard: inside the executable, or in `web/` of the repository.
 * Undefined when a checkout has not been built (`npx bun run scripts/build-ui.ts` does that).
 * @throws Error when the folder exists without its pages.
 */
export async function loadWeb(
  root = builtFolder('web'),
  licenses = builtFolder('licenses'),
): Promise<AssetTree | undefined> {
  const folder = join(root, 'dashboard')
  if (!existsSync(folder)) return undefined
  const names = new Set(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const files = new Map<string, Asset>()
  for (const name of names) {
    // The executable contains only the compressed form of most files.
    const plain = name.endsWith(BROTLI) ? name.slice(0, -BROTLI.length) : name
    const path = plain.slice(folder.length).replaceAll('\\', '/')
    const sources = { plain: names.has(plain), brotli: names.has(plain + BROTLI) }
    files.set(urlOf(path), assetOf(plain, path, sources))
  }
  for (const [path, name] of Object.entries(LICENSES)) {
    const file = join(licenses, name)
    if (existsSync(file)) files.set(path, assetOf(file, path, { plain: true, brotli: false }))
  }
  const take = (path: string): Asset => {
    const page = files.get(path)
    if (!page) throw new Error(`No ${path.slice(1)}index.html in ${folder}: build the dashboard again`)
    files.delete(path)
    return page
  }
  return { page: take('/'), admin: take('/admin/'), files }
}

/** Pages are served without their extension, an `index.html` at its folder. */
function urlOf(path: string): string {
  return path.replace(/(\/)index\.html$|\.html$/, '$1')
}

function assetOf(name: string, path: string, has: { plain: boolean; brotli: boolean }): Asset {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const immutable = /^\/(a|fonts)\/.*-[a-z0-9]{8,}\.[a-z0-9]+$/.test(path)
  const packed = Bun.file(name + BROTLI)
  const unpacked = async () => new Blob([new Uint8Array(await decompress(await packed.bytes()))])
  const plain = once(async () => represent(has.plain ? Bun.file(name) : await unpacked()))
  return { type, immutable, plain, ...(has.brotli && { brotli: once(() => represent(packed)) }) }
}

async function represent(bytes: Blob): Promise<Representation> {
  const hash = new Bun.CryptoHasher('sha256').update(await bytes.arrayBuffer()).digest('base64url')
  return { bytes, etag: `"${hash.slice(0, 22)}"` }
}

/** Runs `work` on the first call only, and again after a failure. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}
