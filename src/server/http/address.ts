import { isIPv6 } from 'node:net'
import type { Config } from '../config/settings.ts'

/** The address as written in a URL: IPv6 in brackets. */
export function hostForUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

/** The address to listen on: `--listen-addr`, else a loopback `--ip-addr`, else all addresses. */
export function listenAddress(config: Config): string {
  if (config.listenAddr) return config.listenAddr
  return /^(127\.|::1$)/.test(config.ipAddr) ? config.ipAddr : isIPv6(config.ipAddr) ? '::' : '0.0.0.0'
}

/**
 * The base URL for commands and links: from `--domain` or `--ip-addr`, never from the Host header, which a
 * caller can forge. It has the configured port; a server on a free port (0) uses the port of the request.
 * Behind a proxy that terminates TLS (`x-forwarded-proto`), it is the default HTTPS port.
 */
export function serverAddress(config: Config, request: Request): string {
  const url = new URL(request.url)
  const host = hostForUrl(config.domain || config.ipAddr)
  if (request.headers.get('x-forwarded-proto') === 'https') return `https://${host}`
  const isSecure = url.protocol === 'https:'
  const port = (isSecure ? config.httpsPort : config.serverPort) || url.port
  return `${isSecure ? 'https' : 'http'}://${host}${port ? `:${port}` : ''}`
}
