import { AppError, fromTimestamp, watchEventLoop } from '../../base/index.ts'
import type { Change, DatabaseFiles, RecordOf } from '../../db/index.ts'
import { listRunningAttempts, quantumJobs } from '../../db/store/jobs/index.ts'
import type { ServerContext } from '../context.ts'
import type { DropReason } from '../drivers/parse-event.ts'
import { defineRoute, type Route } from '../http/route.ts'
import {
  Histogram,
  METRICS_MEDIA,
  METRICS_PATH,
  type Metric,
  metric,
  metricsResponse,
  readable,
  UNREADABLE,
  unreadableIn,
} from './exposition.ts'
import { readGauges } from './gauges.ts'
import { DatabaseWaits } from './shared-database.ts'

/** Histogram bounds of the wait for the first dispatch, in s: from the fast path to a night in the queue. */
const WAIT_BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200,
]

/** Histogram bounds of the time that the server itself takes for a dispatch, in s. */
const DISPATCH_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Histogram bounds of the delay of the event loop, in s; 0.05 is what one request may cause. */
const LOOP_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

const DROP_REASONS: readonly DropReason[] = [
  'rate_limit',
  'too_large',
  'not_an_event',
  'unknown_type',
  'bad_payload',
]
const STEPS = ['submitted', 'dispatched', 'requeued', 'completed', 'failed', 'cancelled'] as const
type Step = (typeof STEPS)[number]

interface MetricsDependencies {
  context: Pick<ServerContext, 'db' | 'version' | 'config' | 'clock' | 'tls'>
  /** Number of open event streams. */
  streams: () => number
  /** Number of requests that wait for jobs. */
  waits: () => number
  /** Attempts to deliver to webhooks since the start, by outcome. */
  webhookAttempts: () => Readonly<Record<'delivered' | 'failed', number>>
  /** Names of drivers that are connected and offline. */
  halfAttached: () => Promise<string[]>
  /** Share of responses with a status from 500 on in the last 5 minutes. */
  errorShare: () => number
  /** Events dropped since the start, by reason. */
  drops: () => ReadonlyMap<DropReason, number>
}

/** Counts the steps of jobs since the start from the change feed; all other metrics are read on request. */
export class Metrics {
  readonly #dependencies: MetricsDependencies
  readonly #steps = new Map<Step, number>(STEPS.map((step) => [step, 0]))
  /** Ids of running jobs: a running job that becomes pending was requeued. */
  readonly #running = new Set<string>()
  /** Ids of requeued jobs: the last attempt of one may still end it, at a time before. */
  readonly #requeued = new Set<string>()
  readonly #wait = new Histogram(WAIT_BOUNDS)
  readonly #dispatch = new Histogram(DISPATCH_BOUNDS)
  readonly #loopDelay = new Histogram(LOOP_BOUNDS)
  readonly #databaseWaits: DatabaseWaits
  #unsubscribe: () => void = () => undefined
  #stopWatching: () => void = () => undefined

  constructor(dependencies: MetricsDependencies) {
    this.#dependencies = dependencies
    this.#databaseWaits = new DatabaseWaits(dependencies.context.clock)
  }

  /** Starts to count; jobs that are already running were dispatched before. */
  async start(): Promise<void> {
    for (const { job } of await this.#dependencies.context.db.read(listRunningAttempts))
      this.#running.add(job)
    this.#unsubscribe = this.#dependencies.context.db.changes.subscribe((changes) => {
      for (const change of changes) if (isJob(change)) this.#count(change.action, change.record)
    })
    this.#dependencies.context.db.shared?.onWait((ms) => this.#databaseWaits.observe(ms))
    this.#stopWatching = watchEventLoop((ms) => this.#loopDelay.observe(ms / 1_000))
  }

  stop(): void {
    this.#stopWatching()
    this.#unsubscribe()
  }

  /** Records that a job was passed to the socket of its driver `ms` after the poll of the queues began. */
  sent(ms: number): void {
    this.#dispatch.observe(ms / 1_000)
  }

  #count(action: Change['action'], job: Job): void {
    const wasRunning = this.#running.has(job.id)
    if (action !== 'delete' && job.status === 'running') this.#running.add(job.id)
    else this.#running.delete(job.id)
    const wasRequeued = this.#requeued.delete(job.id)
    if (action !== 'delete' && job.status === 'pending' && (wasRunning || wasRequeued))
      this.#requeued.add(job.id)
    const step = stepOf(action, job, { wasRunning, wasRequeued })
    if (!step) return
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + 1)
    if (step === 'dispatched' && job.attempt === 1)
      this.#wait.observe(secondsBetween(job.created, job.updated))
  }

  /** All metrics now, and how many of them cannot be read. */
  async read(): Promise<Metric[]> {
    const metrics = await this.#read()
    const count = unreadableIn(metrics).length
    return [...metrics, metric(UNREADABLE, 'Metrics that cannot be read; they are NaN', count)]
  }

  async #read(): Promise<Metric[]> {
    const { context, streams, waits, drops, webhookAttempts } = this.#dependencies
    const { storage, files, shared } = context.db
    const steps = [...this.#steps].map(([step, value]) => ({ labels: { step }, value }))
    return [
      metric('svc_info', 'Version of the server', [{ labels: { version: context.version }, value: 1 }]),
      ...(await readGauges(context.db)),
      metric('svc_job_steps_total', 'Steps of jobs since the start', steps),
      this.#wait.read('svc_job_wait_seconds', 'Time from the submission of a job to its first dispatch'),
      this.#dispatch.read(
        'svc_dispatch_seconds',
        'Time from a poll of the queues until a job is passed to the socket of its driver',
      ),
      this.#loopDelay.read(
        'svc_event_loop_delay_seconds',
        'Time by which the event loop was late, measured every 500 ms',
      ),
      metric(
        'svc_drivers_half_attached',
        'Drivers that have been connected for more than 30 s although they or their QPUs are offline',
        await readable(async () => (await this.#dependencies.halfAttached()).length),
      ),
      metric(
        'svc_certificate_seconds',
        'Time until the server certificate expires',
        Math.floor((context.tls.material.notAfter - context.clock.now()) / 1_000),
      ),
      metric(
        'svc_root_ca_seconds',
        'Time until the root CA expires, or a certificate between it and that of the server',
        Math.floor((context.tls.material.caNotAfter - context.clock.now()) / 1_000),
      ),
      metric(
        'svc_error_share',
        'Share of responses with a status from 500 on in the last 5 minutes',
        this.#dependencies.errorShare(),
      ),
      metric('svc_event_streams', 'Open event streams of clients', streams()),
      metric('svc_waiting_requests', 'Requests that wait for a job', waits()),
      metric(
        'svc_webhook_attempts_total',
        'Attempts to deliver to webhooks since the start',
        Object.entries(webhookAttempts()).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ),
      ...(files ? await ofFiles(files, context.clock.now()) : []),
      ...(shared ? await this.#databaseWaits.read(shared) : []),
      metric('svc_storage_refusals_total', 'Writes refused by the disk since the start', storage.refusals),
      metric('svc_storage_failing', '1 while the disk refuses writes', storage.failure ? 1 : 0),
      metric(
        'svc_events_dropped_total',
        'Dropped events of drivers since the start',
        DROP_REASONS.map((reason) => ({ labels: { reason }, value: drops().get(reason) ?? 0 })),
      ),
      metric('svc_memory_bytes', 'Resident memory', process.memoryUsage.rss()),
    ]
  }
}

/** Metrics of a database in files. */
async function ofFiles(files: DatabaseFiles, now: number): Promise<Metric[]> {
  const bytes = (name: 'databaseBytes' | 'logBytes' | 'freeBytes') => readable(() => files.sizes()[name])
  return [
    metric('svc_database_bytes', 'Size of the database file', await bytes('databaseBytes')),
    metric('svc_database_log_bytes', 'Size of the write-ahead log of the database', await bytes('logBytes')),
    metric(
      'svc_database_log_seconds',
      'Time between the first and the last commit in the write-ahead log, which grows while nobody empties it',
      files.logSpanMs / 1_000,
    ),
    metric(
      'svc_replicator_backlog_seconds',
      'Time between the oldest and the newest change that Litestream keeps; it grows while the replica cannot be written',
      await readable(async () => (await files.replicatorBacklogMs()) / 1_000),
    ),
    metric(
      'svc_replicator_failing',
      '1 while the replicator does not confirm changes that wait for it, with --acknowledge replicated',
      files.replicationFailure ? 1 : 0,
    ),
    metric('svc_disk_free_bytes', 'Free space on the disk of the database', await bytes('freeBytes')),
    metric(
      'svc_backup_age_seconds',
      'Time since the newest sound backup was begun; +Inf without one, NaN if unknown',
      await readable(() => backupAge(files, now)),
    ),
    metric(
      'svc_database_age_seconds',
      'Time since the file of the database was made',
      await readable(() => Math.max(0, now - files.createdAt()) / 1_000),
    ),
  ]
}

type Job = RecordOf<typeof quantumJobs>

function isJob(change: Change): change is Change & { record: Job } {
  return change.collection === quantumJobs.name && change.record !== undefined
}

/**
 * The step that a change makes; undefined for changes that keep the status, such as the start of the
 * execution.
 */
function stepOf(
  action: Change['action'],
  job: Job,
  { wasRunning, wasRequeued }: { wasRunning: boolean; wasRequeued: boolean },
): Step | undefined {
  if (action === 'delete') return undefined
  if (action === 'create') return 'submitted'
  switch (job.status) {
    case 'running':
      return job.started_at === '' ? 'dispatched' : undefined
    case 'pending':
      return wasRunning ? 'requeued' : undefined
    // An edit of a job that has ended does not end it again.
    default:
      return wasRunning || wasRequeued || job.finished_at === job.updated ? job.status : undefined
  }
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, (fromTimestamp(to) ?? 0) - (fromTimestamp(from) ?? 0)) / 1_000
}

/** In s. Read again each time, since another process makes the backups. */
function backupAge(files: DatabaseFiles, now: number): number {
  const at = files.lastBackupAt()
  return at === undefined ? Number.POSITIVE_INFINITY : Math.max(0, now - at) / 1_000
}

/** A request with one of these headers came through a proxy: the remote address is not that of the caller. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const

/** Metrics for a monitoring system. */
export function metricsRoutes(metrics: Metrics): Route[] {
  return [
    defineRoute(`GET ${METRICS_PATH}`, {
      access: 'public',
      summary: 'Retrieve metrics in the Prometheus text format; for superusers and for direct local callers',
      media: METRICS_MEDIA,
      statuses: [200, 401, 403],
      async run(_, { caller, request, address }) {
        if (caller.kind !== 'superuser' && !isLocal(request, address)) {
          if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
          throw new AppError('forbidden', 'Admin access required')
        }
        return metricsResponse(await metrics.read())
      },
    }),
  ]
}

function isLocal(request: Request, address: string): boolean {
  const isLoopback = address === '::1' || /^(::ffff:)?127\./.test(address)
  return isLoopback && !FORWARDED.some((name) => request.headers.has(name))
}
