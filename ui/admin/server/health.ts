import * as v from 'valibot'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { formatBytes } from '../backups/model.ts'

const figure = v.object({
  metric: v.string(),
  title: v.string(),
  value: v.nullable(v.number()),
  is_read: v.boolean(),
  from: v.nullable(v.number()),
  below: v.nullable(v.number()),
  is_beyond: v.boolean(),
  since: v.string(),
  history: v.array(v.nullable(v.number())),
})
export type Figure = v.InferOutput<typeof figure>

const unreadable = v.object({ metric: v.string(), reason: v.string() })

const slowRequest = v.object({ route: v.string(), ms: v.number(), at: v.string() })
export type SlowRequest = v.InferOutput<typeof slowRequest>

/** The state of the service; `times` (Unix ms) are those of each history. */
export const serviceState = v.object({
  figures: v.array(figure),
  unreadable: v.array(unreadable),
  times: v.array(v.number()),
  leadership: v.nullable(v.object({ epoch: v.number(), standbys: v.nullable(v.array(v.string())) })),
  slowest: v.array(slowRequest),
})

export type ServiceState = v.InferOutput<typeof serviceState>

/** How a figure is shown. */
interface Look {
  show: (value: number) => string
  /** In place of a value that the server does not have. */
  none?: string
  /** Whether it is one of two states, whose limit says nothing. */
  isState?: boolean
  /** The page that helps. */
  href: string
}

const GUIDE = '/docs/how-to/monitor-the-server'
const POSTGRESQL = '/docs/how-to/postgresql'
const share = (value: number) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`

/** By metric. */
const LOOKS: Readonly<Record<string, Look>> = {
  svc_disk_free_bytes: { show: formatBytes, href: GUIDE },
  svc_database_bytes: { show: formatBytes, href: GUIDE },
  svc_job_bytes: {
    show: formatBytes,
    href: '/_/collections/quantum_jobs',
  },
  svc_database_log_bytes: { show: formatBytes, href: GUIDE },
  svc_standbys: { show: formatCount, href: POSTGRESQL },
  svc_leader_epoch: { show: formatCount, href: POSTGRESQL },
  svc_database_longest_wait_seconds: { show: formatSeconds, href: POSTGRESQL },
  svc_database_replica_lag_bytes: { show: formatBytes, href: POSTGRESQL },
  svc_storage_failing: {
    show: (value) => (value === 0 ? 'accepted' : 'refused'),
    isState: true,
    href: '/_/logs?level=error',
  },
  svc_backup_age_seconds: {
    show: formatSeconds,
    none: 'no backup',
    href: '/_/backups',
  },
  svc_replicator_backlog_seconds: {
    show: formatSeconds,
    href: '/docs/how-to/replicate',
  },
  svc_certificate_seconds: {
    show: formatSeconds,
    href: '/docs/how-to/run-the-server',
  },
  svc_root_ca_seconds: {
    show: formatSeconds,
    href: '/docs/how-to/run-the-server',
  },
  svc_database_clock_seconds: {
    show: formatSeconds,
    href: '/docs/how-to/postgresql',
  },
  svc_drivers_lost: { show: formatCount, href: '/drivers' },
  'svc_jobs{status="pending"}': {
    show: formatCount,
    href: '/jobs?status=pending&user=*',
  },
  'svc_jobs{status="running"}': {
    show: formatCount,
    href: '/jobs?status=running&user=*',
  },
  svc_error_share: { show: share, href: '/_/logs?level=error' },
  svc_webhooks_failing: {
    show: formatCount,
    href: '/_/collections/webhooks',
  },
  svc_mail_items_waiting: {
    show: formatCount,
    href: '/docs/how-to/mail',
  },
  svc_memory_bytes: { show: formatBytes, href: GUIDE },
  svc_unreadable_figures: { show: formatCount, href: GUIDE },
}

/** How a figure is shown, also one that these pages do not know yet. */
export function lookOf({ metric }: Figure): Look {
  return LOOKS[metric] ?? { show: String, href: GUIDE }
}

/** The value in words. */
export function valueText(figure: Figure): string {
  if (!figure.is_read) return 'cannot be read'
  const { show, none = 'unknown' } = lookOf(figure)
  return figure.value === null ? none : show(figure.value)
}

/** The limit in words; empty without one. */
export function limitText(figure: Figure): string {
  const { show, isState } = lookOf(figure)
  if (isState) return ''
  if (figure.below !== null) return `above ${show(figure.below)}`
  return figure.from === null ? '' : `below ${show(figure.from)}`
}
