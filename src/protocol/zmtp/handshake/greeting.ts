import { WireError } from '../framing/wire-error.ts'

/** PLAIN: user and password; NULL: no authentication, for tests only. */
export type Mechanism = 'PLAIN' | 'NULL'

/** Bytes of the greeting both sides send together (ZMTP 3.1, RFC 37 "Greeting"). */
export const GREETING_BYTES = 64

const VERSION_AT = 10
const MECHANISM_AT = 12
const MECHANISM_BYTES = 20
const AS_SERVER_AT = 32

/** Our greeting: signature, version 3.1, mechanism zero-padded to 20 bytes, as-server flag, zeros. */
export function encodeGreeting(mechanism: Mechanism, asServer: boolean): Uint8Array {
  const greeting = Buffer.alloc(GREETING_BYTES)
  greeting[0] = 0xff
  greeting[8] = 0x01
  greeting[9] = 0x7f
  greeting[VERSION_AT] = 3
  greeting[VERSION_AT + 1] = 1
  greeting.write(mechanism, MECHANISM_AT, 'latin1')
  greeting[AS_SERVER_AT] = asServer ? 1 : 0
  return greeting
}

/**
 * Checks the received part of a peer's greeting, so that a foreign protocol is rejected at its first wrong
 * byte. The padding of the signature, the minor version, as-server and the filler are ignored: libzmq sets
 * them freely.
 * @throws WireError with the position of the byte, its value and the expected value.
 */
export function checkGreeting(received: Uint8Array, mechanism: Mechanism): void {
  const [first] = received
  if (first !== undefined && first !== 0xff) {
    throw new WireError(`greeting byte 0 is ${hex(first)}, expected 0xff: not a ZMTP peer`)
  }
  const last = received[9]
  if (last !== undefined && (last & 1) === 0) {
    throw new WireError(`greeting byte 9 is ${hex(last)}, expected 0x7f: ZMTP 1 is not supported`)
  }
  const major = received[VERSION_AT]
  if (major !== undefined && major < 3) {
    throw new WireError(`greeting announces ZMTP ${major}, expected 3 or later`)
  }
  const expected = Buffer.alloc(MECHANISM_BYTES)
  expected.write(mechanism, 'latin1')
  const end = Math.min(received.length, MECHANISM_AT + MECHANISM_BYTES)
  for (let at = MECHANISM_AT; at < end; at++) {
    if (received[at] !== expected[at - MECHANISM_AT]) {
      throw new WireError(`greeting names another mechanism at byte ${at}, expected ${mechanism}`)
    }
  }
}

function hex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`
}
