import { toTimestamp } from '../../base/index.ts'
import { type JobNeeds, newPosition, type OrderReading, type Quote } from '../../db/store/jobs/index.ts'
import type { Unfitness } from '../../db/store/qpus/index.ts'
import type { ServerContext } from '../context.ts'
import { estimateWait } from './wait-estimate.ts'

/** A job before its submission. */
interface NewJob {
  user: string
  /** Id of a QPU; '' = any. */
  qpu: string
  needs: JobNeeds
  /** SHA-256 of its programs. */
  program: string
  /** Most QPU time, ms; 0 = no limit of its own. */
  maxMs: number
  /** By id of a QPU, why its chip cannot run the job now. */
  unfit?: ReadonlyMap<string, Unfitness>
}

/**
 * What is expected of a job that is submitted now: of the queue in which it waits least, or of the first one
 * when nobody can say when it starts.
 */
export function quoteJob(
  { config }: Pick<ServerContext, 'config'>,
  reading: OrderReading,
  { user, qpu, needs, program, maxMs, unfit }: NewJob,
): Quote {
  const { tx, order } = reading
  const input = newPosition(reading, { user, qpu, needs, unfit }, config.idleThreshold)
  const wait = estimateWait(input, tx.now, config.idleThreshold)
  const chosen = wait.qpu ?? input.queues[0]?.state.qpu.id ?? qpu
  const { basis, ...run } = order.forecasts.of(tx, chosen).run({ ...needs, program })
  const most = maxMs === 0 ? Number.POSITIVE_INFINITY : maxMs
  return {
    basis,
    run: { from: Math.min(run.from, most), to: Math.min(run.to, most) },
    start: wait.start,
    waitMs: wait.start ? (wait.expectedMs ?? 0) : 0,
  }
}

/** A quote as clients see it; `isCharged`: whether the user has a balance. */
export function presentQuote({ run, basis, start }: Quote, isCharged: boolean) {
  const qpu_seconds = { from: run.from / 1_000, to: run.to / 1_000 }
  return {
    qpu_seconds,
    start: start ? { from: toTimestamp(start.from), to: toTimestamp(start.to) } : null,
    charge: isCharged ? qpu_seconds : { from: 0, to: 0 },
    basis,
  }
}
