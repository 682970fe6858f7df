import type { Driver, Server } from '../../src/db/index.ts'
import type { RunJob } from '../../src/protocol/index.ts'
import { RESULTS } from '../support/job-lab.ts'
import type { Outcome } from './store-steps.ts'

/** Execution time that every driver reports, ms. */
export const EXECUTION_MS = 40

/** What the machine of reliability says about a job. */
export interface ModelJob {
  id: string
  qpu: string
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  attempt: number
  counted: number
  /** The current attempt, unless it has ended. `aliveAt` is unknown after a restart until recovery looks. */
  open: { driver: number; aliveAt: number | undefined } | undefined
  /** Drivers and monotonic claim times by attempt, from 1. */
  claims: { driver: number; claimedAt: number }[]
  chargedMs: number | undefined
}

/** A driver as the protocol wants it: one job at a time, a durable outbox. */
export interface ModelDriver {
  record: Driver
  lease: Server | undefined
  inbox: RunJob[]
  running: { job: string; attempt: number } | undefined
  outbox: { job: string; attempt: number; outcome: Outcome }[]
}

/** What runs ends and lies in the outbox. */
export function finish(driver: ModelDriver, outcome: Outcome): void {
  if (driver.running) driver.outbox.push({ ...driver.running, outcome })
  driver.running = undefined
}

/** The payload of the event that tells the end of an attempt. */
export function resultOf({ job, attempt, outcome }: ModelDriver['outbox'][number]): object {
  const common = { job, attempt, epoch: 1, execution_ms: EXECUTION_MS }
  if (outcome === 'completed') return { ...common, status: 'completed', results: RESULTS }
  const error = { class: outcome, message: 'it failed' }
  return { ...common, status: 'failed', error }
}
