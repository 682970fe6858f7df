import * as v from 'valibot'
import { toTimestamp } from '../../../base/index.ts'
import { type Driver, drivers } from '../../../db/store/qpus/index.ts'
import { serverAddress } from '../../http/address.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { described } from '../../http/schema.ts'
import type { DriverActivityLog } from './activity-log.ts'

const perMinute = (what: string) =>
  described(v.array(v.number()), `${what} in each of the last 60 minutes, the present one last`)
const activity = v.object({
  id: v.string(),
  name: v.string(),
  qpu: described(v.string(), 'Id of its QPU'),
  connected_at: described(v.string(), "UTC; '' = not connected"),
  last_event: described(v.string(), "UTC; '' = none since the server started"),
  events: perMinute('Events received'),
  dropped: perMinute('Events dropped'),
  refused: described(
    v.nullable(v.object({ at: v.string(), code: v.string(), message: v.string() })),
    'Why the last attempt to connect was refused or did not attach; a driver tries again every few seconds',
  ),
})

/** What drivers send, and how a driver reaches the server; for the drivers page. */
export function driverActivityRoutes(log: DriverActivityLog): Route[] {
  return [
    defineRoute('GET /api/op/drivers/activity', {
      access: 'superuser',
      isOperation: true,
      summary:
        'What each driver sent in the last hour, why others are refused, and how they reach the server',
      response: v.object({
        svc_addr: v.string(),
        ca_fingerprint: v.string(),
        driver_version: v.string(),
        event_rate_limit: described(v.number(), 'Telemetry events per second and driver; 0 = no limit'),
        drivers: v.array(activity),
      }),
      async run({ db, live, config, tls, version }, { request, isSecure }) {
        const rows = await db.read((tx) => tx.list(drivers, {}))
        log.keep(new Set(rows.map(({ id }) => id)), new Set(rows.map(({ token }) => token)))
        return {
          svc_addr: serverAddress(config, { url: request.url, isSecure }),
          ca_fingerprint: tls.material.caFingerprint,
          driver_version: version,
          event_rate_limit: live.current.eventRateLimit,
          drivers: rows.map((row) => present(row, log.of(row.id, row.token))),
        }
      },
    }),
  ]
}

function present(
  { id, name, qpu }: Driver,
  { events, dropped, lastEvent, connectedAt, refusal }: ReturnType<DriverActivityLog['of']>,
) {
  const time = (ms: number | undefined) => (ms === undefined ? '' : toTimestamp(ms))
  return {
    id,
    name,
    qpu,
    connected_at: time(connectedAt),
    last_event: time(lastEvent),
    events,
    dropped,
    refused: refusal ? { ...refusal, at: toTimestamp(refusal.at) } : null,
  }
}
