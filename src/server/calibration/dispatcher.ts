import { feature } from 'bun:bundle'
import * as v from 'valibot'
import { failpoint, HOUR_MS, Loop } from '../../base/index.ts'
import {
  awaitRunningJob,
  type CalibrationClaim,
  claimCalibration,
  failCalibration,
  listAwaitedJobs,
  listIdleTuners,
  listOwnRunsToBegin,
  requeueUndeliveredCalibration,
} from '../../db/store/calibrations/index.ts'
import { type AttemptKey, isRunningAttempt } from '../../db/store/jobs/index.ts'
import { type CalibrationMode, resultId } from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import { deliverEach } from '../driver-hub.ts'
import type { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'
import { targetQubits } from './enqueue.ts'
import { interruptJob } from './track-run.ts'

/** What `CalibrationDispatcher` works with. */
interface CalibrationDispatcherDependencies extends Pick<ServerContext, 'db' | 'hub' | 'clock' | 'log'> {
  backoff: DispatchBackoff
  /** How long a driver may run an attempt in ms, if it reports that. */
  heartbeats: { limitMs(attempt: AttemptKey): number | undefined }
  config: { dispatchPollInterval: number; calibrationWait: number }
}

/** Collections whose changes may let a calibration run. */
const WAKING_COLLECTIONS = ['calibration_requests', 'drivers', 'qpus']

/**
 * Time limit of each mode: far more than a run needs, so that a hung tuner does not block its QPU forever.
 */
const MAX_RUN_MS: Record<CalibrationMode, number> = {
  fidelity_check: 2 * HOUR_MS,
  partial: 12 * HOUR_MS,
  full: 48 * HOUR_MS,
}

/** Time for the result of a job that its driver ends at its limit, ms. */
const END_GRACE_MS = 10_000

/**
 * Dispatches the next calibration to each idle tuner, after each change that may allow it and at the poll
 * interval.
 */
export class CalibrationDispatcher {
  readonly loop: Loop
  readonly #dependencies: CalibrationDispatcherDependencies
  /** Runs of tuners' own that may begin and know it, with the epoch. */
  readonly #begun = new Set<string>()
  /** Since when calibrations wait for a running attempt, monotonic ms. */
  #awaitedSince = new Map<string, number>()

  constructor(dependencies: CalibrationDispatcherDependencies) {
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'calibration dispatch',
      summary: 'Send queued calibrations to their tuners',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: dependencies.config.dispatchPollInterval,
      wakeOnChanges: wakeOnChanges(dependencies.db, ...WAKING_COLLECTIONS),
      runOnce: () => this.dispatchOnce(),
    })
  }

  /**
   * Claims the next calibration of each idle tuner and sends it; one on a QPU that runs a job waits for its
   * end. The claim is durable before the first byte is sent.
   */
  async dispatchOnce(): Promise<void> {
    await this.#endOverdueJobs()
    await this.#beginOwnRuns()
    const { db, hub, backoff } = this.#dependencies
    // Usually no calibration is waiting; nothing is written then.
    const tuners = (await db.read(listIdleTuners)).filter(
      ({ driver, epoch }) => hub.attachedEpoch(driver) === epoch && !backoff.isActive(driver, epoch),
    )
    const [free, busy] = [
      tuners.filter(({ busy }) => !busy),
      tuners.filter(({ busy, waits }) => busy && !waits),
    ]
    if (free.length + busy.length === 0) return
    const claims = await db.write('claim calibrations', (tx) => {
      for (const tuner of busy) awaitRunningJob(tx, tuner)
      return free.flatMap((tuner) => claimCalibration(tx, tuner) ?? [])
    })
    await deliverEach(hub, claims, (claim) => this.#deliver(claim))
  }

  /** Lets the runs of tuners' own begin whose QPU runs no job, once under each lease. */
  async #beginOwnRuns(): Promise<void> {
    const { db, hub } = this.#dependencies
    const runs = (await db.read(listOwnRunsToBegin)).filter(
      ({ driver, epoch }) => hub.attachedEpoch(driver) === epoch,
    )
    const due = new Map(runs.map((each) => [`${each.run} ${each.epoch}`, each]))
    for (const key of this.#begun) if (!due.has(key)) this.#begun.delete(key)
    for (const [key, { driver, run }] of due) {
      if (this.#begun.has(key)) continue
      if (hub.send(driver, { type: 'BeginCalibration', run_id: run })) this.#begun.add(key)
    }
  }

  /**
   * Requeues jobs for which a calibration has waited longer than they may run: their drivers do not end them.
   * Its time begins again with the server.
   */
  async #endOverdueJobs(): Promise<void> {
    const { db, hub, clock, log, backoff, heartbeats, config } = this.#dependencies
    const awaited = await db.read(listAwaitedJobs)
    const now = clock.monotonic()
    const since = this.#awaitedSince
    this.#awaitedSince = new Map()
    for (const running of awaited) {
      const { job, attempt, driver, qpu } = running
      const key = resultId(job, attempt)
      const begun = since.get(key) ?? now
      this.#awaitedSince.set(key, begun)
      const known = heartbeats.limitMs(running)
      const limitMs = known === undefined ? config.calibrationWait : known + END_GRACE_MS
      if (now - begun < limitMs) continue
      const reason = 'it ran longer than its time limit while a calibration waited for it'
      const ended = await db.write('requeue overdue job', (tx) =>
        isRunningAttempt(tx, running) ? interruptJob(tx, { hub, backoff }, qpu, reason) : undefined,
      )
      if (!ended) continue
      hub.send(driver, { type: 'StopJob', job, attempt })
      log.warn('job requeued for a calibration that has waited for it', { job, attempt, driver, limitMs })
    }
  }

  async #deliver(claim: CalibrationClaim): Promise<void> {
    const { hub, log, backoff, db } = this.#dependencies
    const { request, run, driver, epoch, mode, resumes } = claim
    const targets = v.safeParse(v.nullable(targetQubits), claim.targetQubits)
    if (!targets.success) {
      const reason = `The stored target_qubits cannot be used: ${targets.issues[0].message}`
      await db.write('fail calibration', (tx) => failCalibration(tx, claim, reason))
      log.warn('calibration failed, its stored targets are not valid', { request })
      return
    }
    const sent = hub.send(driver, {
      type: 'RunCalibration',
      run_id: run,
      request_id: request,
      epoch,
      mode,
      target_qubits: targets.output ?? [],
      ...(resumes !== '' && { resume: resumes }),
      limit_ms: MAX_RUN_MS[mode],
    })
    if (sent) {
      if (feature('FAILPOINTS')) failpoint('calibration.sent')
      log.info('calibration dispatched', { request, run, driver, mode })
      return
    }
    backoff.penalize(driver, epoch)
    await db.write('put calibration back', (tx) => requeueUndeliveredCalibration(tx, claim))
    log.warn('calibration not delivered', { request, driver })
  }
}
