import type { Checksum, LogPosition } from './log-file.ts'

/** The last commit that was stored in a log, and the time it covers. */
export interface Mark extends LogPosition {
  /** Time of the first commit in the log, in ms since the epoch. */
  since: number
  /** Time of the last one. */
  at: number
}

export const MARK_BYTES = 76
/** `svcmark1`; the digit is the version of the format. */
const MAGIC = 0x7376_636d_6172_6b31n

/** Encodes the marks of one database, all into the same bytes. */
export function createMarkEncoder(): (mark: Mark) => Uint8Array {
  const encoded = encodeNoMark()
  const bytes = new DataView(encoded.buffer)
  return (mark) => {
    bytes.setUint32(8, mark.frame)
    bytes.setUint32(12, mark.pageSize)
    bytes.setBigUint64(16, mark.salt)
    setChecksum(bytes, 24, mark.before)
    setChecksum(bytes, 32, mark.checksum)
    bytes.setUint32(40, mark.page)
    bytes.setUint32(44, mark.pages)
    bytes.setFloat64(48, mark.since)
    bytes.setFloat64(56, mark.at)
    bytes.setBigUint64(MARK_BYTES - 8, hashOf(bytes))
    return encoded
  }
}

/** Stands for a log without commits; as long as a mark. */
export function encodeNoMark(): Uint8Array<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer(MARK_BYTES))
  bytes.setBigUint64(0, MAGIC)
  bytes.setBigUint64(MARK_BYTES - 8, hashOf(bytes))
  return new Uint8Array(bytes.buffer)
}

/** The mark in a file; undefined for a log without commits, `damaged` for any other content. */
export function decodeMark(file: Uint8Array): Mark | undefined | 'damaged' {
  const bytes = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.byteLength !== MARK_BYTES || bytes.getBigUint64(0) !== MAGIC) return 'damaged'
  if (bytes.getBigUint64(MARK_BYTES - 8) !== hashOf(bytes)) return 'damaged'
  const frame = bytes.getUint32(8)
  if (frame === 0) return undefined
  return {
    frame,
    pageSize: bytes.getUint32(12),
    salt: bytes.getBigUint64(16),
    before: [bytes.getUint32(24), bytes.getUint32(28)],
    checksum: [bytes.getUint32(32), bytes.getUint32(36)],
    page: bytes.getUint32(40),
    pages: bytes.getUint32(44),
    since: bytes.getFloat64(48),
    at: bytes.getFloat64(56),
  }
}

function setChecksum(bytes: DataView, at: number, [first, second]: Checksum): void {
  bytes.setUint32(at, first)
  bytes.setUint32(at + 4, second)
}

function hashOf(bytes: DataView): bigint {
  return Bun.hash.xxHash64(new Uint8Array(bytes.buffer, bytes.byteOffset, MARK_BYTES - 8))
}
