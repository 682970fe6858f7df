import type * as v from 'valibot'
import type { TokenScope } from '../../db/store/accounts/index.ts'
import { BODIES, type BodySize } from '../admission/limits.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from './caller.ts'
import { JSON_BODY } from './media.ts'

/** Who may call a route: everybody, every caller with a login or API token, or superusers. */
export type Access = 'public' | 'signed_in' | 'superuser'

/** The status of each reason that the errors of a route can have. */
export type RouteErrors = Readonly<Record<string, number>>

/** Names of the parameters in a path, such as `id` of `/api/jobs/:id`; a pattern may follow in braces. */
type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? WithoutPattern<Name> | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? WithoutPattern<Name>
    : never
type WithoutPattern<Name> = Name extends `${infer Plain}{${string}` ? Plain : Name

/** The request as passed to a route's `run`; `body` and `query` are already validated. */
export interface RouteRequest<Body, Query, Path = `/:${string}`> {
  readonly body: Body
  readonly query: Query
  readonly params: Readonly<Record<NamesIn<Path> & string, string>>
  readonly caller: Caller
  /** The raw request, for headers and streams. */
  readonly request: Request
  /** Remote address; behind a trusted proxy that of the proxy's client. */
  readonly address: string
  /** Whether the client used HTTPS, be it to a trusted proxy. */
  readonly isSecure: boolean
  /** Sets the seconds after which the runtime closes the idle connection; 0 = never, for streams. */
  setIdleTimeout(seconds: number): void
  /** Answers a request to another route as if it had come on the same connection. */
  forward(inner: Request): Promise<Response>
}

/** A response other than 200 with a JSON body. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body?: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Route {
  readonly method: Method
  /** Hono pattern such as `/api/jobs/:id`. */
  readonly path: string
  readonly access: Access
  /** The scope that an API token needs; by default `read` for GET, else `all`. */
  readonly scope: TokenScope
  /** Whether an API token of the scope `operate` may call it. */
  readonly isOperation: boolean
  /** Whether an API token of the scope `session`, of a cluster, may call it. */
  readonly isForClusters: boolean
  /** What the secret of a session may do here; `submit` only while it lasts. */
  readonly inSession: 'read' | 'submit' | undefined
  /** One line for the API reference. */
  readonly summary: string
  readonly body: v.GenericSchema | undefined
  readonly query: v.GenericSchema | undefined
  /** The body as shown in the API reference, for routes whose `run` parses several formats itself. */
  readonly bodyForms: v.GenericSchema | undefined
  /** Accepted media types of the body. */
  readonly bodyMedia: readonly string[]
  /** JSON body of a success, for the API reference; tests compare every response with it. */
  readonly response: v.GenericSchema | undefined
  /** Media type of a success that is not JSON. */
  readonly media: string | undefined
  /** Media types of the files that it can return instead of JSON. */
  readonly files: readonly string[]
  /** Schemas of path parameters, where known; for the API reference. */
  readonly params: Readonly<Record<string, v.GenericSchema>>
  /** Request headers that the route reads, each with a description of one sentence. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Status codes of success, 200 by default, and those of errors that `statusesOf` does not find in the rest
   * of the declaration; for the API reference.
   */
  readonly statuses: readonly number[]
  /**
   * The reasons for which `run` refuses, for the API reference; `errorCodesOf` adds those of the machinery.
   * Tests compare the `code` of every response with them.
   */
  readonly errors: RouteErrors
  /**
   * Whether a success waits until what was written is on another machine, with `--acknowledge replicated`; by
   * default unless the scope is `read`.
   */
  readonly isReplicated: boolean
  /** Whether `run` gets a large JSON body unparsed, as `ReceivedJson`. */
  readonly receivesLarge: boolean
  /** Maximum size of the body in bytes. */
  readonly maxBody: BodySize
  run(context: ServerContext, request: RouteRequest<unknown, unknown>): Promise<unknown>
}

/** What every route has to state. */
type Required = 'access' | 'summary'

/** A route as it is declared. */
interface RouteDeclaration<Body extends v.GenericSchema, Query extends v.GenericSchema, Path>
  extends Pick<Route, Required>,
    Partial<Omit<Route, Required | 'method' | 'path' | 'body' | 'query' | 'run'>> {
  body?: Body
  query?: Query
  /** Returns the JSON body of a 200, a `Reply`, or a `Response` for streams and files. */
  run(
    context: ServerContext,
    request: RouteRequest<v.InferOutput<Body>, v.InferOutput<Query>, Path>,
  ): Promise<unknown>
}

/** Declares the route `METHOD /path`. Access, body and query are checked before `run` is called. */
export function defineRoute<
  const Target extends `${Method} /${string}`,
  Body extends v.GenericSchema = v.GenericSchema,
  Query extends v.GenericSchema = v.GenericSchema,
>(target: Target, declaration: RouteDeclaration<Body, Query, Target>): Route {
  const [method, path] = target.split(' ') as [Method, string]
  const { scope = method === 'GET' ? 'read' : 'all' } = declaration
  return {
    method,
    path,
    body: undefined,
    query: undefined,
    bodyForms: undefined,
    bodyMedia: [JSON_BODY],
    params: {},
    response: undefined,
    media: undefined,
    files: [],
    headers: {},
    statuses: [200],
    errors: {},
    isReplicated: scope !== 'read',
    isOperation: false,
    isForClusters: false,
    inSession: undefined,
    receivesLarge: false,
    maxBody: BODIES.other,
    ...declaration,
    scope,
    // The machinery validates with exactly these schemas, so the erased types are the declared ones.
    run: declaration.run as Route['run'],
  }
}
