import { until } from '../until.ts'

/** One event as received over the wire. */
export interface ReceivedEvent {
  id: string
  event: string
  data: unknown
}

/** A client of server-sent events that reads the stream according to the standard (HTML, section 9.2). */
export class EventSourceClient implements AsyncDisposable {
  readonly status: number
  readonly headers: Headers
  readonly events: ReceivedEvent[] = []
  /** Comment lines seen. */
  comments = 0
  /** The server has ended the stream. */
  isOver = false
  readonly #abort: AbortController
  readonly #body: ReadableStream<Uint8Array> | null

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#body = response.body
    this.#abort = abort
    void this.#read()
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventSourceClient> {
    const abort = new AbortController()
    const response = await fetch(url, { headers, signal: abort.signal })
    return new EventSourceClient(response, abort)
  }

  /** The id that the first event gives. */
  async clientId(): Promise<string> {
    return until('PB_CONNECT', () => this.events[0]?.id)
  }

  /** The data of the events with this name. */
  of(event: string): unknown[] {
    return this.events.filter((each) => each.event === event).map((each) => each.data)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of this.#body ?? []) {
        rest += decoder.decode(chunk, { stream: true })
        const blocks = rest.split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      }
    } catch {
      // Aborted by the test, or cut by the server: both are the end.
    }
    this.isOver = true
  }

  #take(block: string): void {
    const fields = { id: '', event: 'message', data: '' }
    for (const line of block.split('\n')) {
      const [, name, value] = /^([a-z]*): ?(.*)$/.exec(line) ?? []
      if (name === '') this.comments += 1
      if (name === 'id' || name === 'event' || name === 'data') fields[name] = value ?? ''
    }
    if (fields.data !== '') this.events.push({ ...fields, data: JSON.parse(fields.data) })
  }
}
