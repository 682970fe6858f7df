import type { Server } from 'bun'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { AppError, newId } from '../../base/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from './caller.ts'
import { errorBody } from './error-response.ts'
import { readJsonBody } from './json-body.ts'
import { RateLimiter } from './rate-limit.ts'
import { Reply, type Route, type RouteRequest } from './route.ts'
import { validate } from './validate.ts'

type HttpServer = Server<undefined>
type Bindings = { Bindings: { server: HttpServer | undefined } }

/** Answers one request; `server` is the Bun server it came in on. */
export type App = (request: Request, server?: HttpServer) => Response | Promise<Response>

interface AppParts {
  context: ServerContext
  routes: readonly Route[]
  /** Finds out who calls; a bad credential makes a guest. */
  identify(request: Request): Promise<Caller>
  /** Serves the web pages; undefined when this build has none. */
  pages: MiddlewareHandler | undefined
}

const API_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
} as const

/** The HTTP application: each declared route behind one border for identity, limits, bodies and errors. */
export function buildApp({ context, routes, identify, pages }: AppParts): App {
  const { config, clock } = context
  const log = context.log.child('http')
  const limits = {
    guest: new RateLimiter(config.anonymousRate, clock),
    user: new RateLimiter(config.userRate, clock),
  }
  const app = new Hono<Bindings>()

  const limit = (caller: Caller, address: string) => {
    if (caller.kind === 'guest') limits.guest.take(address)
    else if (caller.kind === 'user') limits.user.take(caller.user.id)
  }

  const answer = async (route: Route, c: Context<Bindings>): Promise<Response> => {
    const requestId = requestIdOf(c.req.raw) ?? newId(clock.now())
    const started = clock.monotonic()
    let caller: Caller = { kind: 'guest' }
    let response: Response
    try {
      caller = await identify(c.req.raw)
      const address = addressOf(c)
      limit(caller, address)
      checkAccess(route, caller)
      response = toResponse(await route.run(context, await readRequest(route, c, caller, address)))
    } catch (error) {
      response = errorResponse(error, requestId, log)
    }
    response.headers.set('x-request-id', requestId)
    addCors(response, c.req.raw, config.corsOrigins)
    log.debug('answered', {
      request_id: requestId,
      method: route.method,
      path: route.path,
      status: response.status,
      caller: callerName(caller),
      ms: Math.round(clock.monotonic() - started),
    })
    return response
  }

  for (const route of routes) app.on(route.method, route.path, (c) => answer(route, c))
  app.options('/api/*', (c) => preflight(c.req.raw, config.corsOrigins))
  app.all('/api/*', (c) =>
    errorResponse(
      new AppError('not_found', "The requested resource wasn't found"),
      newId(clock.now()),
      log,
      c,
    ),
  )
  if (pages) app.use('*', pages)
  app.notFound((c) => c.text('Nothing is served at this address\n', 404))
  app.onError((error, c) => errorResponse(error, newId(clock.now()), log, c))
  return (request: Request, server?: HttpServer) => app.fetch(request, { server })
}

function requestIdOf(request: Request): string | undefined {
  const given = request.headers.get('x-request-id')
  return given && /^[\w-]{1,64}$/.test(given) ? given : undefined
}

function addressOf(c: Context<Bindings>): string {
  return c.env.server?.requestIP(c.req.raw)?.address ?? 'unknown'
}

/** Missing or dead credentials are 401, the wrong kind of account is 403 (decision 15). */
function checkAccess(route: Route, caller: Caller): void {
  if (route.access === 'public') return
  if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  if (route.access === 'superuser' && caller.kind !== 'superuser') {
    throw new AppError('forbidden', 'Admin access required')
  }
}

async function readRequest(
  route: Route,
  c: Context<Bindings>,
  caller: Caller,
  address: string,
): Promise<RouteRequest<unknown, unknown>> {
  const request = c.req.raw
  const body = route.body
    ? validate(route.body, (await readJsonBody(request, route.maxBody)) ?? {})
    : undefined
  const query = route.query ? validate(route.query, c.req.query(), 'Invalid query parameter') : undefined
  return {
    body,
    query,
    params: c.req.param() as Record<string, string>,
    caller,
    request,
    address,
    keepOpen: () => c.env.server?.timeout(request, 0),
  }
}

function toResponse(result: unknown): Response {
  if (result instanceof Response) return result
  const { status, body, headers } = result instanceof Reply ? result : new Reply(200, result)
  if (body === undefined) return new Response(null, { status, headers: { ...API_HEADERS, ...headers } })
  return Response.json(body, { status, headers: { ...API_HEADERS, ...headers } })
}

function errorResponse(
  error: unknown,
  requestId: string,
  log: ServerContext['log'],
  c?: Context<Bindings>,
): Response {
  const body = errorBody(error, requestId, log)
  const response = Response.json(body, { status: body.status, headers: API_HEADERS })
  if (error instanceof AppError && error.retryAfter) {
    response.headers.set('retry-after', String(error.retryAfter))
  }
  if (c) response.headers.set('x-request-id', requestId)
  return response
}

function allowedOrigin(request: Request, origins: readonly string[]): string | undefined {
  const origin = request.headers.get('origin')
  if (!origin) return undefined
  if (origins.includes('*')) return '*'
  return origins.includes(origin) ? origin : undefined
}

function addCors(response: Response, request: Request, origins: readonly string[]): void {
  const origin = allowedOrigin(request, origins)
  if (!origin) return
  response.headers.set('access-control-allow-origin', origin)
  response.headers.append('vary', 'Origin')
}

function preflight(request: Request, origins: readonly string[]): Response {
  const response = new Response(null, { status: 204 })
  addCors(response, request, origins)
  if (!response.headers.has('access-control-allow-origin')) return response
  response.headers.set('access-control-allow-methods', 'GET, HEAD, PUT, PATCH, POST, DELETE')
  response.headers.set(
    'access-control-allow-headers',
    request.headers.get('access-control-request-headers') ?? '*',
  )
  return response
}
