import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from '../coding/accept-encoding.ts'

/** One stored representation of a file: its bytes and a strong validator, quoted as in `ETag`. */
export interface Representation {
  bytes: Blob
  etag: string
}

/** One file of the dashboard. Its representations are read when a request needs them. */
export interface Asset {
  /** The value of `Content-Type`. */
  type: string
  plain(): Promise<Representation>
  /** The file compressed with brotli; absent when compression does not make it smaller. */
  brotli?: () => Promise<Representation>
  /** True when the name contains a hash of the content, so that a cached copy never becomes stale. */
  immutable: boolean
}

/** The files of the built dashboard. */
export interface AssetTree {
  /** The HTML page for all client-side routes. */
  page: Asset
  /** The HTML page of the admin UI, for all routes under `/_/`. */
  admin: Asset
  /** Every other file by its URL path, which starts with a slash; those of folders end with one. */
  files: ReadonlyMap<string, Asset>
}

/**
 * Content security policy of the dashboard: it may load its own scripts, styles, fonts and images and connect
 * to its own server. Inline code, frames and other origins are forbidden.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SAFE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The page for documents that do not exist. */
const MISSING_DOCUMENT = '/docs/missing'

/**
 * Serves the dashboard to GET and HEAD: a known file as it is, the page of the admin UI under `/_/`, and for
 * any other path without a dot the page of the dashboard. Both pages have routers of their own. Paths under
 * `/api/` are left to the next handler. Unknown files are 404.
 */
export function serveAssets(tree: AssetTree): MiddlewareHandler {
  return async (context, next) => {
    const { method, path } = context.req
    if ((method !== 'GET' && method !== 'HEAD') || path === '/api' || path.startsWith('/api/')) return next()
    const found = findFile(tree, path)
    if (found) return assetResponse(context, found.file, found.status)
    if (path === '/_' || path.startsWith('/_/')) return assetResponse(context, tree.admin)
    if (!isRoute(path))
      return context.text('Not found', 404, { ...SAFE_HEADERS, 'cache-control': 'no-store' })
    return assetResponse(context, tree.page)
  }
}

/** The file of a path, or the page which says that there is no such document. */
function findFile({ files }: AssetTree, path: string): { file: Asset; status: 200 | 404 } | undefined {
  const file = files.get(path) ?? files.get(`${path}/`)
  if (file) return { file, status: path === MISSING_DOCUMENT ? 404 : 200 }
  const missing = path.startsWith('/docs/') ? files.get(MISSING_DOCUMENT) : undefined
  return missing && { file: missing, status: 404 }
}

/**
 * Whether a path may belong to the router of the page: folders of built files and names with a dot do not.
 */
function isRoute(path: string): boolean {
  return !path.startsWith('/a/') && !path.startsWith('/fonts/') && !path.includes('.')
}

async function assetResponse(context: Context, asset: Asset, status: 200 | 404 = 200): Promise<Response> {
  const brotli = accepts(context.req.header('accept-encoding'), 'br') ? asset.brotli : undefined
  const { bytes, etag } = await (brotli ?? asset.plain)()
  const headers = new Headers({
    ...SAFE_HEADERS,
    'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'Accept-Encoding',
  })
  if (status === 200 && matches(context.req.header('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers })
  }
  headers.set('content-type', asset.type)
  headers.set('content-length', String(bytes.size))
  if (brotli) headers.set('content-encoding', 'br')
  return new Response(context.req.method === 'HEAD' ? null : bytes, { status, headers })
}

/** Weak comparison of an `If-None-Match` value with a validator (RFC 9110 §13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => {
    const candidate = part.trim().replace(/^W\//, '')
    return candidate === '*' || candidate === etag
  })
}
