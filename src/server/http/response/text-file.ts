/**
 * A part of a text file: bytes that a reader process has written, or lines that are written while they are
 * read, as many at a time as the event loop may take.
 */
export type FilePage = Uint8Array | Iterable<string>

/** A text that the client stores as a file, of any length. */
export class TextFile {
  readonly name: string
  /** Media type with its parameters. */
  readonly type: string
  /**
   * The text, read as fast as the client receives it. What takes long is read by a reader process: only the
   * lines of a page are written here.
   */
  readonly pages: AsyncGenerator<FilePage, void, undefined>

  constructor(name: string, type: string, pages: AsyncGenerator<FilePage, void, undefined>) {
    this.name = name
    this.type = type
    this.pages = pages
  }

  get headers(): Readonly<Record<string, string>> {
    return {
      'content-type': this.type,
      'content-disposition': `attachment; filename="${this.name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    }
  }
}

/** A download without progress for this time in s is aborted. */
export const FILE_IDLE_SECONDS = 120

/** The next lines as one text: about `bytes` long, or as many as are written until `isLate` says so. */
export function nextLines(
  lines: Iterator<string>,
  { bytes, isLate }: { bytes: number; isLate: () => boolean },
): Uint8Array | undefined {
  let text = ''
  while (text.length < bytes && (text === '' || !isLate())) {
    const { done, value } = lines.next()
    if (done) break
    text += value
  }
  return text === '' ? undefined : Buffer.from(text)
}
