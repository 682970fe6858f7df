import { isIPv6 } from 'node:net'
import type { Config } from '../config/config.ts'

/** An address as it stands in a URL: IPv6 in brackets. */
export function hostForUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

/** Where loopback-only servers and single-address servers differ: see `--listen-addr`. */
export function listenAddress(config: Config): string {
  if (config.listenAddr) return config.listenAddr
  return /^(127\.|::1$)/.test(config.ipAddr) ? config.ipAddr : isIPv6(config.ipAddr) ? '::' : '0.0.0.0'
}

/**
 * The address to print in commands and links: from `--domain` or `--ip-addr`, never from the Host header,
 * which a caller can forge. The configured port belongs to it; only a server on a free port (0) takes the one
 * that the request names. A proxy that ends TLS says so, and its port is the ordinary one.
 */
export function serverAddress(config: Config, request: Request): string {
  const url = new URL(request.url)
  const host = hostForUrl(config.domain || config.ipAddr)
  if (request.headers.get('x-forwarded-proto') === 'https') return `https://${host}`
  const isSecure = url.protocol === 'https:'
  const port = (isSecure ? config.httpsPort : config.serverPort) || url.port
  return `${isSecure ? 'https' : 'http'}://${host}${port ? `:${port}` : ''}`
}
