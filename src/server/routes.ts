import type { Loop } from '../base/index.ts'
import { accountingRoutes, ledgerRoute } from './accounting/routes.ts'
import { utilizationRoute } from './accounting/utilization.ts'
import { type AdminDependencies, adminRoutes } from './admin/routes.ts'
import type { RateLimiter } from './admission/rate-limiter.ts'
import { type AccountDependencies, accountRoutes } from './auth/account-routes.ts'
import type { SetUp } from './auth/set-up.ts'
import { bookingRoutes } from './bookings/booking-routes.ts'
import { calendarRoutes } from './bookings/calendar-routes.ts'
import { scheduleRoute } from './bookings/schedule-route.ts'
import { calibrationHistoryRoutes, calibrationRoutes } from './calibration/routes.ts'
import { driverActivityRoutes } from './drivers/activity/routes.ts'
import { type DeviceSchemas, deviceRoutes } from './drivers/device-routes.ts'
import type { DispatchBackoff } from './drivers/dispatch-backoff.ts'
import type { Hub } from './drivers/hub.ts'
import { driverRoutes } from './drivers/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { openApiRoute } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { jobOperatorRoutes } from './jobs/operator-routes.ts'
import { queueRoute } from './jobs/queue-route.ts'
import { jobRoutes } from './jobs/routes.ts'
import { estimateNewJob } from './jobs/view.ts'
import type { Readiness } from './meta/readiness.ts'
import { metaRoutes } from './meta/routes.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/metrics.ts'
import { type ServiceWatch, serviceRoutes } from './metrics/service-watch.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { qpuRoutes } from './qpus/routes.ts'
import type { Realtime } from './realtime/realtime.ts'
import { recallRoutes } from './recalls/routes.ts'
import { recordRoutes } from './records/routes.ts'
import type { RecordService } from './records/service.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { shareRoutes } from './shares/routes.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { userRoutes } from './users/routes.ts'
import type { Waits } from './waiting/waits.ts'
import type { Webhooks } from './webhooks/create.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** What the routes call beyond the context that each of them receives. */
interface RouteDependencies
  extends Omit<AccountDependencies, 'loginRelay' | 'userCreation'>,
    AdminDependencies {
  describeDevices: () => Promise<DeviceSchemas>
  hub: Hub
  backoff: DispatchBackoff
  metrics: Metrics
  watch: ServiceWatch
  readiness: Readiness
  realtime: Realtime
  records: RecordService
  /** Refunds the jobs of recalls. */
  refunds: Loop
  setUp: SetUp
  /** Requests that wait for jobs. */
  waits: Waits
  /** Requests that wait for sessions. */
  sessionWaits: Waits
  /** Limits the submissions of each user. */
  submissions: RateLimiter
  webhooks: Webhooks
  /** Base URL under which users reach the server. */
  publicUrl: () => string
}

/** Every route of the server; the OpenAPI document describes all of them, itself included. */
export function buildRoutes(dependencies: RouteDependencies): Route[] {
  const { hub, backoff, metrics, watch, readiness, realtime, records, setUp, submissions } = dependencies
  const { describeDevices, waits } = dependencies
  const identify = (request: Request) => dependencies.accounts.identify(request)
  const routes: Route[] = [
    ...metaRoutes(readiness, dependencies.context.clock),
    ...metricsRoutes(metrics),
    ...serviceRoutes(watch),
    ...adminRoutes(dependencies),
    ...accountRoutes({
      ...dependencies,
      userCreation: records,
      loginRelay: realtime,
    }),
    ...userRoutes,
    ...accountingRoutes,
    ledgerRoute,
    utilizationRoute,
    ...tokenRoutes(dependencies.context.clock),
    ...qpuRoutes(estimateNewJob),
    ...driverRoutes(hub),
    ...driverActivityRoutes(hub.activity),
    ...deviceRoutes(describeDevices),
    ...jobRoutes({ submissions, waits, identify }),
    ...jobOperatorRoutes(backoff),
    queueRoute,
    ...calibrationRoutes,
    ...calibrationHistoryRoutes,
    ...recallRoutes(() => dependencies.refunds.wake()),
    ...recordRoutes(records),
    ...notificationRoutes,
    scheduleRoute,
    ...bookingRoutes(records.slots, dependencies.context.clock),
    ...calendarRoutes({ clock: dependencies.context.clock, publicUrl: dependencies.publicUrl }),
    ...sessionRoutes({
      bookings: records.slots,
      waits: dependencies.sessionWaits,
      identify,
      secretOf: (holder) => dependencies.accounts.sessionSecret(holder),
    }),
    ...shareRoutes({ clock: dependencies.context.clock, publicUrl: dependencies.publicUrl }),
    ...eventRoutes,
    ...webhookRoutes(dependencies.webhooks, dependencies.context.clock),
    ...setUp.routes(),
    ...realtime.routes(),
  ]
  routes.push(openApiRoute(routes))
  return routes
}
