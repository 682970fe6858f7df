import { writeSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { flushFolder, KIB, MIB, randomBytes } from '../../base/index.ts'

/**
 * Layout of a record, in bytes. Records begin at multiples of 8; numbers are little-endian.
 *
 * | Offset | |
 * |---|---|
 * | 0 | `SVCJ` |
 * | 4 | CRC-32 (ISO-HDLC, as in gzip) of bytes 8 to 23, id and body |
 * | 8 | generation: 8 random bytes, the same in all records since the journal was empty |
 * | 16 | length of the id |
 * | 20 | length of the body |
 * | 24 | 1 = in force, 2 = removed; outside of the checksum, because it changes in place |
 * | 25 | 0 |
 * | 32 | id and body, UTF-8 |
 */
const HEADER = 32
const MARK = Buffer.from('SVCJ')
const IN_FORCE = 1
const REMOVED = 2
const STATE_AT = 24
const ALIGNMENT = 8
const GENERATION_LENGTH = 8
/** Longer ids do not occur; a damaged length may say so. */
const MAX_ID = 4_096
/**
 * Size of a new file. A flush of bytes that the file has and that were written before writes no metadata, and
 * most journals use their first bytes again and again.
 */
const INITIAL_SIZE = 256 * KIB
/** A longer file is shortened when it is empty, or copied when most of it is removed. */
const COMPACT_ABOVE = 8 * MIB
const SCAN_STEP = MIB
/**
 * A shorter record is copied to the page cache immediately, which takes less than a thread needs to begin.
 */
const WRITTEN_AT_ONCE = 64 * KIB

/** Where a record is. */
interface Place {
  offset: number
  idLength: number
  bodyLength: number
}

/** A record that was read from the file. */
interface Found extends Place {
  id: string
  generation: Buffer
  isInForce: boolean
}

/**
 * Texts with ids in one file of constant size. Appending writes once and moves no file, so that a flush
 * costs one operation of the disk. Removing a text changes one byte in place, at the next `settle`; once all
 * are removed, the file is written from its beginning again, under another generation, by which older records
 * behind the new ones are known. Most records are replaced in this way before they are marked as removed.
 */
export class Journal {
  readonly #path: string
  readonly #places = new Map<string, Place>()
  #file: FileHandle
  /** Settles when the entry of the file in its folder is on disk. */
  #created: Promise<void>
  /** Settles when no flush is in progress. */
  #flushes: Promise<unknown> = Promise.resolve()
  #generation = newGeneration()
  /** Offsets of removed records of this generation, or of the last one until this has a record. */
  #unmarked: number[] = []
  /** Where the next record begins. */
  #end = 0
  #size: number

  private constructor(path: string, file: FileHandle, size: number, created: Promise<void>) {
    this.#path = path
    this.#file = file
    this.#size = size
    this.#created = created
  }

  /**
   * Opens the file, or makes it. `incomplete` counts records that a crash cut off or that were damaged; what
   * follows them is found again.
   */
  static async open(path: string): Promise<{ journal: Journal; incomplete: number }> {
    await rm(`${path}.new`, { force: true })
    const exists = (await readdir(dirname(path))).includes(basename(path))
    const file = await open(path, exists ? 'r+' : 'wx+', 0o600)
    const { size } = await file.stat()
    if (size < INITIAL_SIZE) await file.truncate(INITIAL_SIZE)
    const created = exists ? Promise.resolve() : flushFolder(dirname(path))
    created.catch(() => undefined)
    const journal = new Journal(path, file, Math.max(size, INITIAL_SIZE), created)
    return { journal, incomplete: size === 0 ? 0 : await journal.#recover() }
  }

  /** Ids of the texts, oldest first. */
  ids(): string[] {
    return [...this.#places.keys()]
  }

  has(id: string): boolean {
    return this.#places.has(id)
  }

  /** Writes a text behind the last one; it is on disk after a `flush`. @throws the error of the disk. */
  async append(id: string, body: string): Promise<void> {
    await this.#compact()
    const { record, place } = encode(id, body, { generation: this.#generation, offset: this.#end })
    if (record.length <= WRITTEN_AT_ONCE) writeAllSync(this.#file, record, place.offset)
    else await writeAll(this.#file, record, place.offset)
    // From the beginning: the records of the last generation count no longer.
    if (place.offset === 0) this.#unmarked = []
    this.#places.set(id, place)
    this.#end = place.offset + record.length
    this.#size = Math.max(this.#size, this.#end)
  }

  /** Settles when everything that was appended is on disk. @throws the error of the disk. */
  flush(): Promise<void> {
    const flush = this.#created.then(() => this.#file.datasync())
    this.#flushes = Promise.allSettled([this.#flushes, flush])
    return flush
  }

  /** A text, or undefined if there is none of this id or it is damaged. @throws the error of the disk. */
  async read(id: string): Promise<string | undefined> {
    const place = this.#places.get(id)
    if (place === undefined) return undefined
    const found = await this.#recordAt(place.offset)
    return found?.id === id ? found.body.toString('utf8') : undefined
  }

  /**
   * Forgets a text. After a kill before `settle`, or a power failure, it may be there again: whoever receives
   * it twice has to know that.
   */
  remove(id: string): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    this.#places.delete(id)
    this.#unmarked.push(place.offset)
    if (this.#places.size > 0) return
    this.#end = 0
    this.#generation = newGeneration()
  }

  /** Marks removed records in the file, and shortens a long empty one. @throws the error of the disk. */
  async settle(): Promise<void> {
    while (this.#unmarked.length > 0) {
      const offset = this.#unmarked.at(-1) ?? 0
      await writeAll(this.#file, Buffer.of(REMOVED), offset + STATE_AT)
      this.#unmarked.pop()
    }
    if (this.#places.size > 0 || this.#size <= COMPACT_ABOVE) return
    await this.#file.truncate(INITIAL_SIZE)
    this.#size = INITIAL_SIZE
  }

  async close(): Promise<void> {
    // What stays unmarked is sent again.
    await this.settle().catch(() => undefined)
    await this.#flushes
    await this.#file.close()
  }

  /** Copies the texts to another file when they are the smaller part of a long one. */
  async #compact(): Promise<void> {
    if (this.#end <= COMPACT_ABOVE) return
    const used = [...this.#places.values()].reduce((sum, place) => sum + lengthOf(place), 0)
    if (2 * used > this.#end) return
    const path = `${this.#path}.new`
    const file = await open(path, 'w+', 0o600)
    const copy = new Journal(this.#path, file, 0, Promise.resolve())
    try {
      for (const id of this.#places.keys()) {
        const body = await this.read(id)
        if (body === undefined) continue
        const { record, place } = encode(id, body, { generation: copy.#generation, offset: copy.#end })
        await writeAll(file, record, place.offset)
        copy.#places.set(id, place)
        copy.#end += record.length
      }
      await file.sync()
      await rename(path, this.#path)
    } catch (error) {
      await file.close()
      throw error
    }
    await this.#flushes
    await this.#file.close()
    this.#file = file
    this.#created = flushFolder(dirname(this.#path))
    this.#created.catch(() => undefined)
    this.#generation = copy.#generation
    this.#end = copy.#end
    this.#size = copy.#end
    this.#unmarked = []
    this.#places.clear()
    for (const [id, place] of copy.#places) this.#places.set(id, place)
  }

  /** Finds the records of the newest generation; returns how many were incomplete. */
  async #recover(): Promise<number> {
    let incomplete = 0
    let generation: Buffer | undefined
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const found: Found | undefined = await this.#recordAt(offset)
      if (found && (generation === undefined || generation.equals(found.generation))) {
        generation = found.generation
        if (found.isInForce) this.#places.set(found.id, found)
        this.#end = offset + lengthOf(found)
        offset = this.#end
        continue
      }
      const next: number | undefined = await this.#nextAfter(offset, generation)
      if (next !== undefined || (await this.#beginsAt(offset, generation))) incomplete += 1
      offset = next
    }
    if (generation !== undefined && this.#places.size > 0) this.#generation = generation
    else this.#end = 0
    return incomplete
  }

  /** Whether a record of this generation begins here, whole or not. */
  async #beginsAt(offset: number, generation: Buffer | undefined): Promise<boolean> {
    const header = await readAll(this.#file, offset, HEADER)
    if (header.length < HEADER || !header.subarray(0, MARK.length).equals(MARK)) return false
    return generation === undefined || header.subarray(8, 8 + GENERATION_LENGTH).equals(generation)
  }

  /** Where the first whole record behind `offset` begins, of a generation if there is one. */
  async #nextAfter(offset: number, generation: Buffer | undefined): Promise<number | undefined> {
    for (let at = offset + 1; at < this.#size; at += SCAN_STEP) {
      const bytes = await readAll(this.#file, at, SCAN_STEP + MARK.length)
      for (let from = bytes.indexOf(MARK); from >= 0; from = bytes.indexOf(MARK, from + 1)) {
        if ((at + from) % ALIGNMENT !== 0) continue
        const found = await this.#recordAt(at + from)
        if (found && (generation === undefined || generation.equals(found.generation))) return at + from
      }
    }
    return undefined
  }

  async #recordAt(offset: number): Promise<(Found & { body: Buffer }) | undefined> {
    const header = await readAll(this.#file, offset, HEADER)
    if (header.length < HEADER || !header.subarray(0, MARK.length).equals(MARK)) return undefined
    const [idLength, bodyLength] = [header.readUInt32LE(16), header.readUInt32LE(20)]
    if (idLength > MAX_ID || bodyLength > this.#size) return undefined
    const content = await readAll(this.#file, offset + HEADER, idLength + bodyLength)
    const isWhole = content.length === idLength + bodyLength
    if (!isWhole || checksumOf(header, content) !== header.readUInt32LE(4)) return undefined
    return {
      offset,
      idLength,
      bodyLength,
      id: content.toString('utf8', 0, idLength),
      body: content.subarray(idLength),
      generation: header.subarray(8, 8 + GENERATION_LENGTH),
      isInForce: header[STATE_AT] !== REMOVED,
    }
  }
}

function encode(id: string, body: string, { generation, offset }: { generation: Buffer; offset: number }) {
  const place = { offset, idLength: Buffer.byteLength(id), bodyLength: Buffer.byteLength(body) }
  const record = Buffer.alloc(lengthOf(place))
  MARK.copy(record)
  generation.copy(record, 8)
  record.writeUInt32LE(place.idLength, 16)
  record.writeUInt32LE(place.bodyLength, 20)
  record[STATE_AT] = IN_FORCE
  record.write(id, HEADER, 'utf8')
  record.write(body, HEADER + place.idLength, 'utf8')
  const content = record.subarray(HEADER, HEADER + place.idLength + place.bodyLength)
  record.writeUInt32LE(checksumOf(record, content), 4)
  return { record, place }
}

function checksumOf(header: Buffer, content: Buffer): number {
  return crc32(content, crc32(header.subarray(8, STATE_AT)))
}

/** Bytes of a record, up to the beginning of the next. */
function lengthOf({ idLength, bodyLength }: Place): number {
  return Math.ceil((HEADER + idLength + bodyLength) / ALIGNMENT) * ALIGNMENT
}

function newGeneration(): Buffer {
  return Buffer.from(randomBytes(GENERATION_LENGTH))
}

/** As `writeAll`, without leaving this thread. */
function writeAllSync({ fd }: FileHandle, bytes: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, offset + at)
}

/** A write may store fewer bytes than it was given. */
async function writeAll(file: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, offset + at)).bytesWritten
  }
}

/** The bytes at `offset`; fewer at the end of the file. */
async function readAll(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at)
    if (bytesRead === 0) return bytes.subarray(0, at)
    at += bytesRead
  }
  return bytes
}
