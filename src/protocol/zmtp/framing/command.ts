import { COMMAND, encodeFrame } from './frame.ts'
import { WireError } from './wire-error.ts'

/** A command: its name and the data after it. */
export interface Command {
  name: string
  data: Uint8Array
}

/** Metadata of a peer: values by lower-case name (names are case-insensitive on the wire). */
export type Properties = ReadonlyMap<string, string>

/** Longest context a PING may carry, which its PONG repeats (RFC 37 "Heartbeating"). */
const MAX_PING_CONTEXT_BYTES = 16

/**
 * How libzmq's PLAIN mechanism writes "ERROR", and the only form that it accepts there: a C escape (`\x5E`)
 * replaced the length byte and the first letter (zeromq/libzmq, src/plain_common.hpp).
 */
const LIBZMQ_ERROR = Buffer.from('^RROR', 'latin1')

/** The frame of a command. */
export function encodeCommand(name: string, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const head = Buffer.alloc(1 + name.length)
  head[0] = name.length
  head.write(name, 1, 'latin1')
  return encodeFrame(COMMAND, Buffer.concat([head, data]))
}

/** Splits the body of a command frame. @throws WireError when its name is missing or cut short. */
export function parseCommand(body: Uint8Array): Command {
  const length = body[0] ?? 0
  if (length === 0) throw new WireError('a command has no name')
  if (1 + length > body.length) throw new WireError('the name of a command is cut short')
  return { name: textOf(body.subarray(1, 1 + length)), data: body.subarray(1 + length) }
}

/** Like `parseCommand`, but also reads libzmq's misspelt error, which occurs during handshakes only. */
export function parseHandshakeCommand(body: Uint8Array): Command {
  const start = body.subarray(0, LIBZMQ_ERROR.length)
  if (LIBZMQ_ERROR.equals(start)) return { name: 'ERROR', data: body.subarray(LIBZMQ_ERROR.length) }
  return parseCommand(body)
}

/** One byte of length, then the text; at most 255 bytes. */
function shortText(text: string, what: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > 255) throw new RangeError(`${what} has ${bytes.length} bytes, PLAIN allows 255`)
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

/** `HELLO` of the PLAIN mechanism. @throws RangeError when user or password is longer than 255 bytes. */
export function encodeHello(user: string, password: string): Uint8Array {
  return encodeCommand(
    'HELLO',
    Buffer.concat([shortText(user, 'The user'), shortText(password, 'The password')]),
  )
}

/** User and password of a `HELLO`. @throws WireError when the lengths do not add up. */
export function parseHello(data: Uint8Array): { user: string; password: string } {
  const userEnd = 1 + (data[0] ?? data.length)
  const passwordEnd = userEnd + 1 + (data[userEnd] ?? data.length)
  if (passwordEnd !== data.length) throw new WireError('the lengths in HELLO do not match its size')
  return {
    user: Buffer.from(data.subarray(1, userEnd)).toString('utf8'),
    password: Buffer.from(data.subarray(userEnd + 1, passwordEnd)).toString('utf8'),
  }
}

/**
 * Encodes the refusal of a peer during its handshake. In PLAIN the error is sent twice, first in the form of
 * libzmq and then in the form of the specification: libzmq stops at the first, others read the second.
 */
export function encodeRefusal(reason: string, misspelt: boolean): Uint8Array {
  const data = shortText(reason, 'The reason')
  const correct = encodeCommand('ERROR', data)
  if (!misspelt) return correct
  return Buffer.concat([encodeFrame(COMMAND, Buffer.concat([LIBZMQ_ERROR, data])), correct])
}

/** The reason in an `ERROR`; libzmq sends a status code such as `400`. @throws WireError when cut short. */
export function parseError(data: Uint8Array): string {
  if (1 + (data[0] ?? data.length) !== data.length)
    throw new WireError('the length in ERROR does not match its size')
  return textOf(data.subarray(1))
}

/** The metadata of `INITIATE` and `READY`. */
export function encodeProperties(properties: Readonly<Record<string, string>>): Uint8Array {
  const parts = Object.entries(properties).flatMap(([name, value]) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(value, 'latin1'))
    return [shortText(name, 'The property name'), length, Buffer.from(value, 'latin1')]
  })
  return Buffer.concat(parts)
}

/** Reads the metadata of `INITIATE` or `READY`. @throws WireError when cut short or more than `most`. */
export function parseProperties(data: Uint8Array, most: number): Properties {
  const properties = new Map<string, string>()
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let at = 0
  for (let count = 1; at < bytes.length; count++) {
    if (count > most) throw new WireError(`the peer announces more than ${most} properties`)
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    if (nameEnd === at + 1) throw new WireError('a property has no name')
    if (nameEnd + 4 > bytes.length) throw new WireError('a property is cut short')
    const valueEnd = nameEnd + 4 + bytes.readUInt32BE(nameEnd)
    if (valueEnd > bytes.length) throw new WireError('the value of a property is cut short')
    properties.set(
      textOf(bytes.subarray(at + 1, nameEnd)).toLowerCase(),
      textOf(bytes.subarray(nameEnd + 4, valueEnd)),
    )
    at = valueEnd
  }
  return properties
}

/** A `PING` with its time to live: the silence after which the peer may consider this side dead. */
export function encodePing(ttlMs: number): Uint8Array {
  const ttl = Buffer.alloc(2)
  ttl.writeUInt16BE(Math.min(Math.round(ttlMs / 100), 0xffff))
  return encodeCommand('PING', ttl)
}

/**
 * The `PONG` for a `PING` with this data. @throws WireError when the TTL is cut short or the context too
 * long.
 */
export function answerPing(data: Uint8Array): Uint8Array {
  if (data.length < 2) throw new WireError('a PING has no time to live')
  const context = data.subarray(2)
  if (context.length > MAX_PING_CONTEXT_BYTES) {
    throw new WireError(
      `the context of a PING has ${context.length} bytes, at most ${MAX_PING_CONTEXT_BYTES} are allowed`,
    )
  }
  return encodeCommand('PONG', context)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
