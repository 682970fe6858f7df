import type { DispatchTarget } from '../../src/db/store/jobs/index.ts'
import type { Driver } from '../../src/db/store/qpus/index.ts'
import type { OutgoingCommand } from '../../src/server/driver-hub.ts'
import { RESULTS } from '../support/server/job-lab.ts'
import type { Outcome, Step } from './store-steps.ts'

/** Limit of attempts of the server under test. */
export const MAX_ATTEMPTS = 3
/** Execution time that every driver reports, ms. */
export const EXECUTION_MS = 40

/** The state of a job according to the state machine of `docs/explanation/state-machines.md`. */
export interface ModelJob {
  id: string
  qpu: string
  qubits: number
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  attempt: number
  counted: number
  /**
   * The current attempt, unless it has ended. `lastHeartbeatAt` is unknown from a restart to the next
   * recovery.
   */
  open: { driver: number; lastHeartbeatAt: number | undefined; hasStarted: boolean } | undefined
  /** Drivers, their leases and monotonic claim times by attempt, from 1. */
  claims: { driver: number; epoch: number; claimedAt: number }[]
  chargedMs: number | undefined
  /** Held by an operator. */
  held: boolean
  /** The greatest rank runs first; 0 = in order of submission. */
  rank: number
  /** The last attempt that an operator has requeued. */
  requeuedAttempt: number
}

/** A job at its submission. */
export function newJob(job: Pick<ModelJob, 'id' | 'qpu' | 'qubits'>): ModelJob {
  return {
    ...job,
    status: 'pending',
    attempt: 0,
    counted: 0,
    open: undefined,
    claims: [],
    chargedMs: undefined,
    held: false,
    rank: 0,
    requeuedAttempt: 0,
  }
}

/** A driver that follows the protocol: one job at a time, a durable outbox. */
export interface ModelDriver {
  record: Driver
  lease: DispatchTarget | undefined
  inbox: Extract<OutgoingCommand, { type: 'RunJob' }>[]
  running: { job: string; attempt: number } | undefined
  outbox: { job: string; attempt: number; outcome: Outcome }[]
}

/** Steps that happen to a driver, or that may. */
export type DriverStep = Exclude<Extract<Step, { at: number }>, { kind: 'operate' }>

/** The drivers to which a step can happen. */
export const CAN_HAPPEN: Record<DriverStep['kind'], (driver: ModelDriver) => boolean> = {
  submit: () => true,
  cancel: () => true,
  attach: ({ lease }) => lease === undefined,
  detach: ({ lease }) => lease !== undefined,
  crash: ({ running, lease }) => running !== undefined || lease !== undefined,
  deliver: ({ inbox }) => inbox.length > 0,
  hello: ({ lease }) => lease !== undefined,
  heartbeat: ({ running }) => running !== undefined,
  finish: ({ running }) => running !== undefined,
  result: ({ outbox }) => outbox.length > 0,
  foreign: () => true,
}

/** The attempt never reached its driver: it does not count. */
export function requeueUndelivered(job: ModelJob): void {
  job.open = undefined
  job.status = 'pending'
}

/** The attempt was lost or ended by its device: it counts. Silence fails no job before its next claim. */
export function countAttempt(job: ModelJob, { mayDeliver = false } = {}): void {
  job.open = undefined
  job.counted += 1
  job.rank = 0
  job.status = job.counted >= MAX_ATTEMPTS && !mayDeliver ? 'failed' : 'pending'
}

/** Ends the running job and puts its result into the outbox. */
export function finish(driver: ModelDriver, outcome: Outcome): void {
  if (driver.running) driver.outbox.push({ ...driver.running, outcome })
  driver.running = undefined
}

/** Applies the hello of the driver that has the current attempt. */
export function applyHello(
  job: ModelJob,
  { running, outbox, lease }: ModelDriver,
  { hasOutbox, now }: { hasOutbox: boolean; now: number },
): void {
  const isCurrent = (each: { job: string; attempt: number }) =>
    each.job === job.id && each.attempt === job.attempt
  if (!job.open) return
  if (running && isCurrent(running)) {
    // A restarted server tracks an attempt only after recovery has found it.
    if (job.open.lastHeartbeatAt !== undefined) job.open.lastHeartbeatAt = now
    return
  }
  const isOnItsWay = job.claims.at(-1)?.epoch === lease?.epoch
  if (!hasOutbox || isOnItsWay || outbox.some(isCurrent)) return
  if (job.open.hasStarted) countAttempt(job)
  else requeueUndelivered(job)
}

/** The payload of the event that ends an attempt. */
export function resultOf({ job, attempt, outcome }: ModelDriver['outbox'][number]): object {
  const common = { job, attempt, epoch: 1, execution_ms: EXECUTION_MS }
  if (outcome === 'completed') return { ...common, status: 'completed', results: RESULTS }
  const error = { class: outcome, message: 'it failed' }
  return { ...common, status: 'failed', error }
}
