import { feature } from 'bun:bundle'
import * as v from 'valibot'
import { type Clock, failpoint, type Log, Loop, MIB } from '../../../base/index.ts'
import { type Ahead, type Database, JsonText, type ReadTx, type Tx, textBytes } from '../../../db/index.ts'
import {
  applyResult,
  type Claim,
  claimJob,
  type DispatchTarget,
  type JobOrder,
  listIdleQpus,
  type QueueState,
  readingChipNeeds,
  readQueue,
  requeueUndelivered,
} from '../../../db/store/jobs/index.ts'
import { markUnfit, readingDescription } from '../../../db/store/qpus/index.ts'
import { jobPayload } from '../../../protocol/index.ts'
import { type DriverHub, deliverEach } from '../../driver-hub.ts'
import type { DispatchBackoff } from '../../drivers/dispatch-backoff.ts'
import type { Heartbeats } from '../attempts/heartbeats.ts'
import { ChipReading } from '../chip/chip-reading.ts'
import { readChipNeeds } from '../chip/job-chip-needs.ts'
import { unfitnessOf } from '../chip/unfitness.ts'
import { ConcernedQpus } from './concerned-qpus.ts'
import { pickJob } from './pick.ts'

/** What `JobDispatcher` works with. */
interface JobDispatcherDependencies {
  db: Database
  hub: DriverHub
  clock: Clock
  log: Log
  heartbeats: Heartbeats
  order: JobOrder
  backoff: DispatchBackoff
  /**
   * Called for each job that a driver's socket has accepted, with the ms since the queues began to be read.
   */
  onSent?: (ms: number) => void
  config: { idleThreshold: number; dispatchPollInterval: number; maxAttempts: number }
}

/** What was begun to be read for a claim; `head`: the job that is probably next. */
interface BegunClaim {
  queue: Ahead<QueueState | undefined>
  head: { job: string; needs: Ahead<string> } | undefined
  description: Ahead<JsonText | null>
}

/** Jobs that one pass judges for a QPU whose chip has changed. */
const MAX_JUDGED = 20

/** A transaction claims no further job after one with more. */
const LARGE_PROGRAM_BYTES = MIB

/** Dispatches the next job to each free QPU, after each change that may allow it and at the poll interval. */
export class JobDispatcher {
  readonly loop: Loop
  readonly #dependencies: JobDispatcherDependencies
  readonly #concerned: ConcernedQpus

  constructor(dependencies: JobDispatcherDependencies) {
    this.#dependencies = dependencies
    const { clock, config, order } = dependencies
    this.#concerned = new ConcernedQpus({ clock, order, pollMs: config.dispatchPollInterval })
    this.loop = new Loop({
      name: 'dispatch',
      summary: 'Send pending jobs to idle QPUs',
      clock,
      log: dependencies.log,
      intervalMs: config.dispatchPollInterval,
      wakeOnChanges: (wake) => this.#concerned.follow(dependencies.db, wake),
      runOnce: () => this.#concerned.handle((qpus) => this.dispatchOnce(qpus)),
    })
  }

  /**
   * Claims the next job of each free QPU, of all or among `qpus`, and sends it. The claim is durable before
   * the first byte is sent.
   */
  async dispatchOnce(qpus?: ReadonlySet<string>): Promise<void> {
    const { db, hub, clock, onSent } = this.#dependencies
    const begun = clock.monotonic()
    const claims = await db.write('claim jobs', (tx) => this.#claimAll(tx, qpus))
    await deliverEach(hub, claims, async (claim) => {
      if (await this.#deliver(claim)) onSent?.(clock.monotonic() - begun)
    })
  }

  /** Large programs are read one per transaction: the next run of the loop goes on with the other QPUs. */
  #claimAll(tx: Tx, qpus: ReadonlySet<string> | undefined): Claim[] {
    const claims: Claim[] = []
    const { order } = this.#dependencies
    if (!order.hasJobs(tx)) return claims
    // All are looked at sometimes, whatever the order says.
    const looked = qpus && new Set([...qpus].filter((id) => order.mayClaim(id)))
    if (looked?.size === 0) return claims
    const idle = listIdleQpus(tx, looked)
    const [only] = looked?.size === 1 ? looked : []
    const begun = only === undefined ? undefined : this.#beginClaim(tx, only)
    for (const server of idle()) {
      const claim = this.#isReady(server) ? this.#claimNext(tx, server, begun) : undefined
      if (!claim) continue
      claims.push(claim)
      if (textBytes(claim) <= LARGE_PROGRAM_BYTES) continue
      this.#concerned.addAll()
      this.loop.wake()
      break
    }
    if (feature('FAILPOINTS') && claims.length > 0) failpoint('dispatch.claiming')
    return claims
  }

  /**
   * Claims the next job of a QPU whose chip has what it needs now; the others are kept from it until it is
   * described again or calibrated. The rest of many follows when the loop runs again, for which each change
   * wakes it.
   */
  #claimNext(tx: Tx, target: DispatchTarget, begun?: BegunClaim): Claim | undefined {
    const { config, order } = this.#dependencies
    let next = begun
    let chip: ChipReading | undefined
    for (let judged = 0; judged < MAX_JUDGED; judged++) {
      const { queue, head, description } = next ?? this.#beginClaim(tx, target.qpu)
      next = undefined
      const state = queue()
      const { job } = state ? pickJob(state, tx.now, config.idleThreshold) : {}
      if (!state || job === undefined) return undefined
      const needs = readChipNeeds(needsOf(tx, job, head))
      chip ??= new ChipReading(tx, state.qpu, description)
      const unfit = needs && unfitnessOf(chip, needs)
      const claim = unfit ? undefined : claimJob(tx, job, target)
      // It is not queued any more, which the order does not know before the end of this intent, if at all.
      order.reread(job)
      if (claim) return claim
      if (unfit) markUnfit(tx, job, { qpu: target.qpu, ...unfit })
    }
    return undefined
  }

  /** Begins to read what the next claim of a QPU needs, if that is for the first job of its queue. */
  #beginClaim(tx: Tx, qpu: string): BegunClaim {
    const { config, order } = this.#dependencies
    const queue = readQueue(tx, qpu, config.idleThreshold, order)
    const job = order.headOf(qpu)?.id
    const head = job === undefined ? undefined : { job, needs: readingChipNeeds(tx, job) }
    return { queue, head, description: readingDescription(tx, qpu) }
  }

  #isReady({ driver, epoch }: DispatchTarget): boolean {
    const { hub, backoff } = this.#dependencies
    return hub.attachedEpoch(driver) === epoch && !backoff.isActive(driver, epoch)
  }

  /** Whether the driver's socket has accepted the job. */
  async #deliver(claim: Claim): Promise<boolean> {
    const { heartbeats, hub, log, backoff, db } = this.#dependencies
    const { job, attempt, driver, epoch } = claim
    heartbeats.start(claim)
    if (feature('FAILPOINTS')) failpoint('dispatch.claimed')
    const payload = payloadOf(claim)
    if (!payload.success) {
      await this.#refusePayload(claim, payload.issues[0].message)
      return false
    }
    // 0: the driver alone limits the execution time; the server only watches the heartbeats.
    const sent = hub.send(driver, {
      type: 'RunJob',
      job,
      attempt,
      epoch,
      limit_ms: claim.limitMs === undefined ? 0 : Math.max(1, claim.limitMs),
      payload: payload.output,
      ...(claim.labels && { labels: claim.labels }),
      ...(claim.expected && { expected: claim.expected }),
      knows_progress: true,
    })
    if (sent) {
      if (feature('FAILPOINTS')) failpoint('dispatch.sent')
      log.debug('job dispatched', { job, attempt, driver, qpu: claim.qpu })
      return true
    }
    backoff.penalize(driver, epoch)
    await db.write('put job back', (tx) =>
      requeueUndelivered(tx, { ...claim, reason: 'the driver could not be reached' }),
    )
    log.warn('job not delivered', { job, attempt, driver })
    return false
  }

  /** Fails a job whose row was not written by a submission and has an invalid payload. */
  async #refusePayload({ job, attempt, driver }: Claim, reason: string): Promise<void> {
    const { db, config, log } = this.#dependencies
    const results = { error: `The stored payload cannot be run: ${reason}`, error_code: 'bad_payload' }
    await db.write('fail job', (tx) =>
      applyResult(
        tx,
        { job, attempt, driver, executionMs: 0, outcome: { kind: 'failed', class: 'user', results } },
        config,
      ),
    )
    log.warn('job failed, its stored payload is not valid', { job, reason })
  }
}

function needsOf(tx: ReadTx, job: string, head: BegunClaim['head']): string {
  return head?.job === job ? head.needs() : readingChipNeeds(tx, job)()
}

/**
 * The payload to send, checked unless it is large: reading it would block the event loop for up to 150 ms.
 * The device process checks each one, too, and fails a job that it does not understand.
 */
function payloadOf({ payload }: Claim) {
  if (payload instanceof JsonText) return { success: true as const, output: payload }
  return v.safeParse(jobPayload, payload)
}
