import { isTemporary, sleep } from './repetition.ts'
import { type Change, changesOf } from './stream.ts'
import type { Transport } from './transport.ts'

/** One page of records. */
export interface RecordPage<T> {
  readonly page: number
  readonly perPage: number
  readonly totalItems: number
  readonly totalPages: number
  readonly items: readonly T[]
}

/** Which records, in which order, with what. */
export interface ListOptions {
  readonly page?: number
  /** Instead of `page`: the id of the last record of the page before. No totals are counted then. */
  readonly after?: string
  readonly perPage?: number
  readonly filter?: string
  readonly sort?: string
  readonly expand?: string
  readonly fields?: string
  /** Does not count all records, which is slow for large collections. */
  readonly skipTotal?: boolean
  readonly signal?: AbortSignal
}

/** Records of one collection, for those who may see them. */
export class Collection<T extends object> {
  readonly #transport: Transport
  readonly #name: string

  constructor(transport: Transport, name: string) {
    this.#transport = transport
    this.#name = name
  }

  /** One page of records. @throws InvalidRequestError for a filter or a field that the collection lacks. */
  list({ signal, ...query }: ListOptions = {}): Promise<RecordPage<T>> {
    return this.#transport.request('GET', this.#path(), { query, signal })
  }

  /** One record. @throws NotFoundError. */
  get(id: string, { signal, ...query }: Pick<ListOptions, 'expand' | 'fields' | 'signal'> = {}): Promise<T> {
    return this.#transport.request('GET', this.#path(id), { query, signal })
  }

  /** Creates a record. @throws InvalidRequestError with the invalid fields. */
  create(body: Partial<T>): Promise<T> {
    return this.#transport.request('POST', this.#path(), { body })
  }

  /** Changes the given fields of a record. */
  update(id: string, body: Partial<T>): Promise<T> {
    return this.#transport.request('PATCH', this.#path(id), { body })
  }

  /** Deletes a record. @throws NotFoundError. */
  async delete(id: string): Promise<void> {
    await this.#transport.request('DELETE', this.#path(id))
  }

  /**
   * Yields changes of records, of one (`id`) or all. `undefined` comes at the start and after each
   * interruption: what has changed before is not reported, so read again then.
   */
  async *subscribe(
    id = '*',
    { filter, expand, fields, signal = new AbortController().signal }: Omit<ListOptions, 'page'> = {},
  ): AsyncGenerator<Change | undefined, void, undefined> {
    const options = encodeURIComponent(JSON.stringify({ query: { filter, expand, fields } }))
    const plain = `${this.#name}/${id}`
    const topic = (filter ?? expand ?? fields) ? `${plain}?options=${options}` : plain
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        for await (const change of changesOf(this.#transport, [topic], signal)) {
          failures = 0
          yield change
        }
      } catch (error) {
        if (!signal.aborted && !isTemporary(error) && !isLostStream(error)) throw error
      }
      await sleep(Math.random() * Math.min(10_000, 500 * 2 ** failures), signal).catch(() => {})
    }
  }

  #path(id?: string): string {
    const records = `/api/collections/${encodeURIComponent(this.#name)}/records`
    return id === undefined ? records : `${records}/${encodeURIComponent(id)}`
  }
}

/** Reading a stream fails with an error of the runtime. */
function isLostStream(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && !('status' in error))
}
