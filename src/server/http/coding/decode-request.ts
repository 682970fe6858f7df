import { Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { AppError, MIB } from '../../../base/index.ts'
import { CODINGS, type Coding } from './accept-encoding.ts'

/** Largest window that a zstd body may ask the server to keep (RFC 9659), as a power of 2: 8 MiB. */
const MAX_WINDOW_LOG = 23
/** A decoded body above this size counts against the memory for large bodies, as one sent without coding. */
const UNCOUNTED_BYTES = MIB

/**
 * The request with its body decompressed as it is read: a reader that stops at its limit stops the
 * decompression there. `reserve` is awaited once, before the body grows beyond 1 MiB; without it the body
 * stays as it is.
 * @throws AppError `unsupported_coding` for other codings than zstd and gzip, and for several. Reading the
 *   body throws `invalid` for bytes that are not in the coding.
 */
export function decodeRequest(request: Request, reserve?: () => Promise<void>): Request {
  if (!reserve) return request
  const coding = codingOf(request.headers.get('content-encoding') ?? '')
  if (coding === undefined || !request.body) return request
  const headers = new Headers(request.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  const { method, signal, url } = request
  return new Request(url, { method, headers, signal, body: streamOf(decoded(request.body, coding, reserve)) })
}

function codingOf(header: string): Coding | undefined {
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const coding = CODINGS.find((each) => each === name || (each === 'gzip' && name === 'x-gzip'))
  if (coding) return coding
  const accepted = CODINGS.join(' or ')
  throw new AppError(
    'unsupported_coding',
    `The body has the Content-Encoding ${name.slice(0, 100)}; send it with ${accepted}, or without`,
  )
}

function streamOf(chunks: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* decoded(
  body: ReadableStream<Uint8Array>,
  coding: Coding,
  reserve: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(body)
  const decoder =
    coding === 'gzip'
      ? createGunzip()
      : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } })
  source.on('error', (error) => decoder.destroy(error))
  let bytes = 0
  let isReserved = false
  try {
    for await (const chunk of source.pipe(decoder) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > UNCOUNTED_BYTES && !isReserved) {
        isReserved = true
        await reserve()
      }
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid', `body: not valid ${coding}`, { cause })
  } finally {
    source.destroy()
    decoder.destroy()
  }
}
