import { expected, formatDuration, kinds, nearest, type ValueKind } from '../../base/index.ts'

/**
 * A figure of the service, and where it needs attention: from a value on, or below one; null = without a
 * limit until one is set. A figure with neither takes no limit.
 */
interface DeclaredFigure {
  title: string
  from?: number | null
  below?: number | null
  /** What is compared in place of an infinite value, such as the age of a backup that does not exist. */
  infinite?: string
}

const DAY_S = 86_400

/**
 * The figures that an operator looks at, by the name of their metric. The limits are those of
 * `examples/prometheus`; that of backups is a day.
 */
export const FIGURES = {
  svc_disk_free_bytes: { title: 'Free disk space', below: 5e9 },
  svc_database_bytes: { title: 'Database', from: null },
  svc_job_bytes: { title: 'Jobs in the database', from: null },
  svc_database_log_bytes: { title: 'Write-ahead log', from: 2e8 },
  svc_standbys: { title: 'Servers on standby', below: null },
  svc_leader_epoch: { title: 'Takeovers and starts' },
  svc_database_clock_seconds: { title: 'Clock of PostgreSQL differs by', from: 1 },
  svc_database_longest_wait_seconds: { title: 'Longest wait for the database', from: 1 },
  svc_database_replica_lag_bytes: { title: 'Replica of PostgreSQL behind by', from: 6.4e7 },
  svc_storage_failing: { title: 'Writes to the disk', from: 1 },
  svc_backup_age_seconds: {
    title: 'Age of the newest backup',
    from: DAY_S,
    infinite: 'svc_database_age_seconds',
  },
  svc_replicator_backlog_seconds: { title: 'Replication behind by', from: 900 },
  // The server renews its own, which lasts a week, days before this.
  svc_certificate_seconds: { title: 'Certificate expires in', below: 2 * DAY_S },
  // Every driver pins it.
  svc_root_ca_seconds: { title: 'Root CA expires in', below: 90 * DAY_S },
  svc_drivers_lost: { title: 'Lost drivers', from: 1 },
  'svc_jobs{status="pending"}': { title: 'Jobs waiting', from: null },
  'svc_jobs{status="running"}': { title: 'Jobs running', from: null },
  svc_error_share: { title: 'Responses that are errors', from: 0.01 },
  svc_webhooks_failing: { title: 'Webhooks that fail', from: 1 },
  svc_mail_items_waiting: { title: 'Events that wait to be mailed', from: null },
  svc_memory_bytes: { title: 'Memory', from: 1.5e9 },
  svc_unreadable_figures: { title: 'Figures that cannot be read', from: 1 },
} as const satisfies Record<string, DeclaredFigure>

type FigureName = keyof typeof FIGURES

const LIMITABLE: readonly string[] = Object.entries(FIGURES)
  .filter(([, figure]) => 'from' in figure || 'below' in figure)
  .map(([name]) => name)

/** The limit of one figure in place of its default; null = none. */
export interface ServiceLimit {
  figure: FigureName
  value: number | null
}

/** `svc_disk_free_bytes=20GiB,svc_backup_age_seconds=36h,svc_memory_bytes=none`: each figure at most once. */
export function serviceLimits(): ValueKind<ServiceLimit[]> {
  const limits = kinds.list(serviceLimit())
  return {
    ...limits,
    parse(text) {
      const read = limits.parse(text)
      const names = read.map(({ figure }) => figure)
      const repeated = names.find((name, at) => names.indexOf(name) < at)
      if (repeated !== undefined) throw expected(`each figure once, not ${repeated} twice`)
      return read
    },
  }
}

function serviceLimit(): ValueKind<ServiceLimit> {
  return {
    hint: 'figure=limit',
    parse(text) {
      // The labels of a metric contain = too.
      const at = text.lastIndexOf('=')
      const figure = text.slice(0, Math.max(0, at)).trim()
      if (!isLimitable(figure)) {
        if (Object.hasOwn(FIGURES, figure))
          throw expected(`a figure that takes a limit; ${figure} takes none`)
        const meant = nearest(figure, LIMITABLE)
        throw expected(
          meant === undefined
            ? `FIGURE=LIMIT with one of the figures ${LIMITABLE.join(', ')}`
            : `FIGURE=LIMIT; the figure with the most similar name is ${meant}`,
        )
      }
      const value = text.slice(at + 1).trim()
      return { figure, value: value === 'none' ? null : kindOf(figure).parse(value) }
    },
    format: ({ figure, value }) => `${figure}=${value === null ? 'none' : kindOf(figure).format(value)}`,
  }
}

function isLimitable(name: string): name is FigureName {
  return LIMITABLE.includes(name)
}

/** The unit of a metric is the end of its name, its value in bytes, seconds or a number. */
function kindOf(figure: FigureName): ValueKind<number> {
  if (figure.endsWith('_bytes')) return kinds.bytes()
  if (!figure.endsWith('_seconds')) return kinds.number({ min: 0 })
  const duration = kinds.duration()
  return {
    ...duration,
    parse: (text) => duration.parse(text) / 1_000,
    format: (seconds) => formatDuration(seconds * 1_000),
  }
}
