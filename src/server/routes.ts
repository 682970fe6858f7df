import { type AccountDependencies, accountRoutes } from './auth/account-routes.ts'
import type { SetUp } from './auth/set-up.ts'
import { bookingRoutes } from './bookings/routes.ts'
import { calibrationRoutes } from './calibration/routes.ts'
import type { DispatchBackoff } from './drivers/dispatch-backoff.ts'
import type { Hub } from './drivers/hub.ts'
import { driverRoutes } from './drivers/routes.ts'
import { eventRoutes } from './events/routes.ts'
import type { RateLimiter } from './http/limits/rate-limit.ts'
import { openApiRoute } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { jobOperatorRoutes } from './jobs/operator-routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import type { Readiness } from './meta/readiness.ts'
import { metaRoutes } from './meta/routes.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { qpuRoutes } from './qpus/routes.ts'
import type { Realtime } from './realtime/realtime.ts'
import { recordRoutes } from './records/routes.ts'
import type { RecordService } from './records/service.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { userRoutes } from './users/routes.ts'

/** What the routes call beyond the context that each of them receives. */
interface RouteDependencies extends Omit<AccountDependencies, 'reportLogin' | 'userCreation'> {
  hub: Hub
  backoff: DispatchBackoff
  metrics: Metrics
  readiness: Readiness
  realtime: Realtime
  records: RecordService
  setUp: SetUp
  /** Limits the submissions of each user. */
  submissions: RateLimiter
}

/** Every route of the server; the OpenAPI document describes all of them, itself included. */
export function buildRoutes(dependencies: RouteDependencies): Route[] {
  const { hub, backoff, metrics, readiness, realtime, records, setUp, submissions } = dependencies
  const routes: Route[] = [
    ...metaRoutes(readiness),
    ...metricsRoutes(metrics),
    ...accountRoutes({
      ...dependencies,
      userCreation: records,
      reportLogin: (...login) => realtime.reportLogin(...login),
    }),
    ...userRoutes,
    ...tokenRoutes(dependencies.context.clock),
    ...qpuRoutes,
    ...driverRoutes(hub),
    ...jobRoutes(submissions),
    ...jobOperatorRoutes(backoff),
    ...calibrationRoutes,
    ...recordRoutes(records),
    ...notificationRoutes,
    ...bookingRoutes,
    ...eventRoutes,
    ...setUp.routes(),
    ...realtime.routes(),
  ]
  routes.push(openApiRoute(routes))
  return routes
}
