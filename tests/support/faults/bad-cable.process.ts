// Carries packets between two TUN interfaces as a bad network does. Ends with its standard input, and the
// interfaces with it. Arguments: the names of both interfaces, the quality as JSON.
import { dlopen } from 'bun:ffi'
import { openSync, read, writeSync } from 'node:fs'
import type { Quality } from './bad-cable.ts'

// Linux, if_tun.h and if.h: a request is a name of 16 bytes and flags, 40 bytes in all.
const TUNSETIFF = 0x4004_54ca
const IFF_TUN = 0x0001
const IFF_NO_PI = 0x1000
const LARGEST_PACKET = 65_536

const libc = dlopen('libc.so.6', { ioctl: { args: ['int', 'u64', 'ptr'], returns: 'int' } })

function openInterface(name: string): number {
  const file = openSync('/dev/net/tun', 'r+')
  const request = new Uint8Array(40)
  request.set(new TextEncoder().encode(name))
  new DataView(request.buffer).setUint16(16, IFF_TUN | IFF_NO_PI, true)
  if (libc.symbols.ioctl(file, TUNSETIFF, request) !== 0) throw new Error(`no interface ${name} can be made`)
  return file
}

const [near = '', far = '', quality = '{}'] = process.argv.slice(2)
const { loss, delayMs, jitterMs, duplicates }: Quality = JSON.parse(quality)
const counts = { carried: 0, lost: 0, duplicated: 0 }

function send(packet: Uint8Array, to: number): void {
  // Packets with different delays overtake each other.
  const ms = delayMs + Math.random() * jitterMs
  setTimeout(() => {
    counts.carried += 1
    try {
      writeSync(to, packet)
    } catch {
      // The interface is down: the packet is lost.
    }
  }, ms)
}

function carry(from: number, to: number): void {
  const buffer = new Uint8Array(LARGEST_PACKET)
  read(from, buffer, 0, LARGEST_PACKET, null, (error, length) => {
    if (!error) {
      const packet = buffer.slice(0, length)
      if (Math.random() < loss) counts.lost += 1
      else send(packet, to)
      if (Math.random() < duplicates) {
        counts.duplicated += 1
        send(packet, to)
      }
    }
    carry(from, to)
  })
}

const [one, other] = [openInterface(near), openInterface(far)]
carry(one, other)
carry(other, one)
console.log('ready')
for await (const _ of Bun.stdin.stream());
console.log(JSON.stringify(counts))
process.exit(0)
