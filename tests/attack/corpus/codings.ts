import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Attack, defineAttacks } from '../attack.ts'

const MIB = 1024 * 1024
/** Bytes that each bomb expands to: far more than any limit. */
const BOMB_BYTES = 256 * MIB
const LOGIN = '/api/collections/users/auth-with-password'

interface CodedAttack {
  name: string
  input: string
  cap: string
  who?: 'guest' | 'user'
  coding: string
  path?: string
  expect?: readonly number[]
  body: () => Uint8Array
}

function coded({
  name,
  input,
  cap,
  who = 'user',
  coding,
  path = '/api/jobs',
  expect = [413, 503],
  body,
}: CodedAttack): Attack {
  return {
    ...{ name, who, input, cap, width: 4, expect: [...expect, 429] },
    prepare(target) {
      const bytes = body()
      const token = who === 'user' ? target.seeded.attackers[0]?.token : undefined
      return () => target.send({ path, body: bytes, token, headers: { 'content-encoding': coding } })
    },
  }
}

const spaces = (bytes: number) => Buffer.alloc(bytes, ' ')

/** Bodies that become large when they are decompressed, and responses that have to be compressed. */
export const codings = defineAttacks([
  coded({
    name: 'body-gzip-bomb',
    input: 'a gzip body of 256 KiB that expands to 256 MiB',
    cap: '16 MiB after decompression',
    coding: 'gzip',
    body: () => gzipSync(spaces(BOMB_BYTES)),
  }),
  coded({
    name: 'body-zstd-bomb',
    input: 'a zstd body of 8 MiB that expands to 256 GB',
    cap: '16 MiB after decompression',
    coding: 'zstd',
    body: () => {
      const bomb = zstdCompressSync(spaces(BOMB_BYTES))
      return Buffer.concat(Array.from({ length: Math.floor((8 * MIB) / bomb.byteLength) }, () => bomb))
    },
  }),
  coded({
    name: 'body-gzip-bomb-login',
    input: 'the same, as a login',
    cap: '256 KiB after decompression',
    who: 'guest',
    coding: 'gzip',
    path: LOGIN,
    body: () => gzipSync(spaces(BOMB_BYTES)),
  }),
  coded({
    name: 'body-zstd-window',
    input: 'a zstd body with a window of 128 MiB',
    cap: 'a window of 8 MiB',
    coding: 'zstd',
    expect: [400, 503],
    body: () =>
      zstdCompressSync(spaces(64 * MIB), {
        params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
      }),
  }),
  coded({
    name: 'body-coding-unknown',
    input: 'a body of 1 MiB with the Content-Encoding br',
    cap: 'zstd and gzip',
    coding: 'br',
    expect: [415],
    body: () => spaces(MIB),
  }),
  {
    name: 'responses-compressed',
    who: 'user',
    input: '8 results of 8 MiB at the same time with Accept-Encoding: gzip',
    cap: 'compressed in a thread, chunk by chunk',
    width: 8,
    expect: [200, 429, 503],
    prepare: (target) => () => {
      const path = `/api/jobs/${target.seeded.largeResults[0]}`
      const token = target.seeded.attackers[0]?.token
      return target.send({ path, token, headers: { 'accept-encoding': 'gzip' } })
    },
  },
])
