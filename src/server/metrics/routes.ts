import { AppError } from '../../base/index.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Metrics } from './metrics.ts'

const MEDIA = 'text/plain; version=0.0.4; charset=utf-8'
/** A request with one of these headers came through a proxy: the remote address is not that of the caller. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const

/** Metrics for a monitoring system. */
export function metricsRoutes(metrics: Metrics): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/metrics',
      access: 'public',
      summary: 'Retrieve metrics in the Prometheus text format; for superusers and for direct local callers',
      media: MEDIA,
      statuses: [200, 401, 403],
      async run(_, { caller, request, address }) {
        if (caller.kind !== 'superuser' && !isLocal(request, address)) {
          if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
          throw new AppError('forbidden', 'Admin access required')
        }
        return new Response(await metrics.write(), {
          headers: {
            'content-type': MEDIA,
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          },
        })
      },
    }),
  ]
}

function isLocal(request: Request, address: string): boolean {
  const isLoopback = address === '::1' || /^(::ffff:)?127\./.test(address)
  return isLoopback && !FORWARDED.some((name) => request.headers.has(name))
}
