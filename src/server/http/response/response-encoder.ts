import type { Clock } from '../../../base/index.ts'
import { type Database, encodeParts, StoredJson } from '../../../db/index.ts'
import { FairQueue } from '../../programs/fair-queue.ts'
import { MemoryBudget, RESPONSE_MEMORY } from '../limits/memory-budget.ts'
import { CHUNK_BYTES, StoredChunks } from './stored-chunks.ts'

type Part = string | StoredJson

/** Responses up to this size are encoded and sent at once. */
const MAX_WHOLE_BYTES = 512 * 1024
/** The records of larger lists are encoded one by one, in several turns if they take long. */
const MAX_WHOLE_RECORDS = 100
const MAX_ENCODE_MS = 4
/** A chunk that is being sent, and one that waits for the client. */
const SHARE_BYTES = 2 * CHUNK_BYTES

/** Who receives a response, and how. */
interface Receiver {
  /** Account, or address of a guest: has a part of the memory, and takes turns with the others. */
  readonly caller: string
  readonly request: Request
}

/**
 * Encodes the bodies of responses. A large one is sent in chunks that are read and encoded when the client
 * has received the ones before, so that it takes neither long turns nor memory in proportion to its size.
 * Callers take turns, and after each chunk other requests run for at least the time that the chunk took.
 */
export class ResponseEncoder {
  readonly #db: Database
  readonly #clock: Clock
  readonly #memory: MemoryBudget
  readonly #queue = new FairQueue()

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#memory = new MemoryBudget(clock, RESPONSE_MEMORY)
  }

  /**
   * A JSON response.
   * @throws AppError `unavailable` (`too_many_large_responses`) as `MemoryBudget.take` does.
   */
  async encode(body: unknown, init: ResponseInit, { caller, request }: Receiver): Promise<Response> {
    const parts = partsOf(body)
    const end = this.#clock.monotonic() + MAX_ENCODE_MS
    const first: Part[] = []
    let bytes = 0
    let isEnd = false
    while (bytes <= MAX_WHOLE_BYTES && (first.length === 0 || this.#clock.monotonic() <= end)) {
      const { value, done } = parts.next()
      if (done) {
        isEnd = true
        break
      }
      first.push(value)
      bytes += typeof value === 'string' ? value.length : value.bytes
    }
    if (isEnd && first.every((part) => typeof part === 'string')) return new Response(first.join(''), init)
    if (request.method === 'HEAD') return new Response(null, init)
    const chunks = new StoredChunks(followedBy(first, parts), () => this.#clock.monotonic())
    if (isEnd && bytes <= MAX_WHOLE_BYTES) return new Response(await this.#readAll(chunks), init)
    const release = await this.#memory.take(caller, SHARE_BYTES, request.signal)
    return new Response(this.#stream(chunks, caller, request.signal, release), init)
  }

  #readAll(chunks: StoredChunks): Promise<Blob> {
    return this.#db.read((tx) => {
      const all: Uint8Array<ArrayBuffer>[] = []
      for (let chunk = chunks.read(tx); chunk; chunk = chunks.read(tx)) all.push(new Uint8Array(chunk))
      return new Blob(all)
    })
  }

  #stream(
    chunks: StoredChunks,
    caller: string,
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
            const chunk = isOpen
              ? await this.#inTurn(caller, () => this.#db.read((tx) => chunks.read(tx)))
              : undefined
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

  /** Runs `work` alone; afterwards other requests run as long as it took. */
  #inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    void this.#queue.run(caller, async () => {
      const began = this.#clock.monotonic()
      await work().then(resolve, reject)
      const elapsed = Math.ceil(this.#clock.monotonic() - began)
      if (elapsed > 0) await this.#clock.sleep(elapsed)
      else await new Promise<void>((next) => setImmediate(next))
    })
    return promise
  }
}

function* followedBy(first: readonly Part[], rest: Iterable<Part>): Generator<Part, undefined, undefined> {
  yield* first
  yield* rest
  return undefined
}

/** The JSON text of a body in parts; the records of a long list are encoded when their part is read. */
function* partsOf(body: unknown): Generator<Part, undefined, undefined> {
  if (isLong(body)) yield* listParts(body)
  else if (isObject(body) && isLong(body['items'])) {
    let separator = '{'
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      if (name === 'items' && isLong(value)) yield* listParts(value)
      else yield* encodeParts(value)
      separator = ','
    }
    yield '}'
  } else yield* encodeParts(body)
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

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > MAX_WHOLE_RECORDS
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
