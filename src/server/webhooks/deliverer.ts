import { feature } from 'bun:bundle'
import type { SecureContext } from 'node:tls'
import { failpoint, Loop, MINUTE_MS, withTimeout } from '../../base/index.ts'
import type { Change } from '../../db/index.ts'
import { calibrationRequests, calibrationResults } from '../../db/store/calibrations/index.ts'
import { quantumJobs } from '../../db/store/jobs/index.ts'
import { qpus } from '../../db/store/qpus/index.ts'
import {
  type Attempt,
  type DueDelivery,
  type DueWebhook,
  hasWebhooks,
  listDueDeliveries,
  listDueWebhooks,
  recordAttempt,
  settleWebhook,
  webhooks,
} from '../../db/store/webhooks/index.ts'
import type { ServerContext } from '../context.ts'
import type { AddressGuard } from './addresses.ts'
import { Lanes } from './lanes.ts'
import { post } from './post.ts'
import { signatureHeaders } from './signature.ts'

/** Longest delay of a retry beyond its time; events wake the loop immediately. */
const POLL_MS = 1_000
/** Without webhooks, the first one wakes the loop. */
const IDLE_MS = MINUTE_MS
/** Time for running attempts when the server stops; an interrupted one is made again after the next start. */
const STOP_MS = 1_000
/** Pause after an attempt that could not be recorded, such as on a full disk. */
const UNRECORDED_PAUSE_MS = 30_000
/** Collections whose changes may have queued a delivery. */
const WAKING = new Set<string>([qpus, calibrationRequests, calibrationResults].map((each) => each.name))

interface DelivererDependencies extends Pick<ServerContext, 'db' | 'clock' | 'log' | 'version'> {
  guard: AddressGuard
  /** Trusted certificates; those of the runtime when absent. */
  secureContext: SecureContext | undefined
}

/** Sends the deliveries of the outbox that are due, a bounded number at a time. */
export class Deliverer {
  readonly loop: Loop
  readonly #dependencies: DelivererDependencies
  readonly #lanes = new Lanes()
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #outcomes = { delivered: 0, failed: 0 }
  /** Without webhooks, changes of jobs need no read: it would cost as much as a twentieth of a submission. */
  #hasWebhooks = true

  constructor(dependencies: DelivererDependencies) {
    const { db, clock, log } = dependencies
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'webhooks',
      summary: 'Deliver events to webhooks, and retry deliveries that failed',
      clock,
      log: log.child('webhooks'),
      intervalMs: () => (this.#hasWebhooks ? POLL_MS : IDLE_MS),
      // After the commit: an event that is rolled back must not be sent.
      wakeOnChanges: (wake) =>
        db.changes.subscribe((changes) => {
          if (changes.some((change) => this.#isAwaited(change))) wake()
        }),
      runOnce: () => this.runOnce(),
    })
  }

  /** Attempts since the start, by outcome. */
  get outcomes(): Readonly<Record<'delivered' | 'failed', number>> {
    return this.#outcomes
  }

  /** Begins the attempts that are due and for which there is capacity; does not wait for their ends. */
  async runOnce(): Promise<void> {
    this.#hasWebhooks = await this.#dependencies.db.read(hasWebhooks)
    if (!this.#hasWebhooks) return
    for (const isStrained of [false, true]) {
      const most = this.#lanes.free(isStrained)
      if (most === 0) continue
      // More than can begin: a user has up to 10 webhooks, of which some wait while 4 attempts run.
      const due = await this.#dependencies.db.read((tx) =>
        listDueWebhooks(tx, isStrained, most + 3 * this.#lanes.size).map((webhook) => ({
          webhook,
          deliveries: listDueDeliveries(
            tx,
            webhook.id,
            this.#lanes.mostOf(isStrained) + this.#lanes.sizeOf(webhook),
          ),
        })),
      )
      for (const { webhook, deliveries } of due) await this.#begin(webhook, deliveries, isStrained)
    }
  }

  /** Stops; attempts that do not end within 1 s are interrupted. */
  async stop(): Promise<void> {
    await this.loop.stop()
    const { clock } = this.#dependencies
    await withTimeout(this.settled(), { clock, ms: STOP_MS, onTimeout: () => undefined })
    this.#stop.abort(new Error('the server stopped'))
    await this.settled()
  }

  /** Resolves when the attempts that run now have been recorded. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  #isAwaited({ collection, record }: Change): boolean {
    if (collection === webhooks.name) return true
    if (!this.#hasWebhooks) return false
    return collection === quantumJobs.name ? hasEnded(record) : WAKING.has(collection)
  }

  async #begin(webhook: DueWebhook, deliveries: readonly DueDelivery[], isStrained: boolean): Promise<void> {
    if (webhook.isOwnerDisabled === 1 || deliveries.length === 0) {
      await this.#dependencies.db.write('settle webhook', (tx) => settleWebhook(tx, webhook))
      return
    }
    for (const delivery of deliveries) {
      const leave = this.#lanes.enter(webhook, delivery.id, isStrained)
      if (!leave) continue
      const attempt = this.#attempt(webhook, delivery)
        .catch((error: unknown) => this.#pauseAfter(error))
        .finally(() => {
          leave()
          this.#running.delete(attempt)
          this.loop.wake()
        })
      this.#running.add(attempt)
    }
  }

  async #attempt(webhook: DueWebhook, delivery: DueDelivery): Promise<void> {
    const { clock, guard, secureContext, version } = this.#dependencies
    const { signal } = this.#stop
    if (feature('FAILPOINTS')) failpoint('webhook.sending')
    const outcome = await post(
      {
        url: webhook.url,
        headers: {
          'content-type': 'application/json',
          'user-agent': `svc/${version}`,
          ...signatureHeaders({ ...webhook, ...delivery, now: clock.now() }),
        },
        body: delivery.body,
      },
      { clock, guard, secureContext, signal },
    )
    if (feature('FAILPOINTS')) failpoint('webhook.sent')
    if (signal.aborted) return
    await this.#record(webhook, delivery, outcome)
  }

  /** An attempt that cannot be recorded would be repeated immediately: its place stays taken for a while. */
  async #pauseAfter(error: unknown): Promise<void> {
    const { clock, log } = this.#dependencies
    log.error('webhook attempt not recorded', { error })
    await clock.sleep(UNRECORDED_PAUSE_MS, this.#stop.signal).catch(() => undefined)
  }

  async #record(webhook: DueWebhook, delivery: DueDelivery, attempt: Attempt): Promise<void> {
    const { db, log } = this.#dependencies
    this.#outcomes[attempt.error === '' ? 'delivered' : 'failed'] += 1
    const key = { webhook: webhook.id, delivery: delivery.id }
    const state = await db.write('record webhook attempt', (tx) =>
      recordAttempt(tx, { ...key, url: webhook.url }, attempt),
    )
    // Neither path nor query, which may be secrets of the receiver.
    const { host } = new URL(webhook.url)
    if (attempt.error !== '')
      log.debug('webhook attempt failed', { ...key, host, state, error: attempt.error })
  }
}

/** Whether a record is a job that will not change any more. */
function hasEnded(record: unknown): boolean {
  const status = typeof record === 'object' && record !== null && 'status' in record ? record.status : ''
  return status !== 'pending' && status !== 'running'
}
