import { type RunningWorker, startWorker, type WorkerEntry } from './worker.ts'

interface RequestThreadOptions<Request> {
  /** What the thread does, as in `The thread that parses large bodies ended`. */
  readonly task: string
  /** Sent first to each thread that starts; gets no response. */
  readonly opening?: Request
}

/**
 * A thread that handles requests one after another and gives each one response, in their order. It starts
 * with the first request and does not keep the process alive. When it fails, all requests that it has are
 * rejected, and the next one starts another thread.
 */
export class RequestThread<Request, Response> {
  readonly #entry: WorkerEntry<Request, Response>
  readonly #options: RequestThreadOptions<Request>
  #worker: RunningWorker<Request> | undefined
  /** In the order of the requests; the thread handles the first. */
  #pending: PromiseWithResolvers<Response>[] = []
  #stopReason: Error | undefined

  constructor(entry: WorkerEntry<Request, Response>, options: RequestThreadOptions<Request>) {
    this.#entry = entry
    this.#options = options
  }

  /** Number of requests without a response. */
  get pending(): number {
    return this.#pending.length
  }

  /**
   * The response to a request. The memory of `moved` moves to the thread and must not be used again. Rejects
   * when the thread ends before, and with the reason given to `restart` or `stop`.
   */
  request(message: Request, moved?: readonly ArrayBuffer[]): Promise<Response> {
    if (this.#stopReason) return Promise.reject(this.#stopReason)
    this.#worker ??= this.#start()
    this.#worker.send(message, moved)
    const response = Promise.withResolvers<Response>()
    this.#pending.push(response)
    return response.promise
  }

  /** Ends the thread immediately, whatever it does; the next request starts another one. */
  restart(reason: Error): void {
    this.#worker?.terminate()
    this.#end(reason)
  }

  /** Ends the thread; all requests, also later ones, are rejected. Safe to call twice. */
  stop(reason: Error): void {
    this.#stopReason ??= reason
    this.restart(reason)
  }

  #start(): RunningWorker<Request> {
    const { task, opening } = this.#options
    const worker = startWorker(this.#entry, {
      onResponse: (response) => this.#pending.shift()?.resolve(response),
      onEnd: (error) =>
        this.#end(new Error(`The thread that ${task} ended${error ? `: ${error.message}` : ''}`)),
    })
    if (opening !== undefined) worker.send(opening)
    return worker
  }

  #end(reason: Error): void {
    const pending = this.#pending
    this.#worker = undefined
    this.#pending = []
    for (const { reject } of pending) reject(reason)
  }
}
