import { describe, expect, test } from 'bun:test'
import {
  checkGreeting,
  encodeGreeting,
  GREETING_BYTES,
} from '../../../../src/protocol/zmtp/handshake/greeting.ts'

/** A good greeting with some bytes replaced. */
function altered(changes: Record<number, number>): Uint8Array {
  const greeting = encodeGreeting('PLAIN', false)
  for (const [at, value] of Object.entries(changes)) greeting[Number(at)] = value
  return greeting
}

describe('encodeGreeting()', () => {
  test('writes signature, version, mechanism and as-server in the layout of ZMTP 3.1', () => {
    expect(Buffer.from(encodeGreeting('PLAIN', true)).toString('hex')).toBe(
      `ff00000000000000017f0301${Buffer.from('PLAIN').toString('hex')}${'00'.repeat(15)}01${'00'.repeat(31)}`,
    )
  })
})

describe('checkGreeting()', () => {
  test('accepts every prefix of a good greeting', () => {
    const greeting = encodeGreeting('NULL', false)
    for (let end = 0; end <= GREETING_BYTES; end++) {
      expect(() => checkGreeting(greeting.subarray(0, end), 'NULL')).not.toThrow()
    }
  })

  test('ignores padding, minor version, as-server and filler, which libzmq sets freely', () => {
    expect(() => checkGreeting(altered({ 1: 9, 8: 200, 11: 0, 32: 1, 63: 7 }), 'PLAIN')).not.toThrow()
  })

  test.each([
    ['another protocol', 0, 0x47, 'byte 0 is 0x47'],
    ['ZMTP 1', 9, 0x7e, 'ZMTP 1 is not supported'],
    ['ZMTP 2', 10, 2, 'announces ZMTP 2'],
    ['another mechanism', 12, 0x43, 'another mechanism at byte 12, expected PLAIN'],
    ['a longer mechanism name', 17, 0x58, 'another mechanism at byte 17'],
  ])('refuses %s as soon as byte %d has arrived', (_name, at, value, message) => {
    const greeting = altered({ [at]: value })
    expect(() => checkGreeting(greeting.subarray(0, at), 'PLAIN')).not.toThrow()
    expect(() => checkGreeting(greeting.subarray(0, at + 1), 'PLAIN')).toThrow(message)
  })
})
