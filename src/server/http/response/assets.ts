import type { Context, MiddlewareHandler } from 'hono'

/** One stored representation of a file: its bytes and a strong validator, quoted as in `ETag`. */
export interface Representation {
  bytes: Blob
  etag: string
}

/** One file of the dashboard. */
export interface Asset {
  /** The value of `Content-Type`. */
  type: string
  plain: Representation
  /** The file compressed with brotli; absent when compression does not make it smaller. */
  brotli?: Representation
  /** True when the name contains a hash of the content, so that a cached copy never becomes stale. */
  immutable: boolean
}

/** The files of the built dashboard. */
export interface AssetTree {
  /** The HTML page for all client-side routes. */
  page: Asset
  /** Every other file by its URL path, which starts with a slash. */
  files: ReadonlyMap<string, Asset>
}

/**
 * Content security policy of the dashboard: it may load its own scripts, styles, fonts and images and connect
 * to its own server. Inline code, frames and other origins are forbidden.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
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

/**
 * Serves the dashboard to GET and HEAD: a known file as it is, and the page, which has a router of its own,
 * for any other path without a dot. Paths under `/api/` are left to the next handler. `/_/` and unknown files
 * are 404; the former still returns the page, which shows an explanation instead of a blank screen.
 */
export function serveAssets(tree: AssetTree): MiddlewareHandler {
  return async (context, next) => {
    const { method, path } = context.req
    if ((method !== 'GET' && method !== 'HEAD') || path === '/api' || path.startsWith('/api/')) return next()
    const file = tree.files.get(path)
    if (file) return assetResponse(context, file, 200)
    if (path === '/_' || path.startsWith('/_/')) return assetResponse(context, tree.page, 404)
    if (!isRoute(path))
      return context.text('Not found', 404, { ...SAFE_HEADERS, 'cache-control': 'no-store' })
    return assetResponse(context, tree.page, 200)
  }
}

/**
 * Whether a path may belong to the router of the page: folders of built files and names with a dot do not.
 */
function isRoute(path: string): boolean {
  return !path.startsWith('/a/') && !path.startsWith('/fonts/') && !path.includes('.')
}

function assetResponse(context: Context, asset: Asset, status: 200 | 404): Response {
  const brotli = acceptsBrotli(context.req.header('accept-encoding')) ? asset.brotli : undefined
  const { bytes, etag } = brotli ?? asset.plain
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

/**
 * Whether an `Accept-Encoding` value allows brotli (RFC 9110 §12.5.3): named with a weight above 0, or by
 * `*`.
 */
function acceptsBrotli(header: string | undefined): boolean {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding, ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (coding) weights.set(coding, quality === undefined ? 1 : Number(quality))
  }
  return (weights.get('br') ?? weights.get('*') ?? 0) > 0
}

/** Weak comparison of an `If-None-Match` value with a validator (RFC 9110 §13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => {
    const candidate = part.trim().replace(/^W\//, '')
    return candidate === '*' || candidate === etag
  })
}
