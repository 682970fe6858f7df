import { isIPv6 } from 'node:net'
import type { Config } from '../config.ts'

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
 * which a caller can forge. The port is the one the request came in on; a proxy that ends TLS says so.
 */
export function serverAddress(config: Config, request: Request): string {
  const url = new URL(request.url)
  const isSecure = url.protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https'
  return `${isSecure ? 'https' : 'http'}://${hostForUrl(config.domain || config.ipAddr)}${url.port ? `:${url.port}` : ''}`
}
