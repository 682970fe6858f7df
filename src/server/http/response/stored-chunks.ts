import { AppError, MIB } from '../../../base/index.ts'
import { type JsonText, readSlice, readStored, type SqlReader, type StoredJson } from '../../../db/index.ts'

/** Bytes that are read and sent in one piece: with a value of 9 MB, 4 ms. */
export const CHUNK_BYTES = MIB
/** Records are encoded without a pause for this time, in ms. */
const MAX_ENCODE_MS = 4

/** A value that is being sent. */
interface OpenValue {
  readonly value: StoredJson
  readonly sent: number
  /** Version of the first slice: later slices must belong to the same value. */
  readonly version: number
  readonly total: number
}

/** The body of a response as bytes, chunk by chunk, from texts and values in the database. */
export class StoredChunks {
  readonly #parts: Iterator<string | StoredJson>
  readonly #now: () => number
  #open: OpenValue | undefined
  /** A part that did not fit into the last chunk. */
  #next: StoredJson | undefined

  /** `now`: monotonic time in ms. */
  constructor(parts: Iterator<string | StoredJson>, now: () => number) {
    this.#parts = parts
    this.#now = now
  }

  /**
   * The next chunk; undefined at the end.
   * @throws AppError `unavailable` when a value was removed or replaced after its record was read.
   */
  read(sql: SqlReader): Uint8Array | undefined {
    if (this.#open) return this.#continue(sql, this.#open)
    const end = this.#now() + MAX_ENCODE_MS
    const pieces: Uint8Array[] = []
    let bytes = 0
    // Even when the process was suspended for longer than that: no chunk means the end of the body.
    while (bytes === 0 || (bytes < CHUNK_BYTES && this.#now() <= end)) {
      const piece = this.#nextPiece(sql, bytes)
      if (!piece) break
      pieces.push(piece)
      bytes += piece.byteLength
      if (this.#open) break
    }
    if (bytes === 0) return undefined
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }

  /** The next piece of a chunk that has `bytes` so far; undefined when it does not fit, and at the end. */
  #nextPiece(sql: SqlReader, bytes: number): Uint8Array | undefined {
    const part = this.#next ?? this.#parts.next().value
    this.#next = undefined
    if (part === undefined) return undefined
    if (typeof part === 'string') return Buffer.from(part)
    if (bytes === 0 || bytes + part.bytes <= CHUNK_BYTES) return this.#begin(sql, part)
    this.#next = part
    return undefined
  }

  #begin(sql: SqlReader, value: StoredJson): Uint8Array {
    const slice = readSlice(sql, value, { from: 0, length: CHUNK_BYTES })
    // A null in its place would say that the record never had a value.
    if (slice?.total !== value.bytes) throw changed(value)
    const { bytes, version, total } = slice
    const sent = bytes.byteLength
    this.#open = sent < total ? { value, sent, version, total } : undefined
    return bytes
  }

  #continue(sql: SqlReader, { value, sent, version, total }: OpenValue): Uint8Array {
    const slice = readSlice(sql, value, { from: sent, length: CHUNK_BYTES })
    if (slice?.version !== version || slice.total !== total) throw changed(value)
    const end = sent + slice.bytes.byteLength
    this.#open = end < total ? { value, sent: end, version, total } : undefined
    return slice.bytes
  }
}

/**
 * All of a value.
 * @throws AppError `unavailable` when it was removed or replaced after its record was read.
 */
export function readValue(sql: SqlReader, value: StoredJson): JsonText {
  const text = readStored(sql, value)
  if (!text) throw changed(value)
  return text
}

function changed({ field, record }: StoredJson): AppError {
  return new AppError('unavailable', `${field} of ${record} changed while it was sent`, {
    reason: 'changed_while_sent',
    retryAfter: 1,
  })
}
