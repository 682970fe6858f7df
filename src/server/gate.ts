import { newId } from '../base/index.ts'
import type { App } from './http/app.ts'
import { problem } from './http/response/error-response.ts'

/** Seconds after which a client may try again. */
const RETRY_AFTER_SECONDS = 2

/**
 * Passes requests on to the application; without one, because the database is being replaced,
 * responds to them itself. The ports stay open meanwhile, so that no client finds a closed port.
 */
export class Gate {
  #app: App | undefined
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  readonly handle: App = (request, server) => this.#app?.(request, server) ?? this.#refuse()

  open(app: App): void {
    this.#app = app
  }

  close(): void {
    this.#app = undefined
  }

  #refuse(): Response {
    const message = 'The database is being replaced by a backup; try again in a few seconds'
    return Response.json(problem(503, 'restoring', message, newId(this.#now())), {
      status: 503,
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS), 'cache-control': 'no-store' },
    })
  }
}
