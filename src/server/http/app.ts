import type { Server } from 'bun'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import {
  AppError,
  assertAwaited,
  MIB,
  newId,
  notFound,
  Turns,
  withLogFields,
  workFor,
} from '../../base/index.ts'
import { pickFields } from '../../db/index.ts'
import { BODIES, RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { ServerContext } from '../context.ts'
import { addressLimitKey, originOf, type RequestOrigin } from './address.ts'
import { assertScope, type Caller, callerInSession, callerName } from './caller.ts'
import { CODINGS } from './coding/accept-encoding.ts'
import { decodeRequest } from './coding/decode-request.ts'
import { BODY_LIMITS } from './limits/json-shape.ts'
import { MemoryBudget, REQUEST_MEMORY } from './limits/memory-budget.ts'
import { MULTIPART } from './media.ts'
import { readerOf } from './reading.ts'
import { replicated } from './replicated.ts'
import { assertQuerySize, isForm, readFormObject } from './request/form-body.ts'
import { objectOf, readJsonBody, receiveJsonBody } from './request/json-body.ts'
import { discardBody, hasUnreadBody } from './request/unread-body.ts'
import { validate } from './request/validate.ts'
import { assertNoNul, assertWrittenTexts } from './request/written-texts.ts'
import { addCors, optionsResponse } from './response/cors.ts'
import { errorBody, METHOD_NOT_ALLOWED, problem } from './response/error-response.ts'
import { ResponseEncoder } from './response/response-encoder.ts'
import { readValue } from './response/stored-chunks.ts'
import { TextFile } from './response/text-file.ts'
import { Reply, type Route, type RouteRequest } from './route.ts'
import { proxyWarning } from './untrusted-proxy.ts'

type HttpServer = Server<undefined>
/** `received` is the request of the connection, which may have forwarded the one that is answered. */
type Bindings = { server: HttpServer | undefined; received: Request }
type Env = { Bindings: Bindings; Variables: { caller?: Caller } }

type Handler = (c: Context<Env>, requestId: string) => Promise<Response> | Response

/** Handles one request; `server` is the Bun server that received it. */
export type App = (request: Request, server?: HttpServer) => Response | Promise<Response>

/** A response as it was sent. */
export interface Finished {
  method: string
  /** The declared path, such as `/api/jobs/:id`. */
  path: string
  status: number
  /** Duration, ms. */
  ms: number
}

interface AppDependencies {
  context: ServerContext
  routes: readonly Route[]
  /** Identifies the caller; a request with invalid credentials is treated as a guest. */
  identify(request: Request): Promise<Caller>
  /** The name of the caller, as far as that is known without the database. */
  knownCaller(request: Request): string | undefined
  /** Notes that a caller has made a request from an address. */
  onCaller(caller: Caller, call: { request: Request; address: string }): void
  /** Called with each response of a route that did not wait on purpose. */
  onFinished(finished: Finished): void
  /** Serves the web pages; undefined when this build has none. */
  pages: MiddlewareHandler | undefined
}

/** Work of the requests that start in one turn of the event loop. */
const REQUESTS_PER_TURN_MS = 10

const API_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
} as const

/**
 * The HTTP application: identifies callers, applies limits, reads bodies and encodes errors for all routes.
 */
export function buildApp(dependencies: AppDependencies): App {
  const { context, routes, identify, knownCaller, onCaller, onFinished, pages } = dependencies
  const { config, live, clock } = context
  const log = context.log.child('http')
  const limits = {
    guest: new RateLimiter(
      RATES.guestRequests.from(() => live.current.anonymousRate),
      clock,
    ),
    user: new RateLimiter(
      RATES.userRequests.from(() => live.current.userRate),
      clock,
    ),
  }
  const bodyMemory = new MemoryBudget(clock, REQUEST_MEMORY)
  const encoder = new ResponseEncoder(context.db, clock)
  const turns = new Turns(clock, REQUESTS_PER_TURN_MS)
  const app = new Hono<Env>()

  const limit = (caller: Caller, address: string) => {
    if (caller.kind === 'guest') limits.guest.take(addressLimitKey(address))
    else if (caller.kind === 'user') limits.user.take(caller.user.id)
  }

  /** Wraps every handler under `/api`: request id, error body, headers and one log line. */
  const wrapped =
    (handler: Handler) =>
    (c: Context<Env>): Promise<Response> => {
      const requestId = requestIdOf(c.req.raw) ?? newId(clock.now())
      return withLogFields({ request_id: requestId }, () => respond(c, requestId, handler))
    }

  async function respond(c: Context<Env>, requestId: string, handler: Handler): Promise<Response> {
    const request = c.req.raw
    const started = clock.monotonic()
    let response: Response
    try {
      response = await handler(c, requestId)
    } catch (error) {
      response = errorResponse(error, requestId, log)
    }
    if (hasUnreadBody(request, response)) {
      const { isProxied } = originOf(request, peerOf(c), config.trustedProxies)
      if (!isProxied || !(await discardBody(request))) response.headers.set('connection', 'close')
    }
    response.headers.set('x-request-id', requestId)
    addCors(response, request, config.corsOrigins)
    const finished = {
      method: request.method,
      path: c.req.routePath,
      status: response.status,
      ms: clock.monotonic() - started,
    }
    if (c.req.query('wait') === undefined) onFinished(finished)
    log.debug('request completed', {
      ...finished,
      caller: callerName(c.get('caller') ?? { kind: 'guest' }),
      ms: Math.round(finished.ms),
    })
    return response
  }

  function send(
    result: unknown,
    fields: string,
    { caller, address, request, setIdleTimeout }: Omit<RouteRequest<unknown, unknown>, 'body' | 'forward'>,
  ): Response | Promise<Response> {
    if (result instanceof Response) return result
    const receiver = { caller: readerOf(caller, address), request }
    if (result instanceof TextFile) return encoder.file(result, receiver, { setIdleTimeout })
    const reply = result instanceof Reply ? result : new Reply(200, result)
    const encode: JsonEncoder = (...response) => encoder.encode(...response, receiver)
    if (fields === '' || reply.body === undefined || reply.status >= 300) return toResponse(reply, encode)
    return context.db
      .read((tx) => pickFields(reply.body, fields, (handle) => readValue(tx, handle)))
      .then((body) => toResponse(new Reply(reply.status, body, reply.headers), encode))
  }

  function withinBodyMemory<Result>(
    route: Route,
    request: Request,
    { caller, run }: { caller: Caller; run: (reserve?: () => Promise<void>) => Promise<Result> },
  ): Promise<Result> {
    if (hasCodedBody(route, request))
      return bodyMemory.runReserving(callerName(caller), LARGEST_BODY_BYTES, run)
    const bytes = caller.kind === 'guest' ? 0 : budgetedBytes(request)
    return bytes === 0 ? run() : bodyMemory.run(callerName(caller), bytes, run)
  }

  const warnOfProxy = proxyWarning(log)
  for (const route of routes) {
    app.on(
      route.method,
      route.path,
      wrapped(async (c) => {
        const origin = originOf(c.req.raw, peerOf(c), config.trustedProxies)
        workFor(knownCaller(c.req.raw) ?? unknownCaller(c.req.raw, origin.address), c.req.raw)
        const caller = callerInSession(await identify(c.req.raw), route.inSession)
        c.set('caller', caller)
        const name = caller.kind === 'guest' ? origin.address : callerName(caller)
        workFor(name)
        warnOfProxy(c.req.raw, origin)
        limit(caller, origin.address)
        onCaller(caller, { request: c.req.raw, address: origin.address })
        assertAccess(route, caller)
        assertQuerySize(c.req.raw.url)
        const query = c.req.query()
        const { fields = '' } = query
        // An invalid `fields` parameter is refused before the route changes anything.
        pickFields({}, fields)
        const run = async (reserve?: () => Promise<void>) => {
          const raw = decodeRequest(c.req.raw, reserve)
          const forward = async (inner: Request) => app.fetch(inner, c.env)
          const request = await readRequest(route, c, { caller, query, origin, raw, forward })
          const turn = turns.enter(name)
          if (turn !== undefined) await turn.then(assertAwaited)
          const { body: _, ...receiver } = request
          return [await route.run(context, request), receiver] as const
        }
        // The body is forgotten before its request waits for another machine.
        const [result, receiver] = await withinBodyMemory(route, c.req.raw, { caller, run })
        if (route.isReplicated) await replicated(context)
        return send(result, fields, receiver)
      }),
    )
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(
      path,
      wrapped((c, requestId) => {
        if (c.req.raw.method === 'OPTIONS') return optionsResponse(c.req.raw, methods, config.corsOrigins)
        return methodNotAllowed(c.req.raw.method, methods, requestId)
      }),
    )
  }
  app.all(
    '/api/*',
    wrapped(() => {
      throw notFound()
    }),
  )
  if (pages) app.use('*', pages)
  app.notFound((c) => c.text('Not found\n', 404, API_HEADERS))
  app.onError((error) => errorResponse(error, newId(clock.now()), log))
  const serve = async (request: Request, server?: HttpServer) => {
    const response = await app.fetch(request, { server, received: request })
    response.headers.set('svc-version', context.version)
    return response
  }
  if (config.hstsMaxAge === 0) return serve
  const policy = `max-age=${Math.floor(config.hstsMaxAge / 1_000)}`
  return async (request, server) => {
    const response = await serve(request, server)
    const peer = server?.requestIP(request)?.address ?? 'unknown'
    // Over HTTP browsers ignore the header, and an attacker could have added it.
    if (originOf(request, peer, config.trustedProxies).isSecure) {
      response.headers.set('strict-transport-security', policy)
    }
    return response
  }
}

/** The methods of each path, HEAD and OPTIONS included. */
function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? ['OPTIONS']
    methods.set(path, method === 'GET' ? ['GET', 'HEAD', ...known] : [method, ...known])
  }
  return methods
}

function methodNotAllowed(method: string, methods: readonly string[], requestId: string): Response {
  const message = `${method} is not allowed here; use ${methods.join(', ')}`
  return Response.json(problem(405, METHOD_NOT_ALLOWED, message, requestId), {
    status: 405,
    headers: { ...API_HEADERS, allow: methods.join(', ') },
  })
}

/** The highest limit of any route. */
const LARGEST_BODY_BYTES = BODIES.job.of({ kind: 'superuser' })
/** Bodies of at most this size are not counted against the memory budget; guests cannot send larger ones. */
const MAX_UNBUDGETED_BYTES = MIB

/**
 * Bytes to reserve in the memory budget; 0 for a small body and for one that is refused anyway. Only the
 * headers are inspected, because access to the body starts reading it.
 */
function budgetedBytes({ headers }: Request): number {
  const bytes = headers.has('transfer-encoding')
    ? LARGEST_BODY_BYTES
    : Number(headers.get('content-length') ?? 0)
  return bytes > MAX_UNBUDGETED_BYTES && bytes <= LARGEST_BODY_BYTES ? bytes : 0
}

function requestIdOf(request: Request): string | undefined {
  const id = request.headers.get('x-request-id')
  return id && /^[\w-]{1,64}$/.test(id) ? id : undefined
}

function peerOf(c: Context<Env>): string {
  return c.env.server?.requestIP(c.env.received)?.address ?? 'unknown'
}

/** Turns of one address for requests whose tokens are not known yet, however many it makes up. */
const UNKNOWN_CALLERS = 16

/**
 * For whom a request waits until its caller is identified: accounts behind one address do not wait for each
 * other, nor guests for them.
 */
function unknownCaller({ headers }: Request, address: string): string {
  const token = headers.get('authorization')
  return token === null ? address : `${address} ${Bun.hash.crc32(token) % UNKNOWN_CALLERS}`
}

/** @throws AppError `unauthorized` for guests, `forbidden` for the wrong kind of account or API token. */
function assertAccess(route: Route, caller: Caller): void {
  assertScope(caller, route)
  if (route.access === 'public') return
  if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  if (route.access === 'superuser' && caller.kind !== 'superuser') {
    throw new AppError('forbidden', 'Admin access required')
  }
}

interface RawRequest {
  caller: Caller
  query: Record<string, string>
  origin: RequestOrigin
  /** With its body decompressed. */
  raw: Request
  forward: (inner: Request) => Promise<Response>
}

async function readRequest(
  route: Route,
  c: Context<Env>,
  { caller, query: given, origin, raw: request, forward }: RawRequest,
): Promise<RouteRequest<unknown, unknown>> {
  const params: Record<string, string> = c.req.param()
  assertNoNul(params)
  assertNoNul(given)
  const body = route.body ? validate(route.body, await readObject(route, request, caller)) : undefined
  // Programs have texts of their own; who receives a large body checks its names.
  if (!route.receivesLarge) assertWrittenTexts(body)
  const query = route.query ? validate(route.query, given, 'Invalid query parameter') : undefined
  return {
    body,
    query,
    params,
    caller,
    request,
    ...origin,
    setIdleTimeout: (seconds) => {
      // The idle time of the connection is that of the request that came on it.
      if (c.req.raw === c.env.received) c.env.server?.timeout(c.req.raw, seconds)
    },
    forward,
  }
}

/** The body: JSON, or a form on routes that accept forms. */
async function readObject(route: Route, request: Request, caller: Caller): Promise<object> {
  const limits = BODY_LIMITS[caller.kind]
  const maxBytes = route.maxBody.of(caller)
  if (route.bodyMedia.includes(MULTIPART) && isForm(request))
    return readFormObject(request, { maxBytes, limits })
  if (route.receivesLarge) return objectOf((await receiveJsonBody(request, maxBytes, caller.kind)) ?? {})
  return objectOf((await readJsonBody(request, maxBytes, limits)) ?? {})
}

type JsonEncoder = (
  body: unknown,
  head: { status: number; headers: Record<string, string> },
) => Response | Promise<Response>

function toResponse({ status, body, headers }: Reply, encode: JsonEncoder): Response | Promise<Response> {
  if (body === undefined) return new Response(null, { status, headers: { ...API_HEADERS, ...headers } })
  return encode(body, {
    status,
    headers: { 'content-type': 'application/json;charset=utf-8', ...API_HEADERS, ...headers },
  })
}

function hasCodedBody({ body, bodyForms }: Route, { headers }: Request): boolean {
  return (body !== undefined || bodyForms !== undefined) && headers.has('content-encoding')
}

function errorResponse(error: unknown, requestId: string, log: ServerContext['log']): Response {
  const body = errorBody(error, requestId, log)
  const response = Response.json(body, { status: body.status, headers: API_HEADERS })
  if (error instanceof AppError && error.retryAfter) {
    response.headers.set('retry-after', String(error.retryAfter))
  }
  if (body.status === 415) response.headers.set('accept-encoding', CODINGS.join(', '))
  return response
}
