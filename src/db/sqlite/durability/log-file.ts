import { closeSync, openSync, readSync } from 'node:fs'

/**
 * The write-ahead log of SQLite as a file, https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a
 * header, then frames, each a header and a page. Every frame repeats the salt of the log and continues the
 * checksum of the frame before it.
 */

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The format whose checksums are little-endian, as all supported processors write it. */
const MAGIC = 0x377f0682

/** The write and the read version of a database that has no log. */
const ROLLBACK_VERSIONS = 0x0101

/** A running checksum of SQLite: two 32-bit sums. */
export type Checksum = readonly [first: number, second: number]

/** The place of one frame in the log. */
export interface LogPosition {
  pageSize: number
  /** Identifies the log; SQLite changes it when it starts the log again from its beginning. */
  salt: bigint
  /** Number of the frame, from 1. */
  frame: number
  /** The page whose content the frame holds, from 1, and the size of the database after it in pages. */
  page: number
  pages: number
  /** Checksums of the log up to the frame before this one and up to this one. */
  before: Checksum
  checksum: Checksum
}

/** The state of a log file. */
export type LogState =
  | { kind: 'missing' | 'empty' | 'headless' }
  /** `frames` is the number of frames in sequence that are intact. */
  | { kind: 'log'; salt: bigint; frames: number; checksum: Checksum }

/** Continues `checksum` by the words of `bytes`, whose length is a multiple of 8. */
function continueChecksum([first, second]: Checksum, bytes: DataView): Checksum {
  let [one, two] = [first, second]
  for (let at = 0; at < bytes.byteLength; at += 8) {
    one = (one + bytes.getUint32(at, true) + two) >>> 0
    two = (two + bytes.getUint32(at + 4, true) + one) >>> 0
  }
  return [one, two]
}

/** Reads the log at `path` up to frame `upTo` or to the first one that is not intact. */
export function readLog(path: string, upTo: number): LogState {
  const file = openIfExists(path)
  if (file === undefined) return { kind: 'missing' }
  try {
    const header = readAt(file, 0, HEADER_BYTES)
    if (header.byteLength === 0) return { kind: 'empty' }
    const first = checksumOfHeader(header)
    if (first === undefined) return { kind: 'headless' }
    return { kind: 'log', salt: header.getBigUint64(16), ...intactFrames(file, header, { first, upTo }) }
  } finally {
    closeSync(file)
  }
}

/** The checksum in an intact header; undefined for any other content. */
function checksumOfHeader(header: DataView): Checksum | undefined {
  if (header.byteLength < HEADER_BYTES || header.getUint32(0) !== MAGIC) return undefined
  const checksum = continueChecksum([0, 0], part(header, 0, 24))
  return isEqual(checksum, checksumAt(header, 24)) ? checksum : undefined
}

function intactFrames(file: number, header: DataView, { first, upTo }: { first: Checksum; upTo: number }) {
  const pageSize = header.getUint32(8)
  const bytes = FRAME_HEADER_BYTES + pageSize
  let [frames, checksum] = [0, first]
  while (frames < upTo) {
    const frame = readAt(file, HEADER_BYTES + frames * bytes, bytes)
    if (frame.byteLength < bytes || frame.getBigUint64(8) !== header.getBigUint64(16)) break
    const next = checksumOfFrame(checksum, part(frame, 0, 8), part(frame, FRAME_HEADER_BYTES, pageSize))
    if (!isEqual(next, checksumAt(frame, 16))) break
    checksum = next
    frames += 1
  }
  return { frames, checksum }
}

function checksumOfFrame(before: Checksum, pageNumbers: DataView, page: DataView): Checksum {
  return continueChecksum(continueChecksum(before, pageNumbers), page)
}

/** Whether the database at `path` holds the page of `position` with the content of that frame. */
export function isInDatabase(
  path: string,
  { pageSize, page, pages, before, checksum }: LogPosition,
): boolean {
  const file = openIfExists(path)
  if (file === undefined) return false
  try {
    const content = readAt(file, (page - 1) * pageSize, pageSize)
    if (content.byteLength < pageSize) return false
    const pageNumbers = new DataView(new ArrayBuffer(8))
    pageNumbers.setUint32(0, page)
    pageNumbers.setUint32(4, pages)
    return isEqual(checksumOfFrame(before, pageNumbers, content), checksum)
  } finally {
    closeSync(file)
  }
}

/**
 * Whether the database at `path` has never been opened by a server: backups are written without a log, and a
 * server changes both versions in the header in one step.
 */
export function isFreshCopy(path: string): boolean {
  const file = openIfExists(path)
  if (file === undefined) return false
  try {
    const versions = readAt(file, 18, 2)
    return versions.byteLength === 2 && versions.getUint16(0) === ROLLBACK_VERSIONS
  } finally {
    closeSync(file)
  }
}

/**
 * Reads places in the open log `file`: the returned function gives that of a frame, or undefined when the
 * file does not hold it.
 */
export function openPositions(file: number, pageSize: number): (frame: number) => LogPosition | undefined {
  // One read for the checksums that precede the page before a frame, that page, and the frame's header. The
  // checksums of a frame and of the log's header are the last 8 bytes of their headers.
  const bytes = new Uint8Array(8 + pageSize + FRAME_HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  return (frame) => {
    const end = HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageSize) + FRAME_HEADER_BYTES
    const length = frame === 1 ? 8 + FRAME_HEADER_BYTES : bytes.byteLength
    if (readSync(file, bytes, 0, length, end - length) < length) return undefined
    const header = length - FRAME_HEADER_BYTES
    return {
      pageSize,
      salt: view.getBigUint64(header + 8),
      frame,
      page: view.getUint32(header),
      pages: view.getUint32(header + 4),
      before: checksumAt(view, 0),
      checksum: checksumAt(view, header + 16),
    }
  }
}

/** Whether two checksums are the same. */
export function isEqual(one: Checksum, other: Checksum): boolean {
  return one[0] === other[0] && one[1] === other[1]
}

function checksumAt(bytes: DataView, at: number): Checksum {
  return [bytes.getUint32(at), bytes.getUint32(at + 4)]
}

function part(bytes: DataView, at: number, length: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, length)
}

/** Fewer bytes at the end of the file. */
function readAt(file: number, at: number, length: number): DataView {
  const bytes = new Uint8Array(length)
  return new DataView(bytes.buffer, 0, readSync(file, bytes, 0, length, at))
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
