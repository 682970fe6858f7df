import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { OptionValueError } from '../../options.ts'

/** Link-local ranges (RFC 3927, RFC 4291 section 2.5.6), where clouds serve the credentials of a machine. */
const LINK_LOCAL = new BlockList()
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4')
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6')

/** Whether an IP address is link-local; covers IPv4 addresses written as IPv6. */
export function isLinkLocal(address: string): boolean {
  return LINK_LOCAL.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Reads the option `base_url`; the value has no slash at the end.
 * @throws OptionValueError that does not repeat the text, which may hold a key.
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new OptionValueError('not an http or https address')
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new OptionValueError('use only scheme, host, port and path; a key goes into -o api_key')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isLinkLocal(host)) {
    throw new OptionValueError(`${host} is a link-local address, which is not allowed`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Whether requests to the address leave this machine. */
export function isRemote(baseUrl: string): boolean {
  return !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname)
}

/** Finds every address of a host name. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Name resolution that never returns a link-local address, so that a host name cannot bypass the check of
 * `readBaseUrl`; the connection is made to the address that was checked here.
 */
export function lookupPublic(resolve: Resolve = lookup): LookupFunction {
  return (host, options, found) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const allowed = (addresses ?? []).filter(({ address }) => !isLinkLocal(address))
      const [first] = allowed
      if (error || !first) {
        found(error ?? new Error(`${host} has only link-local addresses, which are not allowed`), [])
      } else if (options.all) found(null, allowed)
      else found(null, first.address, first.family)
    })
}
