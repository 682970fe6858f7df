import { type Metric, valuesOf } from './exposition.ts'

/** The limit of a figure of the service: it needs attention from a value on, or below one. */
interface Limit {
  from?: number
  below?: number
  /** Whether an infinite value, such as the age of a backup that does not exist, is beyond the limit. */
  infinite?: boolean
}

const DAY_S = 86_400

/**
 * The figures that an operator looks at, by the name of their metric. The limits are those of
 * `examples/prometheus`; that of backups is a day.
 */
const FIGURES = {
  svc_disk_free_bytes: { below: 5e9 },
  svc_database_bytes: {},
  svc_job_bytes: {},
  svc_database_log_bytes: { from: 2e8 },
  svc_storage_failing: { from: 1 },
  svc_backup_age_seconds: { from: DAY_S, infinite: true },
  svc_replicator_backlog_seconds: { from: 900 },
  // The server renews its own, which lasts a week, days before this.
  svc_certificate_seconds: { below: 2 * DAY_S },
  svc_drivers_lost: { from: 1 },
  'svc_jobs{status="pending"}': {},
  'svc_jobs{status="running"}': {},
  svc_error_share: { from: 0.01 },
  svc_webhooks_failing: { from: 1 },
  svc_mail_items_waiting: {},
  svc_memory_bytes: { from: 1.5e9 },
} as const satisfies Record<string, Limit>

/** A figure of the service now. */
export interface Figure {
  /** Name of its metric, with labels if it has some. */
  metric: string
  /** Null = unknown, or infinite. */
  value: number | null
  /** The value from which on it needs attention, or below which; null = no limit. */
  from: number | null
  below: number | null
  is_beyond: boolean
}

/** Reads the figures of the service from its metrics; those that a server does not have are left out. */
export function readFigures(metrics: readonly Metric[]): Figure[] {
  const values = valuesOf(metrics)
  return Object.entries(FIGURES).flatMap(([metric, limit]: [string, Limit]) => {
    const value = values.get(metric)
    if (value === undefined) return []
    const { from, below, infinite = false } = limit
    const isKnown = Number.isFinite(value)
    const isBeyond = isKnown
      ? value >= (from ?? Number.POSITIVE_INFINITY) || value < (below ?? Number.NEGATIVE_INFINITY)
      : infinite
    const shown = { metric, value: isKnown ? value : null, from: from ?? null, below: below ?? null }
    return [{ ...shown, is_beyond: isBeyond }]
  })
}
