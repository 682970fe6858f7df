import { networkInterfaces } from 'node:os'
import {
  AppError,
  contains,
  type IpAddress,
  type Network,
  networkOf,
  parseIp,
  parseNetwork,
} from '../../base/index.ts'

/**
 * Networks that are not on the public internet, or lead back to this machine: the special-purpose registries
 * of IANA (RFC 6890), multicast, and the ways to write an IPv4 address as IPv6. `::ffff:0:0/96` is absent,
 * because `parseIp` reads such an address as IPv4.
 */
const REFUSED_NETWORKS: readonly Network[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Unspecified, loopback, IPv4-compatible; NAT64; discard; Teredo and others; documentation; 6to4.
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  // Documentation; segment routing; unique local; link-local; the former site-local; multicast.
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
].map(networkFrom)

/** Returns all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>

interface GuardOptions {
  /** Networks whose addresses are accepted in any case. */
  allowed: readonly Network[]
  /** The hosts file and DNS by default. */
  resolve?: Resolve
  /** The networks of this machine's interfaces by default. */
  ownNetworks?: () => readonly Network[]
}

/** Decides to which addresses the server connects for webhooks. */
export class AddressGuard {
  readonly #allowed: readonly Network[]
  readonly #resolve: Resolve
  readonly #ownNetworks: () => readonly Network[]

  constructor({ allowed, resolve = resolveByDns, ownNetworks = interfaceNetworks }: GuardOptions) {
    this.#allowed = allowed
    this.#resolve = resolve
    this.#ownNetworks = ownNetworks
  }

  /**
   * Resolves a host once and checks every address. Connect to one of these addresses and not to the name,
   * which could have another address at the next look-up.
   * @throws AppError `invalid`: `name_not_resolved`, or `address_not_allowed` when one address is refused.
   */
  async addressesOf(host: string): Promise<readonly string[]> {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host
    const texts = parseIp(literal) ? [literal] : await this.#resolve(host).catch(() => [])
    if (texts.length === 0) {
      throw new AppError('invalid', `The name ${host} has no address`, { reason: 'name_not_resolved' })
    }
    const own = this.#ownNetworks()
    if (texts.every((text) => this.#isAllowed(text, own))) return texts
    const message = `${host} has an address in the networks of the server, a private or a reserved one; use a public address, or have an administrator allow the network by --webhook-networks`
    throw new AppError('invalid', message, { reason: 'address_not_allowed' })
  }

  #isAllowed(text: string, own: readonly Network[]): boolean {
    const address = parseIp(text)
    if (!address) return false
    const isIn = (networks: readonly Network[]) => networks.some((network) => contains(network, address))
    return isIn(this.#allowed) || !(isIn(REFUSED_NETWORKS) || isIn(own))
  }
}

/**
 * By the hosts file and DNS. Not by `getaddrinfo`, which occupies a thread of the runtime until the name
 * server responds: 20 names without one then delay every request by seconds.
 */
async function resolveByDns(host: string): Promise<string[]> {
  return (await Bun.dns.lookup(host, { backend: 'c-ares' })).map(({ address }) => address)
}

/** The networks that this machine is part of; a laboratory may use public addresses for its own machines. */
function interfaceNetworks(): Network[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return interfaces.flatMap(({ address, cidr }) => {
    const parsed = parseIp(address)
    const length = Number(cidr?.split('/')[1] ?? Number.NaN)
    if (!parsed || Number.isNaN(length)) return []
    const bits = bitsOf(parsed, length)
    return [{ text: cidr ?? address, first: networkOf(parsed, bits), bits }]
  })
}

/** The length of a network in bits of 128; one of length 0 would contain every address. */
function bitsOf({ isIpv4 }: IpAddress, length: number): number {
  if (length === 0) return 128
  return isIpv4 ? 96 + length : length
}

function networkFrom(text: string): Network {
  const network = parseNetwork(text)
  if (!network) throw new TypeError(`${text} is not a network`)
  return network
}
