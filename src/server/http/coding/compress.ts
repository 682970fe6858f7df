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

/** Compresses a body that is read chunk by chunk; the work is done in a thread. */
class Compressor {
  readonly #stream: ReturnType<typeof createGzip> | ReturnType<typeof createZstdCompress>
  #ready: Uint8Array[] = []

  constructor(coding: Coding) {
    this.#stream = coding === 'zstd' ? createZstdCompress(ZSTD) : createGzip(GZIP)
    this.#stream.on('data', (bytes: Uint8Array) => this.#ready.push(bytes))
    // Each failure rejects the call that it concerns.
    this.#stream.on('error', () => undefined)
  }

  /** Adds a chunk; returns what is ready to be sent, possibly nothing. */
  async push(chunk: Uint8Array): Promise<Uint8Array> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
    return this.#take()
  }

  /** The rest of the compressed body, once all chunks were added. */
  async end(): Promise<Uint8Array> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.once('end', resolve).once('error', reject)
      this.#stream.end()
    })
    return this.#take()
  }

  /** Frees the memory of a body that is not sent to its end. */
  close(): void {
    this.#stream.destroy()
  }

  #take(): Uint8Array {
    const ready = this.#ready
    this.#ready = []
    return ready.length === 1 && ready[0] ? ready[0] : Buffer.concat(ready)
  }
}

/** Compresses a stream chunk by chunk as fast as it is read. */
export function compressStream(body: ReadableStream<Uint8Array>, coding: Coding): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const compressor = new Compressor(coding)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          const bytes = done ? await compressor.end() : await compressor.push(value)
          if (bytes.byteLength > 0) controller.enqueue(bytes)
          if (done) return controller.close()
          if (bytes.byteLength > 0) return
        }
      },
      async cancel(reason) {
        compressor.close()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
