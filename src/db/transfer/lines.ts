import { closeSync, openSync, readSync } from 'node:fs'
import { AppError, MIB, reasonOf } from '../../base/index.ts'

const CHUNK_BYTES = MIB
/** Twice the size of a job with the largest payload and results. */
const MAX_LINE_BYTES = 128 * MIB
const LINE_FEED = 10

/** One line of a file, without its line end. `number` counts from 1. */
export interface Line {
  number: number
  text: string
}

/**
 * The non-empty lines of a UTF-8 file. Reads synchronously, because a transaction cannot wait, with one line
 * in memory at a time.
 * @throws AppError `invalid` when the file cannot be read, is not UTF-8 or has a line of more than 128 MiB.
 */
export function* readLines(path: string): Generator<Line, void, undefined> {
  let parts: Buffer[] = []
  let length = 0
  let number = 1
  for (const { bytes, isEnd } of pieces(path)) {
    length += bytes.length
    if (length > MAX_LINE_BYTES) throw refused(path, `line ${number} has more than 128 MiB`)
    parts.push(bytes)
    if (!isEnd) continue
    yield* textOf(path, number, parts)
    number += 1
    parts = []
    length = 0
  }
}

/** The file in pieces of at most one chunk; `isEnd` marks the end of a line. */
function* pieces(path: string): Generator<{ bytes: Buffer; isEnd: boolean }, void, undefined> {
  const file = opened(path)
  const buffer = Buffer.alloc(CHUNK_BYTES)
  try {
    for (;;) {
      const chunk = Buffer.from(buffer.subarray(0, readSync(file, buffer)))
      if (chunk.length === 0) break
      let start = 0
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        yield { bytes: chunk.subarray(start, end), isEnd: true }
        start = end + 1
      }
      yield { bytes: chunk.subarray(start), isEnd: false }
    }
    yield { bytes: Buffer.alloc(0), isEnd: true }
  } catch (cause) {
    throw cause instanceof AppError
      ? cause
      : new AppError('invalid', `Cannot read ${path}: ${reasonOf(cause)}`, { cause })
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new AppError('invalid', `Cannot read ${path}: ${reasonOf(cause)}`, { cause })
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function* textOf(path: string, number: number, parts: readonly Buffer[]): Generator<Line, void, undefined> {
  let text: string
  try {
    text = decoder.decode(Buffer.concat(parts)).trim()
  } catch {
    throw refused(path, `line ${number} is not valid UTF-8`)
  }
  if (text !== '') yield { number, text }
}

function refused(path: string, reason: string): AppError {
  return new AppError('invalid', `${path}: ${reason}; nothing was imported`)
}
