import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Asset, AssetTree, Representation } from '../../server/index.ts'

const BROTLI = '.br'

/** Media types by file extension, declared so that the executable and the repository use the same ones. */
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
}

/**
 * Reads the built dashboard: from inside the executable, or from `web/` of the repository.
 * Undefined when a checkout has not been built (`npx bun run scripts/build-ui.ts` does that).
 * @throws Error when the folder exists without a page.
 */
export async function loadWeb(root = webRoot()): Promise<AssetTree | undefined> {
  const folder = join(root, 'dashboard')
  if (!existsSync(folder)) return undefined
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const compressed = new Set(names.filter((name) => name.endsWith(BROTLI)))
  const files = new Map<string, Asset>()
  for (const name of names) {
    if (compressed.has(name)) continue
    const path = name.slice(folder.length).replaceAll('\\', '/')
    files.set(path, await readAsset(name, path, compressed.has(name + BROTLI)))
  }
  const page = files.get('/index.html')
  if (!page) throw new Error(`No index.html in ${folder}: build the dashboard again`)
  files.delete('/index.html')
  return { page, files }
}

async function readAsset(name: string, path: string, hasBrotli: boolean): Promise<Asset> {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const immutable = /-[a-z0-9]{8,}\.[a-z0-9]+$/.test(path)
  const plain = await readRepresentation(name)
  return hasBrotli
    ? { type, plain, brotli: await readRepresentation(name + BROTLI), immutable }
    : { type, plain, immutable }
}

async function readRepresentation(name: string): Promise<Representation> {
  const bytes = Bun.file(name)
  const hash = new Bun.CryptoHasher('sha256').update(await bytes.arrayBuffer()).digest('base64url')
  return { bytes, etag: `"${hash.slice(0, 22)}"` }
}

function webRoot(): string {
  return Bun.main.startsWith('/$bunfs/') ? '/$bunfs/root/web' : join(import.meta.dir, '../../../web')
}
