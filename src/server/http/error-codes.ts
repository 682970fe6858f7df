import { kindOfStatus } from './response/error-response.ts'
import type { Route, RouteErrors } from './route.ts'

/** Errors of the server and of the checks that precede every route. */
export const OF_EVERY_ROUTE: RouteErrors = {
  // A query with too many parameters, and `fields`, which every route understands.
  too_many_fields: 400,
  bad_parameter: 400,
  too_many_pipelined: 429,
  restoring: 503,
  not_leader: 503,
  database_busy: 503,
  database_refused: 503,
  too_many_reads: 503,
  reader_busy: 503,
  reader_failed: 503,
  too_many_large_responses: 503,
}

/** Statuses of the checks and failures that any route has; the runtime itself refuses with 431. */
const STATUSES_OF_EVERY_ROUTE = [400, 429, 431, 500, 503, 507]

/** Every status of a route in ascending order: its own, and those of the checks that precede every route. */
export function statusesOf(route: Route): number[] {
  const { path, access, body, bodyForms, scope, statuses, errors } = route
  const reasons = Object.values({ ...checkedErrors(route), ...errors })
  const all = [...STATUSES_OF_EVERY_ROUTE, ...statuses, ...reasons]
  // A route that can succeed refuses what its path does not name.
  if (path.includes('/:') && statuses.some((status) => status < 400)) all.push(404)
  if (body) all.push(413)
  if (body || bodyForms) all.push(415)
  if (access !== 'public') all.push(401)
  if (access === 'superuser' || scope !== 'read') all.push(403)
  return [...new Set(all)].sort((one, other) => one - other)
}

/**
 * Every `code` that an error of a route can have, with its status, by status and name: the kind of error for
 * each status, the reasons of the checks that precede the route, and its own reasons.
 */
export function errorCodesOf(route: Route): RouteErrors {
  const kinds = statusesOf(route).flatMap((status) => {
    const kind = kindOfStatus(status)
    return kind === undefined ? [] : [[kind, status] as const]
  })
  const reasons = Object.entries({ ...checkedErrors(route), ...route.errors })
  return Object.fromEntries([...kinds, ...reasons].sort(byStatusAndName))
}

/** The reasons that follow from the declaration of a route, without those of `run`. */
function checkedErrors({ body, bodyForms, scope, isReplicated, inSession }: Route): RouteErrors {
  return {
    ...OF_EVERY_ROUTE,
    ...((body || bodyForms) && { too_many_large_bodies: 503 }),
    ...(isReplicated && { not_replicated: 503 }),
    ...(inSession === 'submit' && { session_ended: 403 }),
    // Every API token may read.
    ...(scope !== 'read' && { insufficient_scope: 403 }),
  }
}

function byStatusAndName(
  [code, status]: readonly [string, number],
  other: readonly [string, number],
): number {
  return status - other[1] || (code < other[0] ? -1 : 1)
}
