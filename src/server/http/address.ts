import { isIPv6 } from 'node:net'
import { contains, formatIp, type IpAddress, type Network, networkOf, parseIp } from '../../base/index.ts'
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

/** Where programs on this machine reach the server, by HTTP. */
export function localAddress(config: Config): string {
  const host = listenAddress(config)
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${hostForUrl(loopback)}:${config.serverPort}`
}

/** Where a request comes from. */
export interface RequestOrigin {
  /** Remote address, behind a trusted proxy that of the proxy's client; `unknown` without a connection. */
  readonly address: string
  /** Whether the client used HTTPS. */
  readonly isSecure: boolean
  /** Whether the connection comes from a trusted proxy. */
  readonly isProxied: boolean
}

/** Bits of an IPv6 address that a provider assigns to one connection; the rest is the client's choice. */
const IPV6_CLIENT_BITS = 64

/** The key of limits per address: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const known = networkKeys.get(address)
  if (known !== undefined) return known
  const key = computeLimitKey(address)
  if (networkKeys.size >= MAX_NETWORK_KEYS) networkKeys.clear()
  networkKeys.set(address, key)
  return key
}

function computeLimitKey(address: string): string {
  const parsed = parseIp(address)
  if (!parsed || parsed.isIpv4) return parsed ? formatIp(parsed) : address
  return `${formatIp(networkOf(parsed, IPV6_CLIENT_BITS))}/${IPV6_CLIENT_BITS}`
}

/** Keys of recent IPv6 addresses: computing one takes 6 µs, and each request needs it twice. */
const networkKeys = new Map<string, string>()
const MAX_NETWORK_KEYS = 1_000

/** An address as the runtime reports it, without the prefix of IPv4 addresses on a socket for both. */
function plainAddress(peer: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/.test(peer) ? peer.slice('::ffff:'.length) : peer
}

/** Proxies between client and server of which the addresses are read; further ones are not believed. */
const MAX_HOPS = 16
/** Maximum length of one entry of a forwarding header: the longest address, a port and quotes. */
const MAX_ENTRY = 64

/**
 * The origin of a request whose connection comes from `peer`. Only trusted proxies are believed: the address
 * is the right-most one that is not itself a trusted proxy. A client can write anything to the left of it,
 * so reading stops at the first malformed entry. If both forwarding headers are present and disagree, one of
 * them may come from the client; the address is then that of the proxy.
 */
export function originOf(request: Request, peer: string, trusted: readonly Network[]): RequestOrigin {
  const isSecure = request.url.startsWith('https:')
  const direct = { address: plainAddress(peer), isSecure, isProxied: false }
  const connected = trusted.length === 0 ? undefined : parseIp(peer)
  if (!connected) return direct
  const isTrusted = (address: IpAddress) => trusted.some((network) => contains(network, address))
  if (!isTrusted(connected)) return direct

  const forwarded = lastEntries(request.headers.get('forwarded')).map(readForwarded)
  const chains = [
    lastEntries(request.headers.get('x-forwarded-for')).map(readHost),
    forwarded.map((each) => readHost(each.for)),
  ].filter((chain) => chain.length > 0)
  const [first, second] = chains.map((chain) => formatIp(clientOf(chain, connected, isTrusted)))
  const isAmbiguous = second !== undefined && second !== first
  const proto = request.headers.get('x-forwarded-proto') ?? forwarded.at(-1)?.proto
  return {
    address: first === undefined || isAmbiguous ? formatIp(connected) : first,
    isSecure: isSecure || proto?.trim().toLowerCase() === 'https',
    isProxied: true,
  }
}

/** Follows the chain from the server outward while the hops are trusted. */
function clientOf(
  chain: readonly (IpAddress | undefined)[],
  connected: IpAddress,
  isTrusted: (address: IpAddress) => boolean,
): IpAddress {
  let client = connected
  for (const hop of chain.toReversed()) {
    if (!hop || !isTrusted(client)) break
    client = hop
  }
  return client
}

/** The last entries of a list header, at most `MAX_HOPS`; the left ones of a longer list are not read. */
function lastEntries(header: string | null): string[] {
  if (header === null) return []
  return header
    .slice(-MAX_HOPS * MAX_ENTRY)
    .split(',')
    .slice(-MAX_HOPS)
    .map((entry) => entry.trim())
}

/** `for` and `proto` of one element of a `Forwarded` header. */
function readForwarded(element: string): { for: string; proto: string } {
  const parameter = (name: string) =>
    new RegExp(`(?:^|;)\\s*${name}\\s*=\\s*("[^"]*"|[^;"]*)`, 'i').exec(element)?.[1]?.replaceAll('"', '')
  return { for: parameter('for') ?? '', proto: parameter('proto') ?? '' }
}

/** An address with or without port; undefined for a malformed, hidden or unknown one. */
function readHost(entry: string): IpAddress | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(entry) ?? []
  return entry.length > MAX_ENTRY ? undefined : parseIp(bracketed ?? plain ?? entry)
}

/**
 * The address at which drivers reach the server: from `--domain` or `--ip-addr`, never from the Host header,
 * which a caller can forge. It has the configured port; a server on a free port (0) uses the port of the
 * request. Drivers accept only certificates of the server's own CA, so they connect past a proxy that
 * terminates TLS.
 */
export function serverAddress(
  config: Config,
  { url: text, isSecure }: { url: string; isSecure: boolean },
): string {
  const url = new URL(text)
  const isTls = url.protocol === 'https:' || (isSecure && config.httpsPort !== 0)
  const port = (isTls ? config.httpsPort : config.serverPort) || url.port
  const host = hostForUrl(config.domain || config.ipAddr)
  return `${isTls ? 'https' : 'http'}://${host}${port ? `:${port}` : ''}`
}
