import type { Tx } from '../../db/index.ts'
import {
  beginOwnRun,
  confirmCalibration,
  endLostCalibration,
  endOwnRun,
  isCurrentRun,
  listRunsOfOlderLeases,
  recordProgress,
  requeueUndeliveredCalibration,
} from '../../db/store/calibrations/index.ts'
import { type DriverAttempt, requeueDisturbed } from '../../db/store/jobs/index.ts'
import type { EventPayload } from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import type { DriverHub } from '../driver-hub.ts'
import type { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import type { EventSource } from '../drivers/receive.ts'

type Context = Pick<ServerContext, 'db' | 'hub' | 'log'>

/**
 * Reconciles the queue with a tuner that has reconnected: runs that it neither executes nor has a report of
 * are lost, and a run that is no longer expected is stopped. A run that the tuner started on its own goes on
 * or is over.
 */
export async function reconcileTuner(
  context: Context,
  { driver, epoch }: EventSource,
  { run_id, own_run, outbox = [] }: Pick<EventPayload<'DriverHello'>, 'run_id' | 'own_run' | 'outbox'>,
): Promise<void> {
  const kept = new Set(run_id ? [...outbox, run_id] : outbox)
  const lost = await context.db.write('settle calibrations', (tx) => {
    if (run_id) confirmCalibration(tx, { run: run_id, driver })
    if (own_run) beginOwnRun(tx, { run: own_run, driver })
    else endOwnRun(tx, { driver })
    return listRunsOfOlderLeases(tx, { driver, epoch })
      .filter(({ run }) => !kept.has(run))
      .map((run) => ({ ...run, status: endLostCalibration(tx, run, 'The tuner reconnected without it') }))
  })
  for (const run of lost) context.log.warn('calibration lost by its tuner', { ...run })
  if (run_id) await stopUnlessAwaited(context, { run: run_id, driver })
}

/** Confirms that the tuner has started a run. */
export async function confirmStart(context: Context, driver: string, run: string): Promise<void> {
  await context.db.write('confirm calibration', (tx) => confirmCalibration(tx, { run, driver }))
  await stopUnlessAwaited(context, { run, driver })
}

/**
 * Records that the tuner has started a run on its own, or will when it may: its QPU takes no jobs until the
 * report. A job that a tuner of an earlier release disturbs, because it does not wait, runs again.
 */
export async function beginOwn(
  { db, hub, log, config }: Context & Pick<ServerContext, 'config'>,
  { driver, qpu }: Pick<EventSource, 'driver' | 'qpu'>,
  { run, waits, backoff }: { run: string; waits: boolean; backoff: DispatchBackoff },
): Promise<void> {
  const { isNew, disturbed } = await db.write('begin own run', (tx) => {
    const isNew = beginOwnRun(tx, { run, driver, waits, deferMs: config.sessionCalibrationDelay })
    const disturbed = isNew && !waits ? interruptJob(tx, { hub, backoff }, qpu, DISTURBED) : undefined
    return { isNew, disturbed }
  })
  if (isNew) log.info('calibration started by its tuner', { run, driver })
  if (!disturbed) return
  const { job, attempt } = disturbed
  hub.send(disturbed.driver, { type: 'StopJob', job, attempt })
  log.info('job disturbed by a calibration, requeued', { job, attempt, run })
}

/**
 * Requeues the job that a QPU runs, uncharged and uncounted, for a calibration; the caller then sends
 * `StopJob`. Undefined without a job.
 */
export function interruptJob(
  tx: Tx,
  { hub, backoff }: { hub: Pick<DriverHub, 'attachedEpoch'>; backoff: DispatchBackoff },
  qpu: string,
  reason: string,
): DriverAttempt | undefined {
  const disturbed = requeueDisturbed(tx, qpu, reason)
  // Its driver needs a moment to stop the job and would refuse another one as busy.
  const epoch = disturbed && hub.attachedEpoch(disturbed.driver)
  if (disturbed && epoch !== undefined) backoff.penalize(disturbed.driver, epoch)
  return disturbed
}

const DISTURBED = 'a calibration began on the QPU while it ran'

/** Requeues a run that the tuner has refused. */
export async function requeueRefused({ db }: Context, driver: string, run: string): Promise<void> {
  await db.write('put calibration back', (tx) => requeueUndeliveredCalibration(tx, { run, driver }))
}

/** Stores the progress of a run. The tuner's own drift checks have no row in the queue. */
export async function trackProgress(
  context: Context,
  driver: string,
  { run_id: run, request_id: request, ...progress }: EventPayload<'CalibrationProgress'>,
): Promise<void> {
  if (request === null) return
  const noted = await context.db.write('note calibration progress', (tx) =>
    recordProgress(tx, { run, driver }, progress),
  )
  if (!noted) await stopUnlessAwaited(context, { run, driver })
}

/** Stops a run whose request has ended: it would only delay the next one. */
async function stopUnlessAwaited(
  { db, hub, log }: Context,
  run: { run: string; driver: string },
): Promise<void> {
  if (await db.read((tx) => isCurrentRun(tx, run))) return
  if (hub.send(run.driver, { type: 'StopCalibration', run_id: run.run })) log.info('calibration stopped', run)
}
