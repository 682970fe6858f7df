import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  answerPing,
  encodeCommand,
  encodeHello,
  encodePing,
  encodeProperties,
  encodeRefusal,
  parseCommand,
  parseError,
  parseHandshakeCommand,
  parseHello,
  parseProperties,
} from '../../../../src/protocol/zmtp/framing/command.ts'

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const latin1 = (text: string) => Buffer.from(text, 'latin1')
/** The body of a short frame. */
const bodyOf = (frame: Uint8Array) => frame.subarray(2)

describe('encodeCommand()', () => {
  test('writes the bytes that libzmq sends', () => {
    expect(hexOf(encodeCommand('WELCOME'))).toBe('04080757454c434f4d45')
    expect(hexOf(encodeHello('ab', 'cde'))).toBe('040d0548454c4c4f0261620363646' + '5')
    expect(hexOf(encodePing(15_000))).toBe('04070450494e470096')
  })
})

describe('parseCommand()', () => {
  test('splits name and data', () => {
    expect(parseCommand(latin1('\x04PING\x00\x96'))).toEqual({ name: 'PING', data: latin1('\x00\x96') })
  })

  test.each([
    ['an empty body', '', 'no name'],
    ['an empty name', '\x00abc', 'no name'],
    ['a truncated name', '\x05PING', 'cut short'],
  ])('refuses %s', (_name, body, message) => {
    expect(() => parseCommand(latin1(body))).toThrow(message)
  })
})

describe('parseHandshakeCommand()', () => {
  test("reads both ERROR and libzmq's ^RROR", () => {
    for (const spelling of ['\x05ERROR', '^RROR']) {
      const command = parseHandshakeCommand(latin1(`${spelling}\x03400`))
      expect(command.name).toBe('ERROR')
      expect(parseError(command.data)).toBe('400')
    }
  })
})

describe('encodeRefusal()', () => {
  test('sends the form libzmq understands first and the specified form second', () => {
    expect(Buffer.from(encodeRefusal('400', true)).toString('latin1')).toBe(
      '\x04\x09^RROR\x03400\x04\x0a\x05ERROR\x03400',
    )
    expect(Buffer.from(encodeRefusal('400', false)).toString('latin1')).toBe('\x04\x0a\x05ERROR\x03400')
  })
})

describe('parseError()', () => {
  test.each(['', '\x04400', '\x02400'])('refuses %p, whose length does not match', (data) => {
    expect(() => parseError(latin1(data))).toThrow('ERROR')
  })
})

describe('parseHello()', () => {
  test('returns what encodeHello wrote, up to 255 bytes each', () => {
    const credential = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .filter((text) => Buffer.byteLength(text) <= 255)
    fc.assert(
      fc.property(credential, credential, (user, password) => {
        const frame = encodeHello(user, password)
        const { data } = parseCommand(frame.subarray(frame[0] === 6 ? 9 : 2))
        expect(parseHello(data)).toEqual({ user, password })
      }),
    )
    expect(() => encodeHello('u', 'p'.repeat(255))).not.toThrow()
  })

  test.each(['', '\x00', '\x05ab', '\x01a', '\x01a\x02b', '\x01a\x01bc'])('refuses %p', (data) => {
    expect(() => parseHello(latin1(data))).toThrow('lengths in HELLO')
  })

  test('cannot be given more than 255 bytes', () => {
    expect(() => encodeHello('user', 'x'.repeat(256))).toThrow('The password has 256 bytes, PLAIN allows 255')
  })
})

describe('parseProperties()', () => {
  test('finds values by lower-case name', () => {
    const properties = parseProperties(encodeProperties({ 'Socket-Type': 'PUSH', Identity: '' }), 32)
    expect([...properties]).toEqual([
      ['socket-type', 'PUSH'],
      ['identity', ''],
    ])
  })

  test.each([
    ['a name without a value', '\x01a', 'cut short'],
    ['an empty name', '\x00\x00\x00\x00\x00', 'no name'],
    ['a truncated value', '\x01a\x00\x00\x00\x02b', 'cut short'],
    ['a value of 4 GiB', '\x01a\xff\xff\xff\xffb', 'cut short'],
  ])('refuses %s', (_name, data, message) => {
    expect(() => parseProperties(latin1(data), 32)).toThrow(message)
  })

  test('refuses more properties than allowed', () => {
    const three = encodeProperties({ a: '1', b: '2', c: '3' })
    expect(parseProperties(three, 3).size).toBe(3)
    expect(() => parseProperties(three, 2)).toThrow('more than 2 properties')
  })
})

describe('answerPing()', () => {
  test('repeats the context', () => {
    expect(bodyOf(answerPing(latin1('\x00\x96hello')))).toEqual(latin1('\x04PONGhello'))
    expect(bodyOf(answerPing(latin1('\x00\x96')))).toEqual(latin1('\x04PONG'))
  })

  test('refuses a missing time to live and a context above 16 bytes', () => {
    expect(() => answerPing(latin1('\x00'))).toThrow('time to live')
    expect(() => answerPing(Buffer.alloc(19))).toThrow('has 17 bytes')
  })
})
