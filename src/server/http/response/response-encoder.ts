import { type Clock, isObject, KIB, TimeSlice } from '../../../base/index.ts'
import { type Database, encodeParts, StoredJson } from '../../../db/index.ts'
import { COUNTS } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'
import { type Coding, chooseCoding } from '../coding/accept-encoding.ts'
import { compress, compressStream, MIN_COMPRESSED_BYTES } from '../coding/compress.ts'
import { MemoryBudget, RESPONSE_MEMORY } from '../limits/memory-budget.ts'
import { CHUNK_BYTES, StoredChunks } from './stored-chunks.ts'
import { FILE_IDLE_SECONDS, nextLines, type TextFile } from './text-file.ts'

type Part = string | StoredJson

/** Responses up to this size are encoded and sent in one piece. */
const MAX_WHOLE_BYTES = 512 * KIB
/** The records of larger lists are encoded one by one, in several turns if they take long. */
const MAX_WHOLE_RECORDS = 100
const MAX_ENCODE_MS = 4
/** A chunk that is being sent, and one that waits for the client. */
const SHARE_BYTES = 2 * CHUNK_BYTES

/** Several large responses together take a quarter of the event loop; a single one may take half. */
const PAUSES_WHILE_WAITED = 3

/** Status and headers of a response. */
interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Who receives a response, and how. */
interface Receiver {
  /** Account, or address of a guest: has a part of the memory, and takes turns with the others. */
  readonly caller: string
  readonly request: Request
}

/**
 * Encodes the bodies of responses. A large one is sent in chunks that are read and encoded when the client
 * has received the ones before, so that it takes neither long turns nor memory in proportion to its size.
 * Callers take turns, and after each chunk other requests run for at least the time that the chunk took,
 * three times that while more chunks wait.
 */
export class ResponseEncoder {
  readonly #db: Database
  readonly #clock: Clock
  readonly #memory: MemoryBudget
  readonly #turns = new Places(COUNTS.encodedChunks)
  /** Chunks that wait for their turn. */
  #waiting = 0

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#memory = new MemoryBudget(clock, RESPONSE_MEMORY)
  }

  /**
   * A JSON response.
   * @throws AppError `unavailable` (`too_many_large_responses`) as `MemoryBudget.take` does.
   */
  encode(body: unknown, head: Head, receiver: Receiver): Response | Promise<Response> {
    if (hasLongList(body)) return this.#encodeLarge(partsOf(body), head, receiver)
    const parts = encodeParts(body)
    const [text = ''] = parts
    const isSmall = parts.length < 2 && typeof text === 'string' && text.length <= MAX_WHOLE_BYTES
    return isSmall
      ? textResponse(text, head, receiver.request)
      : this.#encodeLarge(parts.values(), head, receiver)
  }

  async #encodeLarge(
    parts: Iterator<Part> & Iterable<Part>,
    head: Head,
    { caller, request }: Receiver,
  ): Promise<Response> {
    const slice = new TimeSlice(this.#clock, MAX_ENCODE_MS)
    const first: Part[] = []
    let bytes = 0
    let isEnd = false
    while (bytes <= MAX_WHOLE_BYTES && (first.length === 0 || !slice.isOver)) {
      const { value, done } = parts.next()
      if (done) {
        isEnd = true
        break
      }
      first.push(value)
      bytes += typeof value === 'string' ? value.length : value.bytes
    }
    if (isEnd && first.every((part) => typeof part === 'string'))
      return textResponse(first.join(''), head, request)
    if (request.method === 'HEAD') return new Response(null, encodedWith(undefined, head))
    const chunks = new StoredChunks(followedBy(first, parts), () => this.#clock.monotonic())
    if (isEnd && bytes <= MAX_WHOLE_BYTES) {
      return wholeResponse(await this.#readAll(chunks), head, codingFor(request))
    }
    const release = await this.#memory.take(caller, SHARE_BYTES, request.signal)
    const coding = codingFor(request)
    const next = () => this.#inTurn(caller, () => this.#db.read((tx) => chunks.read(tx)))
    const body = streamOf(next, request.signal, release)
    return new Response(coding ? compressStream(body, coding) : body, encodedWith(coding, head))
  }

  /**
   * A file of any length. The only way to send one: its lines are written in turns, as other large responses,
   * and its pages are read by other processes.
   * @throws what reading the first pages does; AppError `unavailable` as `encode` does.
   */
  async file(
    file: TextFile,
    { caller, request }: Receiver,
    { setIdleTimeout }: { setIdleTimeout(seconds: number): void },
  ): Promise<Response> {
    setIdleTimeout(FILE_IDLE_SECONDS)
    const head = { status: 200, headers: file.headers }
    const chunks = this.#chunksOf(file, caller)
    const first: Uint8Array[] = []
    let bytes = 0
    while (bytes <= MAX_WHOLE_BYTES) {
      const { done, value } = await chunks.next()
      if (done) return wholeResponse(Buffer.concat(first), head, codingFor(request))
      first.push(value)
      bytes += value.byteLength
    }
    if (request.method === 'HEAD') {
      await chunks.return()
      return new Response(null, encodedWith(undefined, head))
    }
    const release = await this.#memory.take(caller, SHARE_BYTES, request.signal).catch(async (error) => {
      await chunks.return()
      throw error
    })
    const next = async () => first.shift() ?? (await chunks.next()).value ?? undefined
    const coding = codingFor(request)
    const body = streamOf(next, request.signal, () => {
      release()
      void chunks.return()
    })
    return new Response(coding ? compressStream(body, coding) : body, encodedWith(coding, head))
  }

  async *#chunksOf({ pages }: TextFile, caller: string): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const page of pages) {
      if (page instanceof Uint8Array) {
        if (page.byteLength > 0) yield page
        continue
      }
      const lines = page[Symbol.iterator]()
      const write = async () => {
        const slice = new TimeSlice(this.#clock, MAX_ENCODE_MS)
        return nextLines(lines, { bytes: CHUNK_BYTES, isLate: () => slice.isOver })
      }
      for (let chunk = await this.#inTurn(caller, write); chunk; chunk = await this.#inTurn(caller, write))
        yield chunk
    }
  }

  #readAll(chunks: StoredChunks): Promise<Uint8Array<ArrayBuffer>> {
    return this.#db.read((tx) => {
      const all: Uint8Array[] = []
      for (let chunk = chunks.read(tx); chunk; chunk = chunks.read(tx)) all.push(chunk)
      return Buffer.concat(all)
    })
  }

  /**
   * Runs `work` alone; afterwards other requests run as long as it took, or longer while responses wait: a
   * chunk of a large value takes 4 ms, whatever its length, because SQLite reads the value up to its end.
   */
  #inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting += 1
    void this.#turns.run(async () => {
      this.#waiting -= 1
      const slice = new TimeSlice(this.#clock, MAX_ENCODE_MS)
      await work().then(resolve, reject)
      await slice.next(this.#waiting > 0 ? PAUSES_WHILE_WAITED : 1)
    }, caller)
    return promise
  }
}

/** A body that is read as fast as the client receives it; `release` is called once, when nobody reads on. */
function streamOf(
  next: () => Promise<Uint8Array | undefined>,
  signal: AbortSignal,
  release: () => void,
): ReadableStream<Uint8Array> {
  let isOpen = true
  const end = () => {
    if (isOpen) release()
    isOpen = false
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const chunk = isOpen ? await next() : undefined
          if (chunk) return controller.enqueue(chunk)
          controller.close()
          end()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

/** A body as a whole, compressed if it is worth it and the client asks for it. */
function textResponse(text: string, head: Head, request: Request): Response | Promise<Response> {
  return text.length > MIN_COMPRESSED_BYTES
    ? wholeResponse(text, head, codingFor(request))
    : new Response(text, head)
}

function wholeResponse(
  body: string | Uint8Array<ArrayBuffer>,
  head: Head,
  coding: Coding | undefined,
): Response | Promise<Response> {
  const encoded = encodedWith(coding, head)
  if (!coding) return new Response(body, encoded)
  const compressed = compress(body, coding)
  if (!(compressed instanceof Promise)) return new Response(compressed, encoded)
  return compressed.then((bytes) => new Response(bytes, encoded))
}

function codingFor({ headers, method }: Request): Coding | undefined {
  return method === 'HEAD' ? undefined : chooseCoding(headers.get('accept-encoding'))
}

/** The head of a body that is compressed for clients that ask for it. */
function encodedWith(coding: Coding | undefined, { status, headers }: Head): Head {
  const vary = { ...headers, vary: 'Accept-Encoding' }
  return { status, headers: coding ? { ...vary, 'content-encoding': coding } : vary }
}

function* followedBy(first: readonly Part[], rest: Iterable<Part>): Generator<Part, undefined, undefined> {
  yield* first
  yield* rest
  return undefined
}

/** The JSON text of a body in parts; the records of its long list are encoded when their part is read. */
function* partsOf(body: LongBody): Generator<Part, undefined, undefined> {
  if (isLong(body)) yield* listParts(body)
  else {
    let separator = '{'
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      if (name === 'items' && isLong(value)) yield* listParts(value)
      else yield* encodeParts(value)
      separator = ','
    }
    yield '}'
  }
  return undefined
}

function* listParts(items: readonly unknown[]): Generator<Part> {
  let separator = '['
  for (const item of items) {
    const [first = '', ...others] = encodeParts(item ?? null)
    if (first instanceof StoredJson) yield* [separator, first]
    else yield separator + first
    yield* others
    separator = ','
  }
  yield ']'
}

/** A list of many records, or a page of them. */
type LongBody = readonly unknown[] | Readonly<Record<string, unknown>>

function hasLongList(body: unknown): body is LongBody {
  return isLong(body) || (isObject(body) && isLong(body['items']))
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > MAX_WHOLE_RECORDS
}
