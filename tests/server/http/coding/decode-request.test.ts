import { describe, expect, test } from 'bun:test'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { BODIES } from '../../../../src/server/admission/limits.ts'
import { decodeRequest } from '../../../../src/server/http/coding/decode-request.ts'
import { readBytes } from '../../../../src/server/http/request/read-bytes.ts'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

const MIB = 1024 * 1024

async function post(server: TestServer, token: string, body: Uint8Array, coding: string, path = '/api/jobs') {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'content-encoding': coding },
    body: new Uint8Array(body),
  })
  const { code = '', ...rest } = (await response.json()) as Record<string, unknown>
  return { status: response.status, code, body: rest, headers: response.headers }
}

const job = (circuit = BELL) => JSON.stringify({ circuit, shots: 10 })

/** Reads a body that was sent with a coding; counts the shares of memory that it asked for. */
async function read(body: Uint8Array, coding: string, maxBytes: number) {
  let reserved = 0
  const request = new Request('http://test', {
    ...{ method: 'POST', headers: { 'content-encoding': coding }, body: new Uint8Array(body) },
  })
  const decoded = decodeRequest(request, async () => {
    reserved += 1
  })
  const outcome = await readBytes(decoded, maxBytes).then(
    ({ byteLength }) => byteLength,
    ({ code }: { code: string }) => code,
  )
  return [outcome, reserved]
}

describe('bodies with a coding', () => {
  test('a job may be sent with gzip or zstd, small and large', async () => {
    await using server = await openTestServer()
    await server.createQpu()
    const { token } = await server.createUser({ qpuSeconds: 10 })
    const large = job(`${BELL}// ${'x'.repeat(2 * MIB)}`)
    for (const [coding, encode] of Object.entries({
      gzip: gzipSync,
      zstd: zstdCompressSync,
      'x-gzip': gzipSync,
    })) {
      for (const text of [job(), large]) {
        expect([coding, (await post(server, token, encode(text), coding)).status]).toEqual([coding, 201])
      }
    }
    expect((await post(server, token, Buffer.from(job()), 'identity')).status).toBe(201)
  })

  test('the limits of the route count after decompression, which stops at them', async () => {
    await using server = await openTestServer()
    const { token } = await server.createUser({ qpuSeconds: 10 })
    for (const encode of [gzipSync, zstdCompressSync]) {
      const coding = encode === gzipSync ? 'gzip' : 'zstd'
      const bomb = encode(Buffer.alloc(BODIES.job.of({ kind: 'user' }) + 1, ' '))
      expect(bomb.byteLength).toBeLessThan(BODIES.job.of({ kind: 'user' }) / 500)
      expect(await post(server, token, bomb, coding)).toMatchObject({ status: 413, code: 'too_large' })
      const login = '/api/collections/users/auth-with-password'
      const guest = await post(server, '', encode(Buffer.alloc(257 * 1024, ' ')), coding, login)
      expect(guest).toMatchObject({ status: 413, code: 'too_large' })
    }
  })

  test('another coding, and several, are refused with 415 and the codings that are supported', async () => {
    await using server = await openTestServer()
    const { token } = await server.createUser()
    for (const coding of ['br', 'deflate', 'gzip, gzip', 'gzip;q=1']) {
      const { status, code, headers } = await post(server, token, Buffer.from(job()), coding)
      expect([coding, status, code]).toEqual([coding, 415, 'unsupported_coding'])
      expect(headers.get('accept-encoding')).toBe('zstd, gzip')
    }
  })

  test('bytes that are not in the coding, or end too early, are refused with 400', async () => {
    await using server = await openTestServer()
    const { token } = await server.createUser()
    for (const [coding, body] of [
      ['gzip', Buffer.from(job())],
      ['zstd', Buffer.from(job())],
      ['gzip', gzipSync(job('x'.repeat(10_000))).subarray(0, 40)],
    ] as const) {
      expect(await post(server, token, body, coding)).toMatchObject({ status: 400, code: 'invalid' })
    }
  })
})

describe('decodeRequest()', () => {
  test('asks for a share of the memory once, and only for a body above 1 MiB', async () => {
    expect(await read(gzipSync(Buffer.alloc(MIB)), 'gzip', 16 * MIB)).toEqual([MIB, 0])
    expect(await read(gzipSync(Buffer.alloc(5 * MIB)), 'gzip', 16 * MIB)).toEqual([5 * MIB, 1])
  })

  test('a bomb ends at the limit, not at its own size', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(64 * MIB))
    // A thousand of them one after the other would be 64 GB.
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => bomb))
    expect(await read(many, 'zstd', 2 * MIB)).toEqual(['too_large', 1])
  })

  test('a window of more than 8 MiB is refused', async () => {
    const text = Buffer.alloc(16 * MIB, 'abc')
    const compress = (log: number) =>
      zstdCompressSync(text, {
        params: { [constants.ZSTD_c_windowLog]: log, [constants.ZSTD_c_contentSizeFlag]: 0 },
      })
    expect(await read(compress(23), 'zstd', 16 * MIB)).toEqual([16 * MIB, 1])
    expect(await read(compress(24), 'zstd', 16 * MIB)).toEqual(['invalid', 0])
  })
})
