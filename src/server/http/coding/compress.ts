import { once } from 'node:events'
import { promisify } from 'node:util'
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib'
import { KIB } from '../../../base/index.ts'
import type { Coding } from './accept-encoding.ts'

/**
 * Smaller bodies, such as those of most jobs, arrive within the same round trip anyway: compressing one takes
 * an eighth of the time of its request.
 */
export const MIN_COMPRESSED_BYTES = 4 * KIB
/** Larger bodies are compressed in a thread, which costs more than compressing 100 KB of JSON here. */
const MAX_INLINE_BYTES = {
  /** 0.1 ms for JSON, 0.5 ms for random text. */
  zstd: 256 * KIB,
  /** 0.1 ms for JSON, 1 ms for random text. */
  gzip: 64 * KIB,
} as const

/** The fastest levels: slower ones make JSON up to a third smaller, in three to five times the time. */
const LEVEL = 1
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }
const GZIP = { level: LEVEL } as const

const [gzipInThread, zstdInThread] = [promisify(gzip), promisify(zstdCompress)]

/** Compresses a whole body, a large one in a thread. */
export function compress(
  body: string | Uint8Array<ArrayBuffer>,
  coding: Coding,
): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  if (Buffer.byteLength(body) > MAX_INLINE_BYTES[coding]) {
    return compressInThread(typeof body === 'string' ? Buffer.from(body) : body, coding)
  }
  return new Uint8Array(
    coding === 'zstd' ? Bun.zstdCompressSync(body, { level: LEVEL }) : Bun.gzipSync(body, GZIP),
  )
}

async function compressInThread(body: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  return coding === 'zstd'
    ? new Uint8Array(await zstdInThread(body, ZSTD))
    : new Uint8Array(await gzipInThread(body, GZIP))
}

/** Sends each chunk immediately, instead of when a block is full. */
const FLUSHED = {
  zstd: { ...ZSTD, flush: constants.ZSTD_e_flush },
  gzip: { ...GZIP, flush: constants.Z_SYNC_FLUSH },
}

/**
 * Compresses a stream chunk by chunk as fast as it is read; the work is done in a thread. With `isFlushed`,
 * clients can decode each chunk as soon as it has arrived, which costs some bytes per chunk.
 */
export function compressStream(
  body: ReadableStream<Uint8Array>,
  coding: Coding,
  { isFlushed = false } = {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const stream =
    coding === 'zstd'
      ? createZstdCompress(isFlushed ? FLUSHED.zstd : ZSTD)
      : createGzip(isFlushed ? FLUSHED.gzip : GZIP)
  const write = promisify((chunk: Uint8Array, done: (error?: Error | null) => void) =>
    stream.write(chunk, done),
  )
  const ready: Uint8Array[] = []
  stream.on('data', (bytes: Uint8Array) => ready.push(bytes))
  // Each failure rejects the call that it concerns.
  stream.on('error', () => undefined)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) await Promise.all([once(stream, 'end'), stream.end()])
          else await write(value)
          const bytes = Buffer.concat(ready.splice(0))
          if (bytes.byteLength > 0) controller.enqueue(bytes)
          if (done) return controller.close()
          if (bytes.byteLength > 0) return
        }
      },
      async cancel(reason) {
        stream.destroy()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
