import { OF_EVERY_ROUTE, statusesOf } from '../../src/server/http/error-codes.ts'
import { kindOfStatus } from '../../src/server/http/response/error-response.ts'
import type { Access, RouteErrors } from '../../src/server/http/route.ts'
import { shapesOf } from '../../src/server/index.ts'
import { declaredRoutes } from '../clients/declared-routes.ts'
import { bodyOf, fieldsOf, responseOf, shapeRows } from './shapes.ts'
import { row } from './table.ts'

/** Repeated cells longer than this name the first route that has them. */
const MAX_REPEATED_LENGTH = 80

/** A cell, or the route whose cell is the same. */
function firstSeen(seen: Map<string, string>, cell: string, route: string): string {
  const first = seen.get(cell)
  if (first !== undefined && cell.length > MAX_REPEATED_LENGTH) return `as of ${first}`
  seen.set(cell, first ?? route)
  return cell
}

/** The statuses of errors with a kind. */
const KINDS = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503, 507]

/** Codes after the status that they have in common. */
function codesOf(errors: RouteErrors): string {
  const byStatus = Map.groupBy(Object.entries(errors).sort(), ([, status]: [string, number]) => status)
  return [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, codes]) => `${status} ${codes.map(([code]) => `\`${code}\``).join(', ')}`)
    .join('; ')
}

/** Statuses of a route, each followed by its codes. */
function statusCell(statuses: readonly number[], errors: RouteErrors): string {
  const all = new Set([...statuses, ...Object.values(errors)])
  return [...all]
    .sort((one, other) => one - other)
    .map(
      (status) =>
        codesOf(Object.fromEntries(Object.entries(errors).filter(([, of]) => of === status))) || status,
    )
    .join('; ')
}

/** Statuses that the text above the table names: of any route, and those that follow from its caller. */
const COMMON_STATUSES = [400, 413, 415, 429, 431, 500, 503, 507]
const IMPLIED_STATUSES: Readonly<Record<Access, readonly number[]>> = {
  public: COMMON_STATUSES,
  signed_in: [...COMMON_STATUSES, 401],
  superuser: [...COMMON_STATUSES, 401, 403],
}

/** The page of all HTTP routes. */
export async function routesPage(): Promise<string> {
  const routes = await declaredRoutes()
  const seen = { fields: new Map<string, string>(), response: new Map<string, string>() }
  const rows = routes.map((route) => {
    const { method, path, access, summary, query } = route
    const name = `\`${method} ${path}\``
    const parameters = fieldsOf(query, false)
    const fields = [bodyOf(route.bodyForms ?? route.body), parameters === '' ? '' : `query: ${parameters}`]
    return row(
      name,
      access.replace('_', ' '),
      summary,
      firstSeen(seen.fields, fields.filter(Boolean).join('; '), name),
      firstSeen(seen.response, responseOf(route.response, route.media), name),
      statusCell(
        statusesOf(route).filter((status) => !IMPLIED_STATUSES[access].includes(status)),
        route.errors,
      ),
    )
  })
  return `# HTTP routes

Bodies are JSON. The column *Caller* states who may call a route: *public* routes need no credentials; *signed in* routes need a
login token or an API token (\`Authorization: TOKEN\`, with or without \`Bearer\`, or \`X-API-Token: TOKEN\`); *superuser* routes
need a superuser's login token. On a *signed in* route, a superuser acts as a proxy user with unlimited QPU time.

All errors have the shape \`{status, message, code, request_id, data}\`; \`data\` contains the rejected fields as
\`{"<field>": {code, message, params}}\`. Any route may also respond with 400 (invalid \`fields\`, too many query parameters), 401
(missing or expired credentials), 403 (wrong kind of account), 413 (body too large), 415 (body in another
\`Content-Encoding\` than zstd and gzip), 429 (rate limit, with \`Retry-After\`), 431 (URL and headers above 16 KiB), 500, 503 (with \`Retry-After\`, for example \`restoring\`), and 507 (disk full; nothing was
stored). Query parameters that a route does not name are ignored.

\`code\` is the reason of an error, or its kind:
${KINDS.map((status) => `${status} \`${kindOfStatus(status)}\``).join(', ')}.

Reasons of the checks before every route: ${codesOf(OF_EVERY_ROUTE)}.
Routes with a body also have 503 \`too_many_large_bodies\`; routes for which the scope *read* of an API token is not enough have 403
\`insufficient_scope\`. The last column has the reasons of the route itself. \`x-error-codes\` in the OpenAPI document has every code of
an operation with its status.

A \`*\` marks required fields, a field without a type is a text. 401 of *signed in* and *superuser* routes, and 403 of the latter, are not
listed; *as of* a route: the same as there. \`GET /api/openapi.json\` returns the same information as OpenAPI 3.1.

| Route | Caller | Purpose | Fields | Response | Statuses, with codes of its own |
|---|---|---|---|---|---|
${rows.join('\n')}

## Response shapes

*all of* another shape: its fields, except for those that the row has itself.

| Shape | Fields |
|---|---|
${shapeRows(shapesOf(routes)).join('\n')}
`
}
