import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  COMMAND,
  encodeFrame,
  FrameDecoder,
  type FrameHeader,
  MORE,
} from '../../../../src/protocol/zmtp/framing/frame.ts'

function decodeAll(chunks: Uint8Array[]) {
  const decoder = new FrameDecoder(() => undefined)
  const frames: { command: boolean; more: boolean; body: string }[] = []
  for (const chunk of chunks) {
    decoder.push(chunk)
    for (let frame = decoder.next(); frame; frame = decoder.next()) {
      frames.push({ ...frame, body: Buffer.from(frame.body).toString('hex') })
    }
  }
  return { frames, left: decoder.available }
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('encodeFrame()', () => {
  test.each([
    ['an empty message', 0, Buffer.alloc(0), '0000'],
    ['a part of a message', MORE, Buffer.from('ab'), '01026162'],
    ['a command', COMMAND, Buffer.from('ab'), '04026162'],
    ['255 bytes', 0, Buffer.alloc(255, 1), `00ff${'01'.repeat(255)}`],
    ['256 bytes', 0, Buffer.alloc(256, 1), `020000000000000100${'01'.repeat(256)}`],
  ])('writes %s', (_name, flags, body, hex) => {
    expect(hexOf(encodeFrame(flags, body))).toBe(hex)
  })
})

describe('FrameDecoder', () => {
  const stream = Buffer.concat([
    encodeFrame(COMMAND, Buffer.from('\x05READY')),
    encodeFrame(MORE, Buffer.alloc(0)),
    encodeFrame(0, Buffer.alloc(300, 7)),
    encodeFrame(0, Buffer.from('end')),
  ])
  const whole = decodeAll([stream])

  test('reads a stream that arrives in one piece', () => {
    expect(whole.frames.map((frame) => [frame.command, frame.more, frame.body.length / 2])).toEqual([
      [true, false, 6],
      [false, true, 0],
      [false, false, 300],
      [false, false, 3],
    ])
    expect(whole.left).toBe(0)
  })

  test('returns the same frames wherever the stream is cut', () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(decodeAll([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(whole)
    }
  })

  test('returns the same frames for single bytes', () => {
    expect(decodeAll(Array.from(stream, (byte) => Buffer.of(byte)))).toEqual(whole)
  })

  test('returns any frames in any chunks', () => {
    const frame = fc.record({
      more: fc.boolean(),
      body: fc.oneof(
        fc.uint8Array({ maxLength: 600 }),
        fc.nat(40_000).map((size) => new Uint8Array(size).fill(size)),
      ),
    })
    const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), sizes, (frames, cuts) => {
        const bytes = Buffer.concat(frames.map((each) => encodeFrame(each.more ? MORE : 0, each.body)))
        const chunks: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1
          chunks.push(Buffer.from(bytes.subarray(at, at + size)))
          at += size
        }
        expect(decodeAll(chunks)).toEqual({
          frames: frames.map(({ more, body }) => ({ command: false, more, body: hexOf(body) })),
          left: 0,
        })
      }),
      { numRuns: 60 },
    )
  })

  test('stores single bytes of a large frame together instead of as a list', () => {
    const decoder = new FrameDecoder(() => undefined)
    const frame = encodeFrame(0, Buffer.alloc(20_000, 3))
    for (const byte of frame) decoder.push(Buffer.of(byte))
    expect(hexOf(decoder.next()?.body ?? Buffer.alloc(0))).toBe('03'.repeat(20_000))
  })

  test('joins the parts of a large frame while they arrive, and keeps what follows it', () => {
    const body = Buffer.from(Uint8Array.from({ length: 2_500_000 }, (_, index) => index % 251))
    const sizes = [1, 400_000, 1_000, 900_000, 3, 1_100_000]
    const bytes = Buffer.concat([
      encodeFrame(0, Buffer.from('before')),
      encodeFrame(MORE, body),
      encodeFrame(0, body.subarray(1)),
      encodeFrame(0, Buffer.from('after')),
    ])
    const decoder = new FrameDecoder(() => undefined)
    const bodies: Buffer[] = []
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const chunk = Buffer.from(bytes.subarray(at, at + (sizes[turn % sizes.length] ?? 1)))
      at += chunk.length
      decoder.push(chunk)
      for (let frame = decoder.next(); frame; frame = decoder.next()) bodies.push(Buffer.from(frame.body))
    }
    expect(decoder.available).toBe(0)
    expect(bodies.map((each) => Bun.hash(each))).toEqual(
      [Buffer.from('before'), body, body.subarray(1), Buffer.from('after')].map((each) => Bun.hash(each)),
    )
  })

  test('copies a part of a large frame when it arrives, not at the end of the frame', () => {
    const body = Buffer.alloc(2_000_000, 7)
    const [first, second] = [encodeFrame(0, body).subarray(0, 500_000), Buffer.alloc(1_000_000, 7)]
    const decoder = new FrameDecoder(() => undefined)
    for (const part of [first, second]) {
      decoder.push(part)
      expect(decoder.next()).toBeUndefined()
      part.fill(0)
    }
    decoder.push(Buffer.alloc(500_009, 7))
    expect(Buffer.from(decoder.next()?.body ?? '').equals(body)).toBe(true)
  })

  test('does not let later small chunks change bytes that were returned', () => {
    const decoder = new FrameDecoder(() => undefined)
    for (const byte of encodeFrame(0, Buffer.from('first'))) decoder.push(Buffer.of(byte))
    const body = decoder.next()?.body ?? Buffer.alloc(0)
    for (const byte of encodeFrame(0, Buffer.from('other'))) decoder.push(Buffer.of(byte))
    expect(Buffer.from(body).toString()).toBe('first')
    expect(Buffer.from(decoder.next()?.body ?? '').toString()).toBe('other')
  })

  test.each([
    ['reserved bits', '0800', 'reserved bits'],
    ['the highest bit', '8000', 'reserved bits'],
    ['a command with more frames', '0500', 'command frame announces more'],
    ['2^63 bytes', '028000000000000000', '4 GiB or more'],
    ['4 GiB', '020000000100000000', '4 GiB or more'],
  ])('refuses a header with %s', (_name, hex, message) => {
    const decoder = new FrameDecoder(() => undefined)
    decoder.push(Buffer.from(hex, 'hex'))
    expect(() => decoder.next()).toThrow(message)
  })

  test('passes a header to its check once, before the body arrives', () => {
    const headers: FrameHeader[] = []
    const decoder = new FrameDecoder((header) => headers.push(header))
    decoder.push(Buffer.from('020000000004000000', 'hex'))
    expect(decoder.next()).toBeUndefined()
    decoder.push(Buffer.alloc(10))
    expect(decoder.next()).toBeUndefined()
    expect(headers).toEqual([{ command: false, more: false, length: 0x4000000, size: 9 }])
  })
})
