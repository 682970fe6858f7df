/**
 * A response that the browser saves as a file. `text` is read as fast as the client receives it, so the file
 * is never in memory as a whole.
 */
export function textFile(
  name: string,
  type: string,
  text: AsyncGenerator<string, void, undefined>,
): Response {
  return new Response(streamOf(text), {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

const CHUNK = 64 * 1024

function streamOf(text: AsyncGenerator<string, void, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      let chunk = ''
      while (chunk.length < CHUNK) {
        const { done, value } = await text.next()
        if (done) {
          if (chunk !== '') controller.enqueue(encoder.encode(chunk))
          controller.close()
          return
        }
        chunk += value
      }
      controller.enqueue(encoder.encode(chunk))
    },
    async cancel() {
      await text.return()
    },
  })
}
