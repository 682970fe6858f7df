interface ChangeEvent {
  record?: { id: string; status: string }
}

/** A client that receives every change of a job as a browser does, through `GET /api/realtime`. */
export class Listener {
  readonly #waiting = new Map<string, (at: number) => void>()
  readonly #ended = new Map<string, number>()
  readonly #closing = new AbortController()

  /** Opens a stream and subscribes to all jobs. Resolves when the subscription is active. */
  static async open(url: string, token: string): Promise<Listener> {
    const listener = new Listener()
    const { signal } = listener.#closing
    const stream = await fetch(`${url}/api/realtime`, { headers: { authorization: token }, signal })
    if (!stream.ok || !stream.body) throw new Error(`the stream returned ${stream.status}`)
    const clientId = Promise.withResolvers<string>()
    void listener.#read(stream.body, clientId.resolve).catch(() => undefined)
    const response = await fetch(`${url}/api/realtime`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: await clientId.promise, subscriptions: ['quantum_jobs/*'] }),
    })
    if (response.status !== 204)
      throw new Error(`the subscription returned ${response.status}: ${await response.text()}`)
    return listener
  }

  /**
   * Waits until the stream reports that the job is completed. Returns the time of arrival by
   * `performance.now()`.
   */
  completed(id: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const at = this.#ended.get(id)
    if (at === undefined) this.#waiting.set(id, resolve)
    else resolve(at)
    return promise
  }

  close(): void {
    this.#closing.abort()
  }

  async #read(stream: ReadableStream<Uint8Array>, onClientId: (id: string) => void): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of stream) {
      const now = performance.now()
      rest += decoder.decode(chunk, { stream: true })
      const events = rest.split('\n\n')
      rest = events.pop() ?? ''
      for (const text of events) {
        const data = /^data:(.*)$/m.exec(text)?.[1]
        if (data === undefined) continue
        const event: ChangeEvent & { clientId?: string } = JSON.parse(data)
        if (event.clientId !== undefined) onClientId(event.clientId)
        if (event.record?.status === 'completed') this.#note(event.record.id, now)
      }
    }
  }

  #note(id: string, at: number): void {
    this.#ended.set(id, at)
    this.#waiting.get(id)?.(at)
    this.#waiting.delete(id)
  }
}
