import * as v from 'valibot'
import { errorCodesOf, statusesOf } from '../../../src/server/http/error-codes.ts'
import type { Route } from '../../../src/server/http/route.ts'

/** One call and its response; `path` may have a query. */
export interface CompletedCall {
  method: string
  path: string
  status: number
  body: unknown
}

/**
 * Fails unless the route that responded declares the status and, for an error its code, for a success every
 * key of the body.
 */
export function assertDeclared(
  routes: readonly Route[],
  { method, path, status, body }: CompletedCall,
): void {
  const route = routeOf(routes, method, path)
  if (!route) return
  const name = `${route.method} ${route.path}`
  if (!statusesOf(route).includes(status)) {
    throw new Error(`${name} answered ${status}; add it to the route's statuses: ${JSON.stringify(body)}`)
  }
  const code = codeOf(body)
  if (status >= 400 && code !== undefined && errorCodesOf(route)[code] !== status) {
    throw new Error(
      `${name} answered ${status} ${code}; add it to the route's errors: ${JSON.stringify(body)}`,
    )
  }
  if (status >= 300 || !route.response || method === 'HEAD') return
  // With `fields` or `omit` a response has only some of its keys.
  const { searchParams: query } = new URL(path, 'http://host')
  if (query.has('fields') || query.has('omit')) return
  const read = v.safeParse(route.response, body)
  if (!read.success) {
    const issues = read.issues.map((issue) => `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`)
    throw new Error(`${name} answered what it does not declare: ${issues.join('; ')}`)
  }
  // Parsing drops keys that the declaration does not name.
  if (!Bun.deepEquals(read.output, body)) {
    throw new Error(
      `${name} answered keys it does not declare: ${JSON.stringify(body)}, declared is ${JSON.stringify(read.output)}`,
    )
  }
}

/** The code of an error; undefined for the HTML pages that show an error themselves. */
function codeOf(body: unknown): string | undefined {
  const { code } = Object(body)
  return typeof code === 'string' ? code : undefined
}

/** The route of a call; undefined when the address or the method has none. */
export function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  const { pathname } = new URL(path, 'http://host')
  return routes.find((route) => route.method === asked && patternOf(route).test(pathname))
}

/** Patterns of paths; each call of a test is compared with most of them. */
const patterns = new Map<string, RegExp>()

function patternOf({ path }: { path: string }): RegExp {
  const made = patterns.get(path)
  if (made) return made
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+(\{[^/]*\})?|\{\w+\}/g, '[^/]+')}$`)
  patterns.set(path, pattern)
  return pattern
}

/** The part of an OpenAPI document that lists the statuses of each operation. */
export interface ApiDescription {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

/** Fails unless a server's own description has the status of the response. */
export function assertDescribed(
  { paths }: ApiDescription,
  { method, path, status }: Omit<CompletedCall, 'body'>,
): void {
  const { pathname } = new URL(path, 'http://host')
  const operations = Object.entries(paths)
    .filter(([each]) => patternOf({ path: each }).test(pathname))
    .flatMap(([, byMethod]) => byMethod[method.toLowerCase()] ?? [])
  if (operations.length === 0 || operations.some(({ responses }) => String(status) in responses)) return
  throw new Error(`${method} ${path} answered ${status}, which /api/openapi.json does not have`)
}
