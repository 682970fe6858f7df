/** A file that is sent as a download. */
interface Download {
  path: string
  /** Name that the client stores it under. */
  name: string
  bytes: number
  /** Time of the last change, ms since the epoch. */
  at: number
  type: string
}

/**
 * Sends a file, or the part that the `Range` header asks for, straight from the disk. A range that `If-Range`
 * excludes, or that has several parts, gets the whole file.
 */
export function fileResponse({ headers: asked }: Request, file: Download): Response {
  const etag = `"${file.bytes.toString(36)}-${Math.floor(file.at).toString(36)}"`
  const headers = {
    'content-type': file.type,
    'content-disposition': `attachment; filename="${file.name}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    etag,
  }
  const isSame = [null, etag].includes(asked.get('if-range'))
  const range = isSame ? readRange(asked.get('range'), file.bytes) : undefined
  if (range === undefined) return new Response(Bun.file(file.path), { headers })
  if (range === 'beyond') {
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${file.bytes}` },
    })
  }
  const { from, to } = range
  return new Response(Bun.file(file.path).slice(from, to + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${file.bytes}` },
  })
}

/** Positions of the first and the last byte; undefined for the whole file. */
function readRange(text: string | null, bytes: number): { from: number; to: number } | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < from) return undefined
  return from >= bytes ? 'beyond' : { from, to }
}
