import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  FrameError,
  FrameReader,
  MAX_FRAME_BYTES,
  type Message,
  writeFrame,
} from '../../../src/devices/python-worker/frames.ts'

/** The messages in `bytes`, which arrive in pieces of the given sizes. */
function readAll(bytes: Uint8Array, sizes: readonly number[]): Message[] {
  const reader = new FrameReader()
  const messages: Message[] = []
  let at = 0
  for (const size of [...sizes, bytes.length]) {
    messages.push(...reader.push(bytes.subarray(at, at + size)))
    at += size
  }
  return messages
}

const message = fc.record({ m: fc.string(), value: fc.jsonValue() }, { requiredKeys: ['m', 'value'] })

test('FrameReader reads what writeFrame() writes, in whatever pieces it arrives', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }),
      (messages, sizes) => {
        const sent = messages.map((each) => JSON.parse(JSON.stringify(each)))
        expect(readAll(Buffer.concat(messages.map(writeFrame)), sizes)).toEqual(sent)
      },
    ),
  )
})

test('FrameReader refuses everything else with a FrameError, and never waits for more than 64 MiB', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const reader = new FrameReader()
      try {
        for (const { m } of reader.push(bytes)) expect(typeof m).toBe('string')
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError)
      }
    }),
  )
  const head = Buffer.alloc(4)
  head.writeUInt32BE(MAX_FRAME_BYTES + 1)
  expect(() => new FrameReader().push(head)).toThrow(
    'a frame of 67108865 bytes; at most 67108864 are allowed',
  )
})

test.each([
  ['[]', 'a frame is not a message: it has no m'],
  ['{"m":1}', 'a frame is not a message: it has no m'],
  ['{', 'a frame is not JSON: '],
])('FrameReader refuses %s', (body, reason) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  expect(() => new FrameReader().push(Buffer.concat([head, Buffer.from(body)]))).toThrow(reason)
})
