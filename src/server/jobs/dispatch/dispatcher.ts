import { feature } from 'bun:bundle'
import * as v from 'valibot'
import { failpoint, Loop, MIB } from '../../../base/index.ts'
import { JsonText, type Tx, textBytes, type Values } from '../../../db/index.ts'
import { readoutFidelities } from '../../../db/store/calibrations/index.ts'
import {
  applyResult,
  type Claim,
  claimable,
  claimJob,
  type DispatchTarget,
  idleQpus,
  type JobOrder,
  OrderReading,
  queueReads,
  queueStateOf,
  requeueUndelivered,
  resultReads,
  settleSessions,
} from '../../../db/store/jobs/index.ts'
import { markUnfit } from '../../../db/store/qpus/index.ts'
import { jobPayload } from '../../../protocol/index.ts'
import type { ServerContext } from '../../context.ts'
import { deliverEach } from '../../driver-hub.ts'
import type { DispatchBackoff } from '../../drivers/dispatch-backoff.ts'
import type { Heartbeats } from '../attempts/heartbeats.ts'
import { readChipNeeds } from '../chip/job-chip-needs.ts'
import { PresentChip } from '../judgement/present-chip.ts'
import { unfitnessOf } from '../judgement/unfitness.ts'
import { ConcernedQpus } from './concerned-qpus.ts'
import { pickJob } from './pick.ts'

/** What `JobDispatcher` works with. */
interface JobDispatcherDependencies extends Pick<ServerContext, 'db' | 'hub' | 'clock' | 'log' | 'order'> {
  heartbeats: Heartbeats
  backoff: DispatchBackoff
  /**
   * Called for each job that a driver's socket has accepted, with the ms since the queues began to be read.
   */
  onSent?: (ms: number) => void
  config: { idleThreshold: number; dispatchPollInterval: number; maxAttempts: number; sessionRate: number }
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
    const claims = await db.write('claim jobs', (tx) => {
      const all = this.#claimAll(tx, qpus)
      if (feature('FAILPOINTS') && all.length > 0) failpoint('dispatch.claiming')
      tx.withCommit('last')
      return all
    })
    await deliverEach(hub, claims, async (claim) => {
      if (await this.#deliver(claim)) onSent?.(clock.monotonic() - begun)
    })
  }

  /** Large programs are read one per transaction: the next run of the loop goes on with the other QPUs. */
  #claimAll(tx: Tx, qpus: ReadonlySet<string> | undefined): Claim[] {
    const { order } = this.#dependencies
    const claims: Claim[] = []
    const idle = this.#readIdle(tx, qpus)
    let { facts } = idle
    for (const [at, target] of idle.targets.entries()) {
      if (!order.headOf(target.qpu)) continue
      // None was left for it when the facts were read, and another QPU has not taken the one that it was to.
      if (!facts?.qpus.has(target.qpu)) facts = readFacts(tx, order, idle.targets.slice(at))
      const claim = this.#claimNext(tx, target, facts)
      if (claim) claims.push(claim)
      if (!claim || textBytes(claim) <= LARGE_PROGRAM_BYTES) continue
      this.#concerned.addAll()
      this.loop.wake()
      break
    }
    return claims
  }

  /**
   * The QPUs that can take a job now, of all or among `qpus`; of a single one in the same round trip what its
   * claim depends on, which of several is read when it is known which are idle.
   */
  #readIdle(
    tx: Tx,
    qpus: ReadonlySet<string> | undefined,
  ): { targets: DispatchTarget[]; facts?: ClaimFacts | undefined } {
    const { order } = this.#dependencies
    if (!order.hasJobs(tx)) return { targets: [] }
    // All are looked at sometimes, whatever the order says.
    const looked = qpus && new Set([...qpus].filter((id) => order.mayClaim(id)))
    if (looked?.size === 0) return { targets: [] }
    const { idle, single } = tx.read({
      idle: idleQpus(looked),
      single: looked?.size === 1 ? claimReads(tx, order, looked) : undefined,
    })
    const targets = idle.filter((target) => this.#isReady(target))
    return { targets, facts: single && factsOf(tx, order, single) }
  }

  /**
   * Claims the next job of a QPU whose chip has what it needs now; the others are kept from it until it is
   * described again or calibrated. The rest of many follows when the loop runs again, for which each change
   * wakes it.
   */
  #claimNext(tx: Tx, target: DispatchTarget, facts: ClaimFacts): Claim | undefined {
    const { config, order } = this.#dependencies
    const { qpu } = target
    let { reading } = facts
    let chip: PresentChip | undefined
    const known = order.qpus.get(tx, qpu)
    const sessions = known && settleSessions(tx, reading, known, config.sessionRate)
    for (let judged = 0; judged < MAX_JUDGED; judged++) {
      const state = queueStateOf(reading, qpu, config.idleThreshold, sessions)
      const pick = state && pickJob(state, tx.now, config.idleThreshold)
      if (!state || pick?.job === undefined) return undefined
      const { job, session } = pick
      const found = facts.jobs[job] ?? tx.read(claimable(job))
      const needs = readChipNeeds(found?.chipNeeds ?? '')
      chip ??= new PresentChip(state.qpu, facts.chips[qpu] ?? null, tx.now)
      const fidelities = needs?.require && tx.read(readoutFidelities(qpu))
      const unfit = needs && unfitnessOf(chip, needs, fidelities)
      if (unfit) {
        markUnfit(tx, job, { qpu, ...unfit })
        reading = new OrderReading(order, tx, tx.read(queueReads(qpu)))
        continue
      }
      const claim = claimJob(tx, job, { ...target, session }, config, found)
      order.dequeue(job)
      if (claim) return claim
      // The order was wrong about the job.
      order.refresh(tx)
    }
    return undefined
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
    const outcome = { kind: 'failed', class: 'user', results } as const
    const end = { job, attempt, driver, executionMs: 0, outcome }
    await db.write('fail job', (tx) => applyResult(tx, end, config, tx.read(resultReads(end))))
    log.warn('job failed, its stored payload is not valid', { job, reason })
  }
}

/** What the next claims of QPUs depend on, of those for which a job waits: queues, chips, first jobs. */
function claimReads(tx: Tx, order: JobOrder, qpus: Iterable<string>) {
  const heads = order.headsOf(qpus)
  const [waiting, jobs] = [[...heads.keys()], [...heads.values()]]
  const users = jobs.map(({ user }) => user)
  return {
    qpus: { known: new Set(waiting) },
    queues: queueReads(waiting.length === 1 ? waiting[0] : '', users),
    chips: Object.fromEntries(waiting.map((qpu) => [qpu, order.qpus.description(tx, qpu)])),
    jobs: Object.fromEntries(jobs.map(({ id }) => [id, claimable(id)])),
  }
}

function factsOf(tx: Tx, order: JobOrder, { queues, ...facts }: Values<ReturnType<typeof claimReads>>) {
  return { reading: new OrderReading(order, tx, queues), ...facts }
}

function readFacts(tx: Tx, order: JobOrder, targets: readonly DispatchTarget[]): ClaimFacts {
  const qpus = targets.map(({ qpu }) => qpu)
  return factsOf(tx, order, tx.read(claimReads(tx, order, qpus)))
}

type ClaimFacts = ReturnType<typeof factsOf>

/**
 * The payload to send, checked unless it is large: reading it would block the event loop for up to 150 ms.
 * The device process checks each one, too, and fails a job that it does not understand.
 */
function payloadOf({ payload }: Claim) {
  if (payload instanceof JsonText) return { success: true as const, output: payload }
  return v.safeParse(jobPayload, payload)
}
