import { DAY_MS } from '../../../src/base/portable/units.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { formatBytes } from '../backups/model.ts'

/** A figure of the service, and the page that helps when it is beyond its limit. */
export interface HealthRow {
  title: string
  value: string
  /** Empty without one. */
  limit: string
  isBeyond: boolean
  href: string
}

interface Figure {
  title: string
  metric: string
  show: (value: number) => string
  /** The value from which on it needs attention, or below which. */
  from?: number
  below?: number
  /** In place of a value that the server does not have. */
  none?: string
  isNoneBeyond?: boolean
  /** Whether it is one of two states, whose limit says nothing. */
  isState?: boolean
  href: string
}

const GUIDE = '/docs/how-to/monitor-the-server'
const REPLICATION = '/docs/how-to/replicate'

/** The limits of `examples/prometheus`; that of backups is a day. */
const FIGURES: readonly Figure[] = [
  { title: 'Free disk space', metric: 'svc_disk_free_bytes', show: formatBytes, below: 5e9, href: GUIDE },
  { title: 'Database', metric: 'svc_database_bytes', show: formatBytes, href: GUIDE },
  {
    title: 'Jobs in the database',
    metric: 'svc_job_bytes',
    show: formatBytes,
    href: '/_/collections/quantum_jobs',
  },
  { title: 'Write-ahead log', metric: 'svc_database_log_bytes', show: formatBytes, from: 2e8, href: GUIDE },
  {
    title: 'Writes to the disk',
    metric: 'svc_storage_failing',
    show: (value) => (value === 0 ? 'accepted' : 'refused'),
    from: 1,
    isState: true,
    href: '/_/logs?level=error',
  },
  {
    title: 'Age of the newest backup',
    metric: 'svc_backup_age_seconds',
    show: formatSeconds,
    from: DAY_MS / 1_000,
    none: 'no backup',
    isNoneBeyond: true,
    href: '/_/backups',
  },
  {
    title: 'Replication behind by',
    metric: 'svc_replicator_backlog_seconds',
    show: formatSeconds,
    from: 900,
    none: 'not replicated',
    href: REPLICATION,
  },
  {
    title: 'Webhooks that fail',
    metric: 'svc_webhooks_failing',
    show: formatCount,
    from: 1,
    href: '/_/collections/webhooks',
  },
  {
    title: 'Events that wait to be mailed',
    metric: 'svc_mail_items_waiting',
    show: formatCount,
    href: '/docs/how-to/mail',
  },
  { title: 'Memory', metric: 'svc_memory_bytes', show: formatBytes, from: 1.5e9, href: GUIDE },
]

/** The values of the metrics without labels in the Prometheus text format. */
export function readGauges(text: string): ReadonlyMap<string, number> {
  const found = text.matchAll(/^([a-z_]+) (\S+)$/gm)
  return new Map([...found].map(([, name = '', value]) => [name, Number(value)]))
}

/** The figures of the service with their limits. */
export function healthOf(gauges: ReadonlyMap<string, number>): HealthRow[] {
  return FIGURES.map((figure) => {
    const { title, metric, show, none = 'unknown', isNoneBeyond = false, href } = figure
    const value = gauges.get(metric)
    const isKnown = value !== undefined && Number.isFinite(value)
    return {
      title,
      value: isKnown ? show(value) : none,
      limit: limitText(figure),
      isBeyond: isKnown ? isBeyond(figure, value) : isNoneBeyond,
      href,
    }
  })
}

function isBeyond(
  { from = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY }: Figure,
  value: number,
) {
  return value >= from || value < below
}

function limitText({ from, below, isState, show }: Figure): string {
  if (isState) return ''
  if (below !== undefined) return `above ${show(below)}`
  return from === undefined ? '' : `below ${show(from)}`
}
