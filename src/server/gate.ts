import { newId } from '../base/index.ts'
import type { App } from './http/app.ts'
import { problem } from './http/response/error-response.ts'
import { htmlPage } from './http/response/html-page.ts'
import { HEALTH_PATH, healthOf } from './meta/health.ts'
import { METRICS_PATH, metricsResponse } from './metrics/exposition.ts'
import { ofLeader } from './metrics/shared-database.ts'

/** Why requests are refused, and after how many seconds a client may try again. */
const REFUSALS = {
  restoring: ['The database is being replaced by a backup; try again in a few seconds', 2],
  not_leader: ['This server is on standby; another one leads', 1],
} as const

/** How long a page is shown before it goes on, in seconds. */
const PAGE_SECONDS = 3

/**
 * Passes requests on to the application; without one, because the database is being replaced or
 * another server leads, responds to them itself. The ports stay open meanwhile, so that no client finds a
 * closed port.
 */
export class Gate {
  #app: App | undefined
  #refusal: keyof typeof REFUSALS = 'restoring'
  #leader = ''
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  readonly handle: App = (request, server) => this.#app?.(request, server) ?? this.#respond(request)

  open(app: App): void {
    this.#app = app
  }

  close(): void {
    this.#app = undefined
    this.#refusal = 'restoring'
  }

  /** Refers clients to the server at the base URL `leader`, which may not be known: `''`. */
  standBy(leader: string): void {
    this.#refusal = 'not_leader'
    this.#leader = leader
  }

  #respond(request: Request): Response {
    const standby = this.#refusal === 'not_leader' ? standbyResponse(request) : undefined
    if (standby) return standby
    const [message, retryAfter] = REFUSALS[this.#refusal]
    if (isOfBrowser(request)) return this.#page(request.url, message)
    return Response.json(problem(503, this.#refusal, message, newId(this.#now())), {
      status: 503,
      headers: {
        'retry-after': String(retryAfter),
        'cache-control': 'no-store',
        ...(this.#leader !== '' && { 'svc-leader': this.#leader }),
      },
    })
  }

  /** The page that a browser shows: it goes to the leader, or tries again, after `PAGE_SECONDS`. */
  #page(url: string, message: string): Response {
    const { pathname, search } = new URL(url)
    // Not resolved against the leader: a path such as //host/ would name another host.
    const target = this.#leader === '' ? url : new URL(this.#leader).origin + pathname + search
    const link = `<a href="${Bun.escapeHTML(target)}">${Bun.escapeHTML(new URL(target).origin)}</a>`
    const response = htmlPage({
      title: this.#leader === '' ? 'Not ready' : 'On standby',
      body:
        this.#leader === ''
          ? `<p>${message}. This page tries again every ${PAGE_SECONDS} s.</p>`
          : `<p>${message}: ${link}. This page goes there in ${PAGE_SECONDS} s.</p>`,
      status: 503,
    })
    response.headers.set('refresh', `${PAGE_SECONDS}; url=${target}`)
    response.headers.set('retry-after', String(PAGE_SECONDS))
    return response
  }
}

/** Whether a person opens a page, rather than a program asking. */
function isOfBrowser({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
}

/** What a server on standby responds as the one that leads does; undefined for everything else. */
function standbyResponse({ method, url }: Request): Response | undefined {
  if (method !== 'GET') return undefined
  const { pathname, searchParams } = new URL(url)
  if (pathname === METRICS_PATH) return metricsResponse([ofLeader(false)])
  const isReady = ['1', 'true'].includes(searchParams.get('ready') ?? '')
  if (pathname !== HEALTH_PATH || isReady) return undefined
  return Response.json(healthOf('standby'), { headers: { 'cache-control': 'no-store' } })
}
