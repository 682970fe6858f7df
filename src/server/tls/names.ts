import { isIP } from 'node:net'
import { AppError } from '../../base/index.ts'

/** The names in the server certificate: addresses in canonical form, host names in lower case. */
export interface ServerNames {
  ips: string[]
  hosts: string[]
}

/** `a.b.c.d` as two hexadecimal groups: the URL parser of Bun 1.4 refuses some valid dotted tails. */
function dottedToGroups(_: string, ...[a, b, c, d]: string[]): string {
  const group = (high: string | undefined, low: string | undefined) =>
    (Number(high) * 256 + Number(low)).toString(16)
  return `${group(a, b)}:${group(c, d)}`
}

/**
 * The canonical text of an IPv4 or IPv6 address (RFC 5952 for IPv6, without dotted tail); undefined for other
 * texts. Lists of names can be compared only with one spelling per address, and the certificate library
 * encodes an IPv6 address with a dotted tail incorrectly.
 */
export function canonicalIp(text: string): string | undefined {
  const family = isIP(text)
  if (family === 4) return text
  if (family === 0 || text.includes('%')) return undefined
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, dottedToGroups)
  return new URL(`http://[${plain}]/`).hostname.slice(1, -1)
}

const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

function checkedIp(ipAddr: string): string {
  const ip = canonicalIp(ipAddr)
  if (ip === undefined) {
    throw new AppError(
      'invalid',
      `--ip-addr "${ipAddr}" is not an IP address; give the address under which drivers reach this server, such as 192.0.2.10 or 2001:db8::10, without brackets, port or zone`,
    )
  }
  if (ip === '0.0.0.0' || ip === '::') {
    throw new AppError(
      'invalid',
      `--ip-addr "${ipAddr}" stands for all addresses, to which no client can connect; give the one address under which drivers reach this server`,
    )
  }
  return ip
}

function checkedHost(domain: string): string {
  const host = domain.toLowerCase()
  if (isIP(host) !== 0) {
    throw new AppError('invalid', `--domain "${domain}" is an IP address; give it with --ip-addr instead`)
  }
  if (!HOST_NAME.test(host)) {
    throw new AppError(
      'invalid',
      `--domain "${domain}" is not a host name; give only the name, such as qc.example.org, without scheme, port or path, and with letters outside a-z in their xn-- form`,
    )
  }
  return host
}

/**
 * The names for the settings `--ip-addr` and `--domain` (empty: none), plus `127.0.0.1` and `localhost`.
 * @throws AppError `invalid` that names the flag, the value and the remedy.
 */
export function serverNames(settings: { ipAddr: string; domain: string }): ServerNames {
  const hosts = settings.domain === '' ? [] : [checkedHost(settings.domain)]
  return {
    ips: [...new Set([checkedIp(settings.ipAddr), '127.0.0.1'])],
    hosts: [...new Set(['localhost', ...hosts])],
  }
}

/** Whether both contain the same addresses and hosts, in any order. */
export function sameNames(a: ServerNames, b: ServerNames): boolean {
  const key = (names: ServerNames) => JSON.stringify([[...names.ips].sort(), [...names.hosts].sort()])
  return key(a) === key(b)
}
