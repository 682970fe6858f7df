import { expect, test } from 'bun:test'
import { BODY_LIMITS } from '../../../../src/server/http/limits/json-shape.ts'
import { readJsonBody } from '../../../../src/server/http/request/json-body.ts'
import { readBytes } from '../../../../src/server/http/request/read-bytes.ts'

const MIB = 1024 * 1024
const LIMITS = BODY_LIMITS.user

/** A request whose body arrives in these pieces. */
function chunked(...chunks: Uint8Array<ArrayBuffer>[]): Request {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', body })
}

test('readJsonBody() reads a large body in pieces, also when one ends within a character', async () => {
  const value = { program: 'é☃'.repeat(500_000) }
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const pieces = Array.from({ length: 40 }, (_, at) => bytes.slice(at * 64_001, (at + 1) * 64_001))
  expect(await readJsonBody(chunked(...pieces), 16 * MIB, LIMITS)).toEqual(value)
})

test('readJsonBody() reads a large body that fills its memory exactly, whether its length is announced', async () => {
  const value = ['x'.repeat(MIB)]
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  for (const headers of [{ 'content-length': String(bytes.length) }, {}]) {
    for (const pieces of [[bytes.slice()], [bytes.slice(0, 600_000), bytes.slice(600_000)]]) {
      const { body } = chunked(...pieces)
      const request = new Request('http://localhost/', { method: 'POST', body, headers })
      expect(await readJsonBody(request, bytes.length, LIMITS)).toEqual(value)
    }
  }
})

test('readJsonBody() does not touch memory that a piece shares with others', async () => {
  const memory = new TextEncoder().encode('{"a":1}   other')
  expect(await readJsonBody(chunked(memory.subarray(0, 7)), MIB, LIMITS)).toEqual({ a: 1 })
  expect(new TextDecoder().decode(memory)).toBe('{"a":1}   other')
})

test('readBytes() returns a body of one or more pieces', async () => {
  const piece = (text: string) => new TextEncoder().encode(text)
  expect(Buffer.from(await readBytes(chunked(piece('one')), MIB)).toString()).toBe('one')
  expect(Buffer.from(await readBytes(chunked(piece('one'), piece('two')), MIB)).toString()).toBe('onetwo')
})

test('readJsonBody() refuses a large body beyond the limits, and reads the next one', async () => {
  const text = (value: unknown) => chunked(new TextEncoder().encode(JSON.stringify(value)))
  const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key${at}`, at]))
  const large = 'x'.repeat(MIB)
  const [many, bad, good] = await Promise.allSettled([
    readJsonBody(text([large, keys]), 16 * MIB, LIMITS),
    readJsonBody(chunked(new TextEncoder().encode(`["${large}",`)), 16 * MIB, LIMITS),
    readJsonBody(text([large]), 16 * MIB, LIMITS),
  ])
  expect(many).toMatchObject({ reason: { code: 'invalid', message: expect.stringContaining('1000 keys') } })
  expect(bad).toMatchObject({ reason: { code: 'invalid', message: expect.stringContaining('malformed') } })
  expect(good).toEqual({ status: 'fulfilled', value: [large] })
})
