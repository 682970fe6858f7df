import { isIP } from 'node:net'

/** An address as a number of 128 bits; IPv4 in its IPv6-mapped form. */
export interface IpAddress {
  readonly value: bigint
  readonly isIpv4: boolean
}

/** A block of addresses in CIDR form. */
export interface Network {
  /** As it was written. */
  readonly text: string
  readonly first: IpAddress
  /** Bits that all its addresses share, of 128. */
  readonly bits: number
}

const MAPPED = 0xffffn << 32n

/** Parses an IPv4 or IPv6 address; a zone (`%eth0`) is left out. Undefined for other texts. */
export function parseIp(text: string): IpAddress | undefined {
  const [address = ''] = text.split('%')
  if (isIP(address) === 4) return { value: MAPPED | ipv4Value(address), isIpv4: true }
  if (isIP(address) !== 6) return undefined
  const value = ipv6Value(address)
  return { value, isIpv4: value >> 32n === MAPPED >> 32n }
}

/** The shortest usual text: `192.0.2.1`, also for `::ffff:192.0.2.1`; `2001:db8::1`. */
export function formatIp({ value, isIpv4 }: IpAddress): string {
  if (isIpv4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for other texts. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/')
  const first = parseIp(address)
  if (!first || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '128')) return undefined
  const offset = address.includes(':') ? 0 : 96
  const bits = length === undefined ? 128 : offset + Number(length)
  if (bits > 128 || networkOf(first, bits).value !== first.value) return undefined
  return { text, first, bits }
}

/** The first address of the block of this length (in bits, of 128) that contains the address. */
export function networkOf({ value, isIpv4 }: IpAddress, bits: number): IpAddress {
  const hostBits = BigInt(128 - bits)
  return { value: (value >> hostBits) << hostBits, isIpv4 }
}

/** Whether the network contains the address; an IPv6 network does not contain IPv4 addresses. */
export function contains({ first, bits }: Network, address: IpAddress): boolean {
  return first.isIpv4 === address.isIpv4 && networkOf(address, bits).value === first.value
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function ipv6Value(text: string): bigint {
  // The hostname of a URL has no embedded IPv4 part.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}
